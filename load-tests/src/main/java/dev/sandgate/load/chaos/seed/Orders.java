// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.seed;

import dev.sandgate.client.Execs;
import dev.sandgate.load.chaos.check.Content;
import dev.sandgate.load.chaos.check.Plan;
import dev.sandgate.load.chaos.check.Plan.Fate;
import dev.sandgate.load.chaos.seed.Order.Habit;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.OutputPolicy;
import java.util.List;
import java.util.Random;

/** Makes commands: each leaves its id as a token in its sandbox when it begins, and then writes what can be foretold. */
public final class Orders {

  /** Where the tokens are. */
  public static final String TOKENS = "/tmp/tokens";

  private static final List<Habit> HABITS = List.of(Habit.values());
  private static final int EXIT_CODES = 64;
  private static final int CAP_BYTES = 64 << 10;
  private static final int MOST_LINES = 40;
  private static final int LEAST_NUMBERS = 5_000;
  private static final int MOST_NUMBERS = 150_000;

  private final Random random;
  private int made;

  public Orders(long seed) {
    random = new Random(seed);
  }

  /** One more, in a sandbox. */
  public Order next(String boxId) {
    Habit habit = HABITS.get(made % HABITS.size());
    String id = "c" + made++;
    int exitCode = random.nextInt(EXIT_CODES);
    return switch (habit) {
      case LISTENS, LEAVES -> lines(id, boxId, exitCode, habit);
      case READS, DAWDLES, PAUSES -> numbers(id, boxId, exitCode, habit);
      case FEEDS -> feeding(id, boxId, exitCode);
      case KILLS -> killed(id, boxId);
      case ASKS -> asked(id, boxId, exitCode);
    };
  }

  private Order lines(String id, String boxId, int exitCode, Habit habit) {
    int count = 5 + random.nextInt(MOST_LINES);
    String line =
        "i=0; while [ $i -lt %d ]; do i=$((i+1)); echo %s:$i; echo %s!$i >&2; sleep 0.2; done; exit %d"
            .formatted(count, id, id, exitCode);
    Plan plan =
        new Plan(
            id,
            boxId,
            Content.lines(id + ":", count),
            Content.lines(id + "!", count),
            exitCode,
            Fate.FREE);
    return new Order(plan, shell(id, line).build(), habit);
  }

  private Order numbers(String id, String boxId, int exitCode, Habit habit) {
    int count = LEAST_NUMBERS + random.nextInt(MOST_NUMBERS);
    Command.Builder command = shell(id, "seq 1 %d; exit %d".formatted(count, exitCode));
    int kind = random.nextInt(3);
    switch (kind) {
      case 0 -> command.setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK);
      case 1 -> command.setOutputCapBytes(CAP_BYTES);
      default -> command.setOutputPolicy(OutputPolicy.OUTPUT_POLICY_RECORD);
    }
    Fate fate = kind == 1 ? Fate.CAPPED : Fate.FREE;
    Plan plan = new Plan(id, boxId, Content.numbers(count), Content.EMPTY, exitCode, fate);
    return new Order(plan, command.build(), habit);
  }

  private Order feeding(String id, String boxId, int exitCode) {
    Content content = Content.numbers(LEAST_NUMBERS + random.nextInt(LEAST_NUMBERS));
    Command command = shell(id, "cat; exit " + exitCode).setStdin(true).build();
    return new Order(plan(id, boxId, content, exitCode), command, Habit.FEEDS);
  }

  private Order asked(String id, String boxId, int exitCode) {
    int count = 1 + random.nextInt(LEAST_NUMBERS);
    Command command = shell(id, "seq 1 %d; exit %d".formatted(count, exitCode)).build();
    return new Order(plan(id, boxId, Content.numbers(count), exitCode), command, Habit.ASKS);
  }

  private static Order killed(String id, String boxId) {
    Plan plan = new Plan(id, boxId, Content.of(id + "\n"), Content.EMPTY, 0, Fate.KILLED);
    Command command = shell(id, "echo " + id + "; sleep 100000 & wait").build();
    return new Order(plan, command, Habit.KILLS);
  }

  private static Plan plan(String id, String boxId, Content stdout, int exitCode) {
    return new Plan(id, boxId, stdout, Content.EMPTY, exitCode, Fate.FREE);
  }

  private static Command.Builder shell(String id, String line) {
    return Execs.shell("echo " + id + " >> " + TOKENS + "; " + line);
  }
}
