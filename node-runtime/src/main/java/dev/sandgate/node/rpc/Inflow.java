// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import com.google.protobuf.MessageLite;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import java.util.concurrent.Flow.Publisher;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;

/**
 * A call's request messages as a stream with demand: nothing is read from the caller that nobody asked for.
 * One subscriber. Fails with CANCELLED when the call is over before its messages ended.
 *
 * @param <Q> requests
 */
public final class Inflow<Q extends MessageLite> implements Publisher<Q> {

  private final Call<Q, ?> call;
  private volatile boolean done;

  private Inflow(Call<Q, ?> call) {
    this.call = call;
  }

  /** The messages from here on; the call must be paused. */
  public static <Q extends MessageLite> Multi<Q> of(Call<Q, ?> call) {
    return Multi.createFrom().publisher(new Inflow<>(call));
  }

  @Override
  public void subscribe(Subscriber<? super Q> given) {
    call.execute(() -> begin(given));
  }

  private void begin(Subscriber<? super Q> given) {
    given.onSubscribe(new Demand());
    call.onMessage(
        message -> {
          if (!done) {
            given.onNext(message);
          }
        });
    call.onEnd(
        () -> {
          if (!done) {
            done = true;
            given.onComplete();
          }
        });
    call.onClose(
        () -> {
          if (!done) {
            done = true;
            given.onError(new SandgateException(ErrorCode.CANCELLED, "the caller gave up"));
          }
        });
  }

  private final class Demand implements Subscription {
    @Override
    public void request(long count) {
      call.execute(
          () -> {
            if (!done) {
              call.fetch(count);
            }
          });
    }

    @Override
    public void cancel() {
      done = true; // at once: what closes the call may come before the next turn
    }
  }
}
