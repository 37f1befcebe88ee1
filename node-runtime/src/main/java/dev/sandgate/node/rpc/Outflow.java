// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import com.google.protobuf.MessageLite;
import io.smallrye.mutiny.Multi;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends a stream of items as a call's answers, asking for more only while the caller keeps up. Every item
 * takes the way through the event loop's queue, also one that is emitted there, so that none overtakes.
 *
 * @param <T> items
 * @param <A> answers
 */
public final class Outflow<T, A extends MessageLite> implements Subscriber<T> {

  private static final int AHEAD = 4;

  private final Call<?, A> call;
  private final Function<T, A> answer;
  private final Runnable end;
  private @Nullable Subscription subscription;
  private int asked;

  private Outflow(Call<?, A> call, Function<T, A> answer, Runnable end) {
    this.call = call;
    this.answer = answer;
    this.end = end;
  }

  /**
   * Sends all items; on the call's event loop.
   *
   * @param end what to do when the items end
   */
  public static <T, A extends MessageLite> void send(
      Multi<T> items, Call<?, A> call, Function<T, A> answer, Runnable end) {
    Outflow<T, A> flow = new Outflow<>(call, answer, end);
    call.onDrain(flow::ask);
    items.subscribe().withSubscriber(flow);
  }

  @Override
  public void onSubscribe(Subscription given) {
    call.later(
        () -> {
          subscription = given;
          call.onClose(given::cancel);
          ask();
        });
  }

  @Override
  public void onNext(T item) {
    call.later(
        () -> {
          asked--;
          call.send(answer.apply(item));
          ask();
        });
  }

  @Override
  public void onError(Throwable failure) {
    call.later(() -> call.fail(failure));
  }

  @Override
  public void onComplete() {
    call.later(end);
  }

  private void ask() {
    Subscription source = subscription;
    int more = AHEAD - asked;
    if (source != null && more > 0 && call.writable()) {
      asked += more;
      source.request(more);
    }
  }
}
