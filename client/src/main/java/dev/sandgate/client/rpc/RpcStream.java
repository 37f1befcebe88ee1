// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import io.vertx.grpc.common.ServiceMethod;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The answers of one call as a Flow publisher for one subscriber: its demand is the call's. The call is opened on
 * subscription and reset on cancellation.
 *
 * @param <Q> the type of the requests
 * @param <R> the type of the answers
 */
public final class RpcStream<Q, R> implements Flow.Publisher<R>, RpcObserver<R> {

  private final RpcLane lane;
  private final ServiceMethod<R, Q> method;
  private final Requests<Q, R> requests;
  private final DemandQueue<R> answers;
  private @Nullable RpcCall<Q, R> call;

  /**
   * Sends the requests of a call.
   *
   * @param <Q> the type of the requests
   * @param <R> the type of the answers
   */
  public interface Requests<Q, R> {

    /**
     * Called once, when the call is opened; it sends every request and the end.
     *
     * @param call where to send them
     */
    void send(RpcCall<Q, R> call);
  }

  /**
   * Describes a call.
   *
   * @param lane where to make it
   * @param method what to call
   * @param requests sends the requests
   */
  public RpcStream(RpcLane lane, ServiceMethod<R, Q> method, Requests<Q, R> requests) {
    this.lane = lane;
    this.method = method;
    this.requests = requests;
    this.answers = new DemandQueue<>(lane, this::fetchOne, this::giveUp);
  }

  @Override
  public void subscribe(Flow.Subscriber<? super R> subscriber) {
    lane.execute(
        () -> {
          if (call == null) {
            RpcCall<Q, R> opened = lane.call(method, this);
            call = opened;
            requests.send(opened);
            answers.opened();
          }
          answers.subscribe(subscriber);
        });
  }

  private void fetchOne() {
    if (call != null) {
      call.fetch(1);
    }
  }

  private void giveUp() {
    if (call != null) {
      call.cancel();
    }
  }

  @Override
  public void message(R message) {
    answers.received(List.of(message));
  }

  @Override
  public void end(@Nullable RpcFailure failure) {
    answers.end(failure);
  }
}
