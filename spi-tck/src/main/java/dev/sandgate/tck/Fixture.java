// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * The backend under test, opened as a node does it, with one sandbox that most cases share and others that
 * are destroyed after their case.
 */
final class Fixture {

  private static final AtomicInteger SANDBOXES = new AtomicInteger();

  private final Subject subject;
  private final BackendContext context;
  private final List<Sandbox> fresh = new ArrayList<>();
  private SandboxSpec sharedSpec;
  private Backend backend;
  private @Nullable Sandbox shared;
  private String scratch = "";
  private int quietProcesses;

  Fixture(Subject subject, Path stateDirectory) {
    this.subject = subject;
    this.context = new BackendContext(LeakCheck.NODE, stateDirectory, subject.settings());
    this.backend = subject.provider().get().open(context);
    this.sharedSpec = newSpec();
    Probe probe = backend.probe();
    assertTrue(probe.available(), () -> "the backend cannot run here: " + probe.reason());
    Waiting.on(backend.adopt(List.of()));
  }

  Backend backend() {
    return backend;
  }

  Subject subject() {
    return subject;
  }

  boolean has(Capability capability) {
    return backend.capabilities().contains(capability);
  }

  void assumeHas(Capability capability) {
    Assumptions.assumeTrue(has(capability), () -> capability + " is not declared");
  }

  /** A new directory on the file system of the backend's state; who asks removes it. */
  Path directory() {
    try {
      return Files.createTempDirectory(
          context.stateDirectory().toAbsolutePath().getParent(), "tck");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean plainProcesses() {
    return backend.isolation() == Isolation.PROCESS;
  }

  SandboxSpec newSpec() {
    return subject.spec().apply("sb-" + LeakCheck.NODE + "-" + SANDBOXES.incrementAndGet());
  }

  /** The sandbox that cases share: they leave no process in it. */
  Sandbox shared() {
    Sandbox present = shared;
    if (present == null) {
      present = Waiting.on(backend.create(sharedSpec));
      shared = present;
      quietProcesses = Waiting.on(present.usage()).processes();
    }
    return present;
  }

  SandboxSpec sharedSpec() {
    return sharedSpec;
  }

  /** A sandbox of the case's own, destroyed after it. */
  Sandbox fresh() {
    return fresh(newSpec());
  }

  Sandbox fresh(SandboxSpec spec) {
    return owned(Waiting.on(backend.create(spec)));
  }

  Sandbox owned(Sandbox sandbox) {
    fresh.add(sandbox);
    return sandbox;
  }

  /** A directory in the shared sandbox that commands and files may write. */
  String scratch() {
    if (scratch.isEmpty()) {
      String known = subject.tools().scratch();
      scratch = known.isEmpty() ? run(Command.of("pwd")).line() : known;
    }
    return scratch;
  }

  Running start(Command command) {
    return start(shared(), command);
  }

  static Running start(Sandbox sandbox, Command command) {
    return start(sandbox, command, Long.MAX_VALUE);
  }

  static Running start(Sandbox sandbox, Command command, long demand) {
    Exec exec = Waiting.on(sandbox.exec(command.spec()));
    Recorder events = new Recorder(demand, OutputOffsets.START);
    exec.events().subscribe(events);
    return new Running(exec, events);
  }

  Result run(Command command) {
    return start(command).result();
  }

  Result sh(String script) {
    return run(Command.sh(script));
  }

  static Result run(Sandbox sandbox, Command command) {
    return start(sandbox, command).result();
  }

  /** Waits until the shared sandbox has no more processes than at its beginning. */
  void awaitQuiet() {
    awaitProcesses(shared(), quietProcesses);
  }

  static void awaitProcesses(Sandbox sandbox, int most) {
    Eventually.value(
        "at most " + most + " processes in " + sandbox.id(),
        () -> Waiting.on(sandbox.usage()).processes(),
        count -> count <= most);
  }

  /** Closes the backend as a stopping node does and opens it again, telling it what was alive. */
  List<Sandbox> restart(List<SandboxSpec> known) {
    backend.close();
    fresh.clear();
    backend = subject.provider().get().open(context);
    shared = null;
    List<Sandbox> alive = Waiting.on(backend.adopt(known));
    for (Sandbox sandbox : alive) {
      if (sandbox.id().equals(sharedSpec.id())) {
        shared = sandbox;
      }
    }
    return alive;
  }

  /** What must hold after every case. */
  void afterCase() {
    List<Sandbox> done = List.copyOf(fresh);
    fresh.clear();
    done.forEach(sandbox -> Waiting.on(sandbox.destroy()));
    if (shared != null) {
      try {
        awaitQuiet();
      } catch (AssertionError | RuntimeException e) {
        replaceShared();
        throw e;
      }
    }
  }

  /** A case harmed the shared sandbox: the next ones get a new one. */
  private void replaceShared() {
    Sandbox harmed = shared;
    shared = null;
    sharedSpec = newSpec();
    scratch = "";
    if (harmed != null) {
      Waiting.on(harmed.destroy());
    }
  }

  void close() {
    try {
      if (shared != null) {
        Waiting.on(shared.destroy());
      }
    } finally {
      backend.close();
    }
  }
}
