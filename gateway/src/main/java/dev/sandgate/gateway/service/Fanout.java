// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import io.vertx.core.Future;
import java.util.function.IntFunction;

/**
 * Many pieces of work for one call: a bounded number at a time, each item sent as it is ready. Event loop of the call only.
 *
 * @param <I> the items
 */
final class Fanout<I> {

  private final Call<?, I> call;
  private final int count;
  private final int atOnce;
  private final IntFunction<Future<I>> work;
  private int begun;
  private int ended;
  private int sent;
  private boolean launching;

  /**
   * Not begun yet.
   *
   * @param call gets the items
   * @param count how many, at least 1
   * @param atOnce at most so many that are not sent
   * @param work gives the item with an index from 0; never fails
   */
  Fanout(Call<?, I> call, int count, int atOnce, IntFunction<Future<I>> work) {
    this.call = call;
    this.count = count;
    this.atOnce = atOnce;
    this.work = work;
  }

  /** Begins what may be begun. Not recursive: an item may be ready while it is being launched. */
  void launch() {
    if (launching) {
      return;
    }
    launching = true;
    try {
      while (begun < count && begun - sent < atOnce && !call.closed()) {
        work.apply(begun++).onSuccess(item -> call.execute(() -> done(item)));
      }
    } finally {
      launching = false;
    }
  }

  private void done(I item) {
    ended++;
    if (ended == count) {
      call.finish(item);
    } else {
      call.send(item).onComplete(_ -> call.execute(this::sent));
    }
  }

  // What the caller does not read keeps its place, so that no more is begun than is read.
  private void sent() {
    sent++;
    launch();
  }
}
