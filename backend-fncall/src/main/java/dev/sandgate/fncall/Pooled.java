// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

/** What a pool keeps; the methods block and do not fail. */
interface Pooled {

  /** Whether it can serve a call. */
  boolean isAlive();

  /** Whether nothing of its last call is left, so that another one may follow. */
  boolean isClean();

  /** Takes it away; idempotent. */
  void destroy();
}
