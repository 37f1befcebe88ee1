// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import dev.sandgate.cli.server.Server;
import dev.sandgate.cli.server.ServerConfig;
import dev.sandgate.client.ClientOptions;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A gateway and a node of the test's own, with the busybox environment; removed with everything in it. */
public final class Platform implements AutoCloseable {

  public static final Duration LIMIT = Duration.ofSeconds(100);

  private final Path data;
  private final Server server;
  private final Sandgate sandgate;

  public Platform() throws IOException {
    this(Map.of());
  }

  /** With settings of its node. */
  public Platform(Map<String, String> settings) throws IOException {
    data = Files.createTempDirectory("sandgate-e2e-");
    server = Server.start(ServerConfig.local(data, settings));
    sandgate = Sandgate.connect(ClientOptions.of(server.url(), server.key()));
    ImportEnvironmentRequest busybox =
        ImportEnvironmentRequest.newBuilder().setName("busybox").setBuiltin("busybox").build();
    sandgate.environments().importFrom(busybox).collect().last().await().atMost(LIMIT);
  }

  public Path data() {
    return data;
  }

  public String url() {
    return server.url();
  }

  public String key() {
    return server.key();
  }

  public Sandgate sandgate() {
    return sandgate;
  }

  /** A sandbox that gets its time also while the machine is busy with something else. */
  public SandboxHandle box() {
    SandboxSpec spec =
        SandboxSpec.newBuilder()
            .setEnvironment("busybox")
            .setQosClass(QosClass.QOS_CLASS_LATENCY_SENSITIVE)
            .build();
    return sandgate.sandboxes().create(spec).await().atMost(LIMIT);
  }

  public List<String> sandboxes() {
    return sandgate
        .sandboxes()
        .list(ListSandboxesRequest.getDefaultInstance())
        .map(Sandbox::getSandboxId)
        .collect()
        .asList()
        .await()
        .atMost(LIMIT);
  }

  @Override
  public void close() throws IOException {
    try {
      sandboxes().forEach(id -> sandgate.sandboxes().delete(id).await().atMost(LIMIT));
      sandgate.close();
    } finally {
      server.close();
    }
    try (Stream<Path> entries = Files.walk(data)) {
      for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }
}
