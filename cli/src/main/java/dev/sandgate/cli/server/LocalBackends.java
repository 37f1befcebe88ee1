// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.backends.OpenBackend;
import dev.sandgate.proto.v1.Backend;
import dev.sandgate.proto.v1.Finding;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.spi.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** Opens this host's backends for a moment to hear what they find, without a node. */
final class LocalBackends {

  private LocalBackends() {}

  /** To the end, also when this thread is interrupted: what backends began is taken back by what they do then. */
  static Node probe(Optional<Path> plugins) throws IOException {
    Path state = Files.createTempDirectory("sandgate-doctor-");
    try {
      return CompletableFuture.supplyAsync(() -> opened(state, plugins)).join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException known ? known : failed;
    } finally {
      delete(state);
    }
  }

  private static Node opened(Path state, Optional<Path> plugins) {
    try (Backends backends =
        Backends.open(new Backends.Setup("doctor", state, plugins, Map.of()))) {
      Node.Builder node = Node.newBuilder().setNodeId("(here)").setReachable(true);
      backends.all().forEach(backend -> node.addBackends(shown(backend)));
      return node.build();
    }
  }

  private static Backend shown(OpenBackend open) {
    Probe probe = open.probe().join();
    Backend.Builder backend =
        Backend.newBuilder()
            .setName(open.name())
            .setIsolation(open.backend().isolation().name())
            .setAvailable(probe.available())
            .setReason(probe.reason());
    open.backend().capabilities().stream()
        .sorted()
        .forEach(capability -> backend.addCapabilities(capability.name()));
    for (Probe.Finding finding : probe.findings()) {
      backend.addFindings(
          Finding.newBuilder()
              .setSubject(finding.subject())
              .setRequired(finding.required())
              .setAvailable(finding.available())
              .setDetail(finding.detail()));
    }
    return backend.build();
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> entries = Files.walk(directory)) {
      List<Path> deepestFirst = entries.sorted(Comparator.reverseOrder()).toList();
      for (Path entry : deepestFirst) {
        Files.deleteIfExists(entry);
      }
    }
  }
}
