// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.rpc.Failures;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a stream, one by one, for one thread that may wait; a few are asked for ahead. Only its waiting counts against the
 * sender, however long it is busy in between.
 *
 * @param <T> messages
 */
final class ArrivingMessages<T> implements Subscriber<T> {

  private final LinkedBlockingQueue<Object> events = new LinkedBlockingQueue<>();
  private final int ahead;
  private final Duration stall;
  private volatile @Nullable Subscription source;

  private record End() {}

  ArrivingMessages(int ahead, Duration stall) {
    this.ahead = ahead;
    this.stall = stall;
  }

  /** The next one, or none at the end; DEADLINE_EXCEEDED when nothing comes for too long. */
  @SuppressWarnings("unchecked") // only messages and the two kinds of ends are put into the queue
  Optional<T> next() {
    return switch (event()) {
      case End end -> {
        events.add(end);
        yield Optional.empty();
      }
      case Throwable failure -> throw Failures.known(failure);
      case Object message -> {
        Subscription from = source;
        if (from != null) {
          from.request(1);
        }
        yield Optional.of((T) message);
      }
    };
  }

  private Object event() {
    try {
      Object event = events.poll(stall.toMillis(), TimeUnit.MILLISECONDS);
      if (event == null) {
        throw Stall.ended("the caller sent nothing", stall);
      }
      return event;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    }
  }

  /** Nothing more is wanted. */
  void cancel() {
    Subscription from = source;
    if (from != null) {
      from.cancel();
    }
  }

  @Override
  public void onSubscribe(Subscription given) {
    source = given;
    given.request(ahead);
  }

  @Override
  public void onNext(T message) {
    events.add(message);
  }

  @Override
  public void onError(Throwable failure) {
    events.add(failure);
  }

  @Override
  public void onComplete() {
    events.add(new End());
  }
}
