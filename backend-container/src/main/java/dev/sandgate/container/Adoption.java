// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.spawner.Spawner.Found;
import dev.sandgate.support.spawner.SpawnerException;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes back the sandboxes that outlived the node runtime and removes the others; runs on a virtual thread. */
final class Adoption {

  private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);
  private static final Duration GREETING = Duration.ofSeconds(5);
  private static final int REMOVALS_AT_A_TIME = 16;
  private static final long REMOVAL_SECONDS = 4;

  private final Host host;
  private final Map<String, SandboxSpec> known;

  Adoption(Host host, List<SandboxSpec> known) {
    this.host = host;
    this.known = known.stream().collect(Collectors.toMap(SandboxSpec::id, Function.identity()));
  }

  List<Sandbox> run() {
    List<Found> found = host.spawner().list();
    List<Found> alive =
        found.stream().filter(f -> f.pid() != 0 && known.containsKey(f.id())).toList();
    List<Sandbox> adopted = reconnect(alive);
    List<Leftover> leftovers = leftovers(found, adopted);
    remove(leftovers);
    copies().forEach(host.spawner()::discard);
    host.layers().sweep();
    host.templates().sweep();
    host.ahead().start();
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
    thaw(found);
    return host.connect(found.name(), found.pid(), GREETING)
        .map(agent -> take(id, new Guest(found.name(), agent)))
        .onFailure()
        .recoverWithItem(
            failure -> {
              LOG.warn("{} does not answer: {}", id, failure.getMessage());
              return List.of();
            });
  }

  /** A spawner that was killed while it made a snapshot left the sandbox standing still. */
  private void thaw(Found found) {
    try {
      host.spawner().freeze(found.name(), false);
    } catch (SpawnerException e) {
      LOG.warn("{} may be frozen", found.id(), e);
    }
  }

  private List<Sandbox> take(String id, Guest guest) {
    SandboxSpec spec = known.get(id);
    if (guest.agent().isSetUp() && spec != null) {
      host.layers().hold(id, spec.layers());
      return List.of(new ContainerSandbox(new Assembly(host, spec), guest));
    }
    LOG.warn("{} was never finished", id);
    guest.agent().close();
    return List.of();
  }

  /**
   * Something that is to be removed.
   *
   * @param name of its cgroups
   * @param id of the sandbox that it was, or was to be
   */
  private record Leftover(String name, String id) {}

  /** What is in no record or does not answer, blanks made ahead among them, and what was written by what is gone. */
  private List<Leftover> leftovers(List<Found> found, List<Sandbox> adopted) {
    Set<String> kept = new HashSet<>();
    Set<String> names = new HashSet<>();
    adopted.forEach(
        sandbox -> {
          kept.add(sandbox.id());
          names.add(((ContainerSandbox) sandbox).name());
        });
    Set<String> ids = new HashSet<>(kept);
    List<Leftover> leftovers = new ArrayList<>();
    for (Found one : found) {
      ids.add(one.id());
      if (!names.contains(one.name())) {
        leftovers.add(new Leftover(one.name(), one.id()));
      }
    }
    uppers().stream()
        .filter(id -> !ids.contains(id))
        .forEach(id -> leftovers.add(new Leftover(id, id)));
    leftovers.replaceAll(one -> kept.contains(one.id()) ? new Leftover(one.name(), "") : one);
    return leftovers;
  }

  /** Copies for snapshots that nobody waits for any more. */
  private Set<String> copies() {
    Set<String> names = new HashSet<>();
    Path staging = host.staging("");
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(staging)) {
      entries.forEach(
          entry -> names.add(entry.getFileName().toString().replaceFirst("[.]list$", "")));
    } catch (NoSuchFileException e) {
      LOG.debug("{} was never made", staging, e);
    } catch (IOException e) {
      LOG.warn("copies in {} are not seen", staging, e);
    }
    return names;
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

  /** Removes a few at a time; what takes long goes on behind the node's back. */
  private void remove(List<Leftover> leftovers) {
    CountDownLatch done = new CountDownLatch(leftovers.size());
    Semaphore turns = new Semaphore(REMOVALS_AT_A_TIME);
    for (Leftover one : leftovers) {
      host.run(
          () -> {
            turns.acquireUninterruptibly();
            remove(one);
            turns.release();
            done.countDown();
          });
    }
    try {
      if (!done.await(REMOVAL_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("{} leftovers are still being removed", done.getCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void remove(Leftover one) {
    try {
      host.spawner().destroy(one.name(), one.id().isEmpty() ? "" : Host.upper(one.id()));
    } catch (SpawnerException e) {
      LOG.error("{} could not be removed", one.name(), e);
    }
  }
}
