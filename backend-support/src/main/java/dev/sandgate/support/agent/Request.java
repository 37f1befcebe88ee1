// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.wire.FieldWriter;
import dev.sandgate.support.wire.MalformedFrameException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A question with one answer: one frame there, at most one item and the end back. */
final class Request<T extends @Nullable Object> extends Exchange {

  /**
   * What is asked.
   *
   * @param operation decides what error numbers mean
   * @param subject what messages name
   * @param type the frame's
   * @param flags the frame's
   * @param fields the frame's
   */
  record Question(
      Operation operation, String subject, int type, int flags, Consumer<FieldWriter> fields) {}

  private final Link link;
  private final Question question;
  private final Function<Frame, T> answer;
  private final UniEmitter<? super T> emitter;
  private @Nullable T item;
  private boolean settled;

  private Request(
      Link link, Question question, Function<Frame, T> answer, UniEmitter<? super T> emitter) {
    this.link = link;
    this.question = question;
    this.answer = answer;
    this.emitter = emitter;
  }

  /** Asks something that is answered by OK. */
  static Uni<Void> run(Link link, Question question) {
    return ask(
        link,
        question,
        frame -> {
          throw new MalformedFrameException("frame type " + frame.type() + " instead of OK");
        });
  }

  /** Asks something that is answered by an item, made from its frame, and OK unless the item says all. */
  static <T extends @Nullable Object> Uni<T> ask(
      Link link, Question question, Function<Frame, T> answer) {
    return link.uni(emitter -> new Request<T>(link, question, answer, emitter).open());
  }

  private void open() {
    link.open(this, question.type(), question.flags(), question.fields());
    if (question.operation() == Operation.FILE) {
      emitter.onTermination(() -> link.execute(this::abandon));
    }
  }

  private void abandon() {
    if (!settled) {
      settled = true;
      link.send(FrameType.CANCEL, 0, channel, f -> {});
      link.forget(this);
    }
  }

  @Override
  void onFrame(Frame frame) {
    switch (frame.type()) {
      case FrameType.OK -> complete(frame);
      case FrameType.FAIL ->
          fail(GuestFailure.of(frame).toException(question.operation(), question.subject()));
      case FrameType.STATS_INFO -> {
        item = answer.apply(frame);
        end();
      }
      default -> item = answer.apply(frame);
    }
  }

  private void complete(Frame frame) {
    frame.fields().end();
    end();
  }

  private void end() {
    settled = true;
    link.forget(this);
    emitter.complete(item);
  }

  private void fail(SandgateException cause) {
    settled = true;
    link.forget(this);
    emitter.fail(cause);
  }

  @Override
  void onLost(SandgateException reason) {
    fail(reason);
  }
}
