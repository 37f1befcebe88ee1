// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

/** Is told what becomes of sandboxes; called on virtual threads. */
public interface SandboxListener {

  /** A sandbox survived a restart of the node, before any request reaches it. */
  void adopted(LiveSandbox sandbox);

  /**
   * A sandbox is about to be removed or reset, or is gone.
   *
   * @param killReason what its commands' results say: SANDBOX_DELETED, SANDBOX_LOST or SANDBOX_RESET
   */
  void ending(LiveSandbox sandbox, String killReason);

  /** A sandbox was reset: it goes on, but nothing more comes from what ran in it. No request reaches it meanwhile. */
  void reset(LiveSandbox sandbox);

  /** A sandbox ended and nothing more can come from it. */
  void ended(LiveSandbox sandbox);

  /** An ended sandbox's record is dropped. */
  void forgotten(LiveSandbox sandbox);
}
