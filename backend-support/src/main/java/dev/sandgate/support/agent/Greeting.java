// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Channel 0: the greeting, the set-up and the answers to probes. Event loop only. */
final class Greeting extends Exchange {

  private static final int VERSION = 1;
  private static final int MORE_FOLLOWS = 1;
  private static final int SETUP_DONE = 4;

  private final Link link;
  private final Consumer<Greeting> welcomed;
  private final Set<String> execs = new LinkedHashSet<>();
  private @Nullable UniEmitter<? super Void> settingUp;
  private boolean done;
  private boolean greeted;

  Greeting(Link link, Consumer<Greeting> welcomed) {
    this.link = link;
    this.welcomed = welcomed;
  }

  void hello() {
    link.openControl(this);
    link.send(FrameType.HELLO, 0, 0, f -> f.u32(VERSION));
  }

  /** Ids of the execs that the guest knew when it was greeted. */
  Set<String> execs() {
    return execs;
  }

  /** Whether the guest was set up before. */
  boolean setUp() {
    return done;
  }

  void setUp(AgentSetup setup, UniEmitter<? super Void> emitter) {
    link.requireAlive();
    if (settingUp != null) {
      throw SendWindow.precondition("the guest is being set up already");
    }
    link.send(
        FrameType.SETUP,
        0,
        0,
        f ->
            f.str(setup.hostname())
                .str(setup.user())
                .list(ExecOpening.assignments(setup.env()))
                .u32(setup.openFiles()));
    settingUp = emitter;
  }

  @Override
  void onFrame(Frame frame) {
    switch (frame.type()) {
      case FrameType.WELCOME -> welcome(frame.fields(), (frame.flags() & MORE_FOLLOWS) != 0);
      case FrameType.PONG -> frame.fields().u64();
      case FrameType.OK -> finish(null);
      case FrameType.FAIL -> finish(GuestFailure.of(frame).toException(Operation.EXEC, "set-up"));
      default -> throw new MalformedFrameException("frame type " + frame.type() + " on channel 0");
    }
  }

  private void welcome(FieldReader fields, boolean more) {
    long version = fields.u32();
    if (version != VERSION || greeted) {
      throw new MalformedFrameException("the agent speaks version " + version + ", not " + VERSION);
    }
    fields.u64();
    done = (fields.u32() & SETUP_DONE) != 0;
    execs.addAll(fields.list());
    fields.end();
    if (!more) {
      greeted = true;
      welcomed.accept(this);
    }
  }

  private void finish(@Nullable SandgateException cause) {
    UniEmitter<? super Void> emitter = settingUp;
    settingUp = null;
    if (emitter != null && cause != null) {
      emitter.fail(cause);
    } else if (emitter != null) {
      done = true;
      emitter.complete(null);
    }
  }

  @Override
  void onLost(SandgateException reason) {
    UniEmitter<? super Void> emitter = settingUp;
    settingUp = null;
    if (emitter != null) {
      emitter.fail(reason);
    }
  }
}
