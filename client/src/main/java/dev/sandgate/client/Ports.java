// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.client.rpc.RpcCall;
import dev.sandgate.client.rpc.RpcLane;
import dev.sandgate.proto.v1.PortData;
import dev.sandgate.proto.v1.PortsGrpcClient;
import io.smallrye.mutiny.Uni;

/** Reaches TCP ports on the loopback of one sandbox. */
public final class Ports {

  private final Calls calls;
  private final String sandboxId;

  Ports(Calls calls, String sandboxId) {
    this.calls = calls;
    this.sandboxId = sandboxId;
  }

  /**
   * Opens a connection.
   *
   * @param port 1 … 65,535
   * @return the open connection, which the caller closes; fails with CONNECT_FAILED
   */
  public Uni<PortConnection> connect(int port) {
    PortData head = PortData.newBuilder().setSandboxId(sandboxId).setPort(port).build();
    return Uni.createFrom()
        .emitter(
            emitter -> {
              RpcLane lane = calls.lane();
              PortConnection connection = new PortConnection(lane, emitter);
              emitter.onTermination(connection::closeUnlessOpen);
              lane.execute(
                  () -> {
                    RpcCall<PortData, PortData> call =
                        lane.call(PortsGrpcClient.Connect, connection.observer());
                    call.write(head);
                    connection.start(call);
                  });
            });
  }
}
