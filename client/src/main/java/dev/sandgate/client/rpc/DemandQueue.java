// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Passes what calls bring to one subscriber as it asks for it. At most one message beyond the demand is fetched, since the
 * end of a call arrives only behind a fetch; the rest waits at the sender. State is touched on one lane's event loop.
 *
 * @param <T> the type of the items
 */
public final class DemandQueue<T> implements Flow.Publisher<T>, Flow.Subscription {

  private final RpcLane lane;
  private final Runnable fetchOne;
  private final Runnable cancelled;
  private final ArrayDeque<T> waiting = new ArrayDeque<>();
  private Flow.@Nullable Subscriber<? super T> subscriber;
  private long demand;
  private boolean fetching;
  private boolean draining;
  private boolean ended;
  private boolean finished;
  private @Nullable Throwable failure;

  /**
   * Makes an empty queue.
   *
   * @param lane on whose event loop it lives
   * @param fetchOne asks the current call for one more message
   * @param cancelled called once when the subscriber gives up
   */
  public DemandQueue(RpcLane lane, Runnable fetchOne, Runnable cancelled) {
    this.lane = lane;
    this.fetchOne = fetchOne;
    this.cancelled = cancelled;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> newcomer) {
    lane.execute(() -> accept(newcomer));
  }

  private void accept(Flow.Subscriber<? super T> newcomer) {
    if (subscriber == null) {
      subscriber = newcomer;
      newcomer.onSubscribe(this);
      drain();
    } else {
      newcomer.onSubscribe(new Refused());
      newcomer.onError(new IllegalStateException("this stream has one subscriber already"));
    }
  }

  /** A call was opened: asks it for its first message. On the event loop. */
  public void opened() {
    fetching = true;
    fetchOne.run();
  }

  /**
   * A message came and brought these items, perhaps none. On the event loop.
   *
   * @param items in order
   */
  public void received(List<? extends T> items) {
    fetching = false;
    waiting.addAll(items);
    drain();
  }

  /**
   * Nothing follows. On the event loop; later ends are ignored.
   *
   * @param reason why it failed, or null when it is complete
   */
  public void end(@Nullable Throwable reason) {
    if (!ended) {
      ended = true;
      failure = reason;
      drain();
    }
  }

  @Override
  public void request(long count) {
    lane.execute(() -> add(count));
  }

  private void add(long count) {
    if (count <= 0) {
      end(new IllegalArgumentException("demand must be positive"));
    }
    demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
    drain();
  }

  @Override
  public void cancel() {
    lane.execute(
        () -> {
          if (!finished) {
            finished = true;
            waiting.clear();
            cancelled.run();
          }
        });
  }

  private void drain() {
    if (!draining) {
      draining = true;
      deliver();
      draining = false;
    }
  }

  private void deliver() {
    Flow.Subscriber<? super T> listener = subscriber;
    while (listener != null && !finished && demand > 0 && !waiting.isEmpty()) {
      demand--;
      T next = waiting.remove();
      fetchNext();
      listener.onNext(next);
    }
    if (!finished && waiting.isEmpty()) {
      fetchNext();
      finish(listener);
    }
  }

  private void fetchNext() {
    if (waiting.isEmpty() && !fetching && !ended) {
      fetching = true;
      fetchOne.run();
    }
  }

  private void finish(Flow.@Nullable Subscriber<? super T> listener) {
    if (ended && listener != null) {
      finished = true;
      if (failure == null) {
        listener.onComplete();
      } else {
        listener.onError(failure);
      }
    }
  }

  /** What a second subscriber gets. */
  private static final class Refused implements Flow.Subscription {

    @Override
    public void request(long count) {}

    @Override
    public void cancel() {}
  }
}
