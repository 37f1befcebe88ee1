// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.load.chaos.proxy.FaultyProxy;
import dev.sandgate.load.chaos.proxy.Shape;
import dev.sandgate.load.chaos.proxy.Way;
import dev.sandgate.load.chaos.seed.Fault;
import dev.sandgate.load.chaos.seed.Schedule.Step;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/** Does to a site what a schedule says. Blocks; used on one thread, with which the site's processes die. */
final class Nemesis {

  private static final Duration UNTIL_FAULT_POINT = Duration.ofSeconds(8);
  private static final int LEAST_LIVING = 2;

  private final Site site;
  private final Boxes boxes;
  private final Timeline timeline;
  private final Tally tally;
  private final Random random;

  Nemesis(Site site, Boxes boxes, Timeline timeline, Tally tally, long seed) {
    this.site = site;
    this.boxes = boxes;
    this.timeline = timeline;
    this.tally = tally;
    this.random = new Random(seed);
  }

  /** Does one thing; processes run again when it returns. */
  void strike(Step step) throws IOException, InterruptedException {
    tally.add("fault_" + step.fault().name().toLowerCase(Locale.ROOT));
    switch (step.fault()) {
      case CUT, CUT_INSIDE, CLOSE, HALF_OPEN, DEAF_UP, DEAF_DOWN -> connections(step);
      case STALL, DELAY, THROTTLE, PIECES, REFUSE -> weather(step);
      case KILL_GATEWAY -> killGateway();
      case STOP_GATEWAY -> standStill(site.gateway(), step.length());
      case KILL_NODE -> killNode();
      case STOP_NODE -> standStill(site.node(), step.length());
      case AFTER_INTENT, AFTER_SPAWN, AFTER_EXIT, AFTER_RESULT -> killNodeAt(step.fault());
      case KILL_AGENT -> killAgent();
    }
  }

  private FaultyProxy proxy(Step step) {
    return switch (step.target()) {
      case CLIENTS -> site.beforeGateway();
      case NODE -> site.beforeNode();
    };
  }

  private void connections(Step step) {
    FaultyProxy proxy = proxy(step);
    IntPredicate which = index -> index % step.every() == 0;
    int struck =
        switch (step.fault()) {
          case CUT -> proxy.cut(which, Way.BOTH, 0);
          case CUT_INSIDE -> proxy.cut(which, Way.BOTH, step.amount());
          case CLOSE -> proxy.finish(which);
          case HALF_OPEN -> proxy.swallow(which, Way.BOTH);
          case DEAF_UP -> proxy.swallow(which, Way.UP);
          case DEAF_DOWN -> proxy.swallow(which, Way.DOWN);
          default -> throw new IllegalArgumentException(step.toString());
        };
    tally.add("connections_struck", struck);
    timeline.wholeAfter(Duration.ZERO);
  }

  private void weather(Step step) {
    FaultyProxy proxy = proxy(step);
    Shape shape =
        switch (step.fault()) {
          case STALL -> Shape.standing();
          case DELAY -> Shape.delayed(step.amount());
          case THROTTLE -> Shape.throttled(step.amount());
          case PIECES -> Shape.inPieces(step.amount());
          case REFUSE -> Shape.closed();
          default -> throw new IllegalArgumentException(step.toString());
        };
    proxy.shape(shape, step.length());
    if (step.fault() == Fault.REFUSE) {
      tally.add("connections_struck", proxy.cut(_ -> true, Way.BOTH, 0));
    }
    timeline.wholeAfter(step.length());
  }

  private void killGateway() throws IOException, InterruptedException {
    site.gateway().kill();
    site.gateway().start();
    timeline.wholeAfter(Duration.ZERO);
  }

  private void killNode() throws IOException, InterruptedException {
    timeline.died();
    site.node().kill();
    site.node().start();
    timeline.wholeAfter(Duration.ZERO);
  }

  private void killNodeAt(Fault fault) throws IOException, InterruptedException {
    timeline.died();
    site.node().kill();
    String armed = "-Ddev.sandgate.fault=" + fault.word();
    boolean died = !startsArmed(armed) || site.node().ended(UNTIL_FAULT_POINT);
    timeline.died();
    if (died) {
      tally.add("fault_points_reached");
    } else {
      site.node().kill();
    }
    site.node().start();
    timeline.wholeAfter(Duration.ZERO);
  }

  // It may reach the point while it takes commands back, before it listens.
  private boolean startsArmed(String armed) throws IOException, InterruptedException {
    try {
      site.node().start(armed);
      return true;
    } catch (IOException e) {
      if (site.node().ended(Duration.ZERO)) {
        return false;
      }
      throw e;
    }
  }

  private static void standStill(ServerProcess process, Duration length)
      throws IOException, InterruptedException {
    process.signal("STOP");
    try {
      LockSupport.parkNanos(length.toNanos());
    } finally {
      process.signal("CONT");
    }
  }

  private void killAgent() throws IOException {
    if (boxes.living() < LEAST_LIVING) {
      tally.add("agents_spared");
      return;
    }
    Boxes.Held box = boxes.any(random);
    box.strike();
    if (!Agents.kill(site.scratch(), box.id())) {
      throw new IOException("no agent of " + box.id() + " was found");
    }
    timeline.wholeAfter(Duration.ZERO);
  }

  /** Lets everything pass again. */
  void heal() {
    site.beforeGateway().clear();
    site.beforeNode().clear();
    timeline.wholeAfter(Duration.ZERO);
  }

  /** Waits as long as a step wants to be waited for. */
  static void pause(Step step) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(step.pause().toMillis()));
  }
}
