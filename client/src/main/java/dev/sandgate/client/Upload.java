// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.client.rpc.RpcCall;
import io.vertx.core.AsyncResult;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Sends what a publisher gives, keeping a bounded number of messages on their way to the transport. */
final class Upload<Q> implements Flow.Subscriber<Q> {

  private static final int WINDOW = 16;

  private final RpcCall<Q, ?> call;
  private Flow.@Nullable Subscription subscription;

  Upload(RpcCall<Q, ?> call) {
    this.call = call;
  }

  @Override
  public void onSubscribe(Flow.Subscription upstream) {
    subscription = upstream;
    upstream.request(WINDOW);
  }

  @Override
  public void onNext(Q message) {
    call.write(message).onComplete(this::written);
  }

  private void written(AsyncResult<Void> result) {
    Flow.Subscription upstream = Objects.requireNonNull(subscription);
    if (result.succeeded()) {
      upstream.request(1);
    } else {
      upstream.cancel();
    }
  }

  @Override
  public void onError(Throwable failure) {
    call.abort(failure);
  }

  @Override
  public void onComplete() {
    call.end();
  }
}
