// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import static dev.sandgate.spi.SandgateException.invalid;

import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Outflow;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.proto.v1.PortData;
import dev.sandgate.proto.v1.PortsGrpcService;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Connection;
import io.smallrye.mutiny.Uni;

/** The methods of {@code sandgate.v1.Ports}. */
public final class PortsService {

  private final Sandboxes sandboxes;

  /** Reaches the ports of these sandboxes. */
  public PortsService(Sandboxes sandboxes) {
    this.sandboxes = sandboxes;
  }

  /** Answers the methods. */
  public void route(Routes routes) {
    routes.stream(PortsGrpcService.Connect, PortData.parser(), call -> new Tunnel(call).begin());
  }

  private Uni<Connection> connect(PortData first) {
    int port = (int) Fields.range("port", first.getPort(), 1, 65_535);
    LiveSandbox live = sandboxes.find(first.getSandboxId());
    return Uni.createFrom()
        .completionStage(() -> sandboxes.settled(live).copy())
        .flatMap(settled -> settled.running(Capability.CONNECT).connect(port));
  }

  /** One connection; runs on the call's event loop, one message of the caller at a time. */
  private final class Tunnel {
    private static final int CHUNK = 64 << 10;

    private final Call<PortData, PortData> call;
    private boolean inputEnded;
    private boolean outputEnded;

    Tunnel(Call<PortData, PortData> call) {
      this.call = call;
    }

    void begin() {
      call.pause();
      call.onMessage(this::open);
      call.onEnd(() -> call.fail(invalid("port", "the first message is missing")));
      call.fetch(1);
    }

    private void open(PortData first) {
      connect(first)
          .subscribe()
          .with(
              connection -> call.execute(() -> opened(connection, first)),
              failure -> call.execute(() -> call.fail(failure)));
    }

    private void opened(Connection connection, PortData first) {
      call.onClose(connection::close);
      if (call.closed()) {
        return;
      }
      call.send(PortData.getDefaultInstance());
      call.onMessage(message -> write(connection, message));
      call.onEnd(() -> end(connection));
      Outflow.send(
          connection.input(),
          call,
          data -> PortData.newBuilder().setData(UnsafeByteOperations.unsafeWrap(data)).build(),
          this::inputEnded);
      if (first.getData().isEmpty() && !first.getEnd()) {
        call.fetch(1);
      } else {
        write(connection, first);
      }
    }

    private void write(Connection connection, PortData message) {
      if (message.getData().size() > CHUNK) {
        throw invalid("data", "send at most 64 KiB in one message");
      }
      if (outputEnded) {
        throw invalid("end", "it was set before; send nothing after it");
      }
      outputEnded = message.getEnd();
      connection
          .write(message.getData().asReadOnlyByteBuffer(), message.getEnd())
          .subscribe()
          .with(
              _ -> call.execute(this::written), failure -> call.execute(() -> call.fail(failure)));
    }

    private void written() {
      call.fetch(1);
      finishWhenBothEnded();
    }

    /** The caller half-closed: as if its last message had {@code end}. */
    private void end(Connection connection) {
      if (!outputEnded) {
        write(connection, PortData.newBuilder().setEnd(true).build());
      }
    }

    private void inputEnded() {
      inputEnded = true;
      call.send(PortData.newBuilder().setEnd(true).build());
      finishWhenBothEnded();
    }

    private void finishWhenBothEnded() {
      if (inputEnded && outputEnded) {
        call.finish();
      }
    }
  }
}
