// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.client.ClientOptions;
import dev.sandgate.client.Sandgate;
import dev.sandgate.load.chaos.proxy.FaultyProxy;
import dev.sandgate.load.host.Scratch;
import dev.sandgate.load.tool.Owned;
import dev.sandgate.load.tool.Ports;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.UUID;

/**
 * A gateway and a node in processes, directories, cgroups and ports of their own, a faulty proxy before each, and clients.
 * Closing removes all of it.
 */
final class Site implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofMinutes(2);
  static final String ENVIRONMENT = "busybox";

  private static final String LOOPBACK = "127.0.0.1:";

  private final Owned owned;
  private final Scratch scratch;
  private final ServerProcess node;
  private final FaultyProxy beforeNode;
  private final int gatewayPort = Ports.free();
  private final ServerProcess gateway;
  private final FaultyProxy beforeGateway;

  private Site(Owned owned) throws IOException {
    this.owned = owned;
    scratch = owned.add(new Scratch("sgload-" + UUID.randomUUID().toString().substring(0, 8)));
    int nodePort = Ports.free();
    node =
        owned.add(
            new ServerProcess(scratch.directory().resolve("node"), nodePort, upNode(nodePort)));
    node.start();
    beforeNode = owned.add(FaultyProxy.before(nodePort));
    gateway =
        owned.add(
            new ServerProcess(
                scratch.directory().resolve("gateway"),
                gatewayPort,
                "--gateway-only",
                "--listen",
                LOOPBACK + gatewayPort,
                "--node",
                "local=" + LOOPBACK + beforeNode.port()));
    Files.copy(node.data().resolve("node.token"), gateway.data().resolve("node.token"));
    gateway.start();
    beforeGateway = owned.add(FaultyProxy.before(gatewayPort));
  }

  private String[] upNode(int port) {
    return new String[] {
      "--node-only",
      "--node-port",
      Integer.toString(port),
      "--set",
      "backend.container.run=" + scratch.directory().resolve("run"),
      "--set",
      "backend.container.cgroup-name=" + scratch.name(),
      "--set",
      "backend.container.pool.max=0"
    };
  }

  /** Starts all of it, with the busybox environment. */
  static Site start() throws IOException {
    Owned owned = new Owned();
    try {
      Site site = new Site(owned);
      try (Sandgate client = site.direct()) {
        ImportEnvironmentRequest request =
            ImportEnvironmentRequest.newBuilder()
                .setName(ENVIRONMENT)
                .setBuiltin("busybox")
                .build();
        client.environments().importFrom(request).collect().last().await().atMost(PATIENCE);
      }
      return site;
    } catch (IOException | RuntimeException e) {
      owned.close();
      throw e;
    }
  }

  Scratch scratch() {
    return scratch;
  }

  ServerProcess node() {
    return node;
  }

  ServerProcess gateway() {
    return gateway;
  }

  /** Through which the gateway sees the node. */
  FaultyProxy beforeNode() {
    return beforeNode;
  }

  /** Through which clients see the gateway. */
  FaultyProxy beforeGateway() {
    return beforeGateway;
  }

  /** A client that the proxy does not come between; the caller closes it. */
  Sandgate direct() throws IOException {
    return connect(gatewayPort, PATIENCE);
  }

  /** A client behind the proxy, closed with the rest. */
  Sandgate client(Duration reconnect) throws IOException {
    return owned.add(connect(beforeGateway.port(), reconnect));
  }

  private Sandgate connect(int port, Duration reconnect) throws IOException {
    String key = Files.readString(gateway.data().resolve("admin.key")).strip();
    return Sandgate.connect(
        ClientOptions.of("http://" + LOOPBACK + port, key).withReconnectTimeout(reconnect));
  }

  @Override
  public void close() throws IOException {
    owned.close();
  }
}
