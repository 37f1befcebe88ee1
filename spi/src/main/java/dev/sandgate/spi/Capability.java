// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/** What a backend's sandboxes can do beyond running a command; declared by {@link Backend#capabilities}. */
public enum Capability {
  /** {@link ExecSpec#terminal()} is honoured. */
  TERMINAL,
  /** {@link Sandbox#files()} works. */
  FILES,
  /** {@link Files#archive} and {@link Files#extract} work. */
  ARCHIVES,
  /** {@link Files#watch} works. */
  WATCH,
  /** {@link Sandbox#changes} works. */
  CHANGES,
  /** {@link Sandbox#connect} reaches a TCP port inside. */
  CONNECT,
  /** {@link SandboxSpec#layers()} is the root file system, stacked. */
  LAYERS,
  /** A {@link Layer} may have a {@link Layer#map}: sandboxes start before its data is here. */
  PARTIAL_LAYERS,
  /** {@link ResourceLimits} are enforced. */
  LIMITS,
  /** {@link SandboxSpec#qosClass()} ranks CPU time: best-effort sandboxes run on what the others leave. */
  CLASSES,
  /** {@link Backend#adopt} can take back living sandboxes. */
  ADOPT,
  /** {@link Sandbox#pause}, {@link Sandbox#reclaim} and {@link Sandbox#resume} work. */
  PAUSE,
  /** {@link Sandbox#snapshot} keeps the files that were written. */
  DISK_SNAPSHOT,
  /** {@link Sandbox#snapshot} keeps processes and memory too. */
  MEMORY_SNAPSHOT,
  /** {@link Sandbox#reset} returns to the environment's state in place. */
  RESET,
  /** {@link Sandbox#openSession} and {@link Sandbox#runInSession} work. */
  SESSIONS,
  /** {@link Backend#functions} works. */
  FUNCTIONS,
  /** A GPU can be attached. */
  GPU
}
