// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import java.util.concurrent.CompletableFuture;

/** Where the node writes what it is about to do with a command, and what came of it. */
interface Journal {

  /** A command is about to be started. */
  void intent(ExecRecord record);

  /** A command could not be started: nothing ran. */
  void notStarted(ExecRecord record);

  /** A command ended; completes when its result survives a crash of the node. */
  CompletableFuture<Void> result(ExecRecord record);

  /** A record is dropped. */
  void forget(ExecRecord record);
}
