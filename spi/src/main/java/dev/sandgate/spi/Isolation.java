// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/** How strongly a sandbox is kept apart from its host, weakest first. */
public enum Isolation {
  /** Ordinary processes; no protection from the code that runs. */
  PROCESS,
  /** Kernel namespaces, cgroups and seccomp on the host's own kernel. */
  CONTAINER,
  /** A kernel of its own behind a virtual machine monitor. */
  VM
}
