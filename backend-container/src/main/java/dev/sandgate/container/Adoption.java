// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.spawner.Spawner.Found;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes back the sandboxes that outlived the node runtime and removes the others; runs on a virtual thread. */
final class Adoption {

  private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);
  private static final Duration GREETING = Duration.ofSeconds(5);
  private static final int REMOVALS_AT_A_TIME = 16;

  private final Host host;
  private final Set<String> known;

  Adoption(Host host, List<SandboxSpec> known) {
    this.host = host;
    this.known = known.stream().map(SandboxSpec::id).collect(Collectors.toSet());
  }

  List<Sandbox> run() {
    Map<String, Found> found =
        host.spawner().list().stream().collect(Collectors.toMap(Found::id, Function.identity()));
    List<Found> alive =
        found.values().stream().filter(f -> f.pid() != 0 && known.contains(f.id())).toList();
    List<Sandbox> adopted = reconnect(alive);
    Set<String> leftovers = new HashSet<>(found.keySet());
    leftovers.addAll(uppers());
    adopted.forEach(sandbox -> leftovers.remove(sandbox.id()));
    remove(leftovers);
    host.layers().sweep();
    LOG.info(
        "took back {} of {} sandboxes, removed {} leftovers",
        adopted.size(),
        known.size(),
        leftovers.size());
    return adopted;
  }

  private List<Sandbox> reconnect(List<Found> alive) {
    if (alive.isEmpty()) {
      return List.of();
    }
    List<Uni<List<Sandbox>>> attempts = alive.stream().map(this::reconnect).toList();
    List<Sandbox> adopted = new ArrayList<>();
    Uni.join().all(attempts).andCollectFailures().await().indefinitely().forEach(adopted::addAll);
    return adopted;
  }

  private Uni<List<Sandbox>> reconnect(Found found) {
    String id = found.id();
    return host.connect(id, found.pid(), GREETING)
        .map(agent -> take(id, agent))
        .onFailure()
        .recoverWithItem(
            failure -> {
              LOG.warn("{} does not answer: {}", id, failure.getMessage());
              return List.of();
            });
  }

  private List<Sandbox> take(String id, AgentConnection agent) {
    if (agent.isSetUp()) {
      return List.of(new ContainerSandbox(host, id, agent));
    }
    LOG.warn("{} was never finished", id);
    agent.close();
    return List.of();
  }

  private Set<String> uppers() {
    Path directory = host.settings().spawner().state().resolve("uppers");
    Set<String> names = new HashSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "[!.]*")) {
      entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
    } catch (IOException e) {
      LOG.warn("leftovers in {} are not seen", directory, e);
    }
    return names;
  }

  private void remove(Set<String> ids) {
    if (!ids.isEmpty()) {
      List<Uni<Void>> removals = ids.stream().map(this::remove).toList();
      Uni.join()
          .all(removals)
          .usingConcurrencyOf(REMOVALS_AT_A_TIME)
          .andCollectFailures()
          .await()
          .indefinitely();
    }
  }

  private Uni<Void> remove(String id) {
    return host.<Void>call(
            () -> {
              host.spawner().destroy(id, Host.upper(id));
              return null;
            })
        .onFailure()
        .recoverWithItem(
            failure -> {
              LOG.error("{} could not be removed", id, failure);
              return null;
            });
  }
}
