// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.store.Database;
import dev.sandgate.spi.Usage;
import java.util.Optional;

/** Is told what becomes of sandboxes; called on virtual threads. */
public interface SandboxListener {

  /** A sandbox was made and takes commands. */
  default void started(LiveSandbox sandbox) {}

  /** A sandbox survived a restart of the node, before any request reaches it. */
  void adopted(LiveSandbox sandbox);

  /**
   * A sandbox is about to be removed or reset, or is gone.
   *
   * @param killReason what its commands' results say: SANDBOX_DELETED, SANDBOX_LOST or SANDBOX_RESET
   */
  void ending(LiveSandbox sandbox, String killReason);

  /**
   * A sandbox was reset: it goes on, but nothing more comes from what ran in it. No request reaches it meanwhile.
   *
   * @param used until then, since the reset before; empty if that is not known
   */
  void reset(LiveSandbox sandbox, Optional<Usage> used);

  /** A sandbox ended and nothing more can come from it; told twice when that is known before its remains are removed. */
  void ended(LiveSandbox sandbox);

  /** An ended sandbox has left nothing on the host, or what it left could not be removed yet; told once. */
  default void removed(LiveSandbox sandbox) {}

  /** An ended sandbox's record is dropped. */
  void forgotten(LiveSandbox sandbox);

  /** What is recorded when an ended sandbox's record is dropped, in one transaction. */
  default Database.Change dropping(LiveSandbox sandbox) {
    return _ -> {};
  }
}
