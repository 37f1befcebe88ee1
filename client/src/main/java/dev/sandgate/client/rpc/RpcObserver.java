// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Hears what a call brings. Called on the event loop of the call's lane, one at a time.
 *
 * @param <R> the type of the answers
 */
public interface RpcObserver<R> {

  /**
   * An answer, only after {@link RpcCall#fetch} asked for it.
   *
   * @param message the answer
   */
  void message(R message);

  /**
   * The end; nothing follows.
   *
   * @param failure why it failed, or null when the status was OK
   */
  void end(@Nullable RpcFailure failure);
}
