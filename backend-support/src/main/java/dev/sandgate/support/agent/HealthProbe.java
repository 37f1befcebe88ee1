// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

/** Asks the agent for a sign of life and gives the link up when none comes. Event loop only. */
final class HealthProbe {

  private static final int IDLE_FACTOR = 4;
  private static final int MOST_EXCUSES = 40;

  private final Link link;
  private final AgentTuning tuning;
  private final GuestView view;
  private boolean asked;
  private int missed;
  private int excused;
  private int idle;
  private long token;

  HealthProbe(Link link, AgentTuning tuning, GuestView view) {
    this.link = link;
    this.tuning = tuning;
    this.view = view;
  }

  void start() {
    link.schedule(this::tick, tuning.probeInterval().toMillis());
  }

  private void tick() {
    if (link.isLost()) {
      return;
    }
    if (link.standsStill()) {
      forgive();
    } else {
      judge();
      ask();
    }
    start();
  }

  private void judge() {
    if (link.heardSinceLastAsked()) {
      forgive();
    } else if (asked && !excuse() && ++missed >= tuning.probeMisses()) {
      link.close("the agent did not answer for " + missed + " x " + tuning.probeInterval());
    }
  }

  private void forgive() {
    asked = false;
    missed = 0;
    excused = 0;
  }

  /** An agent that waits for a CPU or in the kernel is slow, not lost; but one that never answers is. */
  private boolean excuse() {
    return excused < MOST_EXCUSES && view.cannotAnswer() && ++excused > 0;
  }

  private void ask() {
    idle = link.busy() ? 0 : idle + 1;
    if (!asked && idle % IDLE_FACTOR == 0) {
      asked = true;
      long current = ++token;
      link.send(FrameType.PING, 0, 0, f -> f.u64(current));
    }
  }
}
