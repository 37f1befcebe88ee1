// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A history in which all is well passes; each forged one is found out, by the promise that it breaks. */
class CheckerTest {

  private static final Plan PLAN =
      new Plan("e1", "b1", Content.lines("a", 3), Content.of("err\n"), 7, Plan.Fate.FREE);
  private static final Plan KILLED =
      new Plan("e1", "b1", Content.of("begun\n"), Content.EMPTY, 0, Plan.Fate.KILLED);
  private static final Ending.Exited EXIT = new Ending.Exited(7, 0, "", 9, 4);
  private static final Box BOX = new Box("b1", false, true, List.of("e1"));
  private static final Box STRUCK = new Box("b1", true, false, List.of());

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static Transcript seen(Plan plan, Consumer<Transcript> events) {
    Transcript transcript = new Transcript(plan);
    events.accept(transcript);
    return transcript;
  }

  private static Transcript whole() {
    return seen(PLAN, CheckerTest::whole);
  }

  private static void whole(Transcript transcript) {
    transcript.started(true);
    transcript.output(false, 0, bytes("a1\na"));
    transcript.output(true, 0, bytes("err\n"));
    transcript.output(false, 4, bytes("2\na3\n"));
    transcript.ended(EXIT);
  }

  private static Account account(Transcript live) {
    return new Account(PLAN, live, null, false);
  }

  private static List<String> broken(Account account, Box box) {
    return new Checker(List.of(account), List.of(box))
        .verdicts().stream()
            .filter(verdict -> !verdict.holds())
            .map(Checker.Verdict::promise)
            .toList();
  }

  private static void assertBroken(String promise, Account account, Box box) {
    assertEquals(List.of(promise), broken(account, box));
  }

  private static void assertEnding(@Nullable String promise, Ending ending, Box box, boolean died) {
    Account account = new Account(PLAN, seen(PLAN, it -> it.ended(ending)), null, died);
    assertEquals(promise == null ? List.of() : List.of(promise), broken(account, box));
  }

  @Test
  void shouldPassWhatIsRight() {
    assertEquals(List.of(), broken(new Account(PLAN, whole(), whole(), false), BOX));
  }

  @Test
  void shouldPassWhatIsReportedMissing() {
    Transcript holes =
        seen(
            PLAN,
            it -> {
              it.output(false, 0, bytes("a1\n"));
              it.truncated(false, 3, 9);
              it.truncated(true, 0, 4);
              it.ended(EXIT);
            });
    assertEquals(10, holes.truncatedBytes());
    assertEquals(List.of(), broken(new Account(PLAN, holes, null, true), BOX));
    assertBroken("nothing is truncated without need", account(holes), BOX);
  }

  @Test
  void shouldFindACommandThatRanTwice() {
    Box box = new Box("b1", false, true, List.of("e1", "e1"));
    assertBroken("no command ran twice", account(whole()), box);
  }

  @Test
  void shouldFindACommandThatRanWhereNobodyAskedForIt() {
    Box box = new Box("b1", false, true, List.of("e1", "e2"));
    assertBroken("no command ran twice", account(whole()), box);
  }

  @Test
  void shouldFindAnAcknowledgedCommandThatHasNotRun() {
    Box box = new Box("b1", false, true, List.of());
    assertBroken("every acknowledged command ran", account(whole()), box);
    Account begun = account(seen(PLAN, it -> it.started(true)));
    assertEquals(
        List.of("every acknowledged command ran", "every command ended once"), broken(begun, box));
  }

  @Test
  void shouldNotTakeACommandForAcknowledgedThatIsOnlyKnown() {
    Transcript known = seen(PLAN, it -> it.started(false));
    known.ended(new Ending.Unknown(""));
    Box box = new Box("b1", false, true, List.of());
    assertEquals(List.of(), broken(new Account(PLAN, known, null, true), box));
  }

  @Test
  void shouldNotAskLostSandboxesForTheirTokens() {
    assertEquals(List.of(), broken(account(whole()), STRUCK));
  }

  @Test
  void shouldFindWrongBytesGapsRepetitionsAndWhatComesTooLate() {
    String promise = "every byte is right and in its place";
    assertBroken(promise, account(seen(PLAN, CheckerTest::wrongByte)), BOX);
    assertBroken(
        promise,
        account(
            seen(
                PLAN,
                it -> {
                  whole(it);
                  it.started(true);
                })),
        BOX);
    Transcript gap = seen(PLAN, it -> it.output(false, 3, bytes("a2\n")));
    assertEquals(1, gap.wrongs().size());
    Transcript again =
        seen(
            PLAN,
            it -> {
              it.output(false, 0, bytes("a1\n"));
              it.output(false, 0, bytes("a1\n"));
            });
    assertEquals(1, again.wrongs().size());
    assertEquals(1, seen(PLAN, it -> it.truncated(false, 2, 3)).wrongs().size());
    assertEquals(1, seen(PLAN, it -> it.output(false, 0, bytes("a1\na2\na3\na"))).wrongs().size());
  }

  private static void wrongByte(Transcript transcript) {
    transcript.output(false, 0, bytes("a1\na2\na4\n"));
    transcript.output(true, 0, bytes("err\n"));
    transcript.ended(EXIT);
  }

  @Test
  void shouldFindMissingBytes() {
    Transcript less =
        seen(
            PLAN,
            it -> {
              it.output(false, 0, bytes("a1\na2\n"));
              it.output(true, 0, bytes("err\n"));
              it.ended(EXIT);
            });
    assertBroken("bytes written = delivered + reported truncated", account(less), BOX);
  }

  @Test
  void shouldFindAResultThatConcealsWhatWasWritten() {
    Transcript concealed =
        seen(
            PLAN,
            it -> {
              it.output(false, 0, bytes("a1\n"));
              it.output(true, 0, bytes("err\n"));
              it.ended(new Ending.Exited(7, 0, "", 3, 4));
            });
    assertBroken("bytes written = delivered + reported truncated", account(concealed), BOX);
  }

  @Test
  void shouldFindTwoEndsAndNone() {
    String promise = "every command ended once";
    assertBroken(promise, account(seen(PLAN, CheckerTest::endedTwice)), BOX);
    assertBroken(promise, account(seen(PLAN, it -> it.started(true))), BOX);
    assertBroken(promise, new Account(PLAN, whole(), new Transcript(PLAN), false), BOX);
  }

  private static void endedTwice(Transcript transcript) {
    whole(transcript);
    transcript.ended(EXIT);
  }

  @Test
  void shouldFindAWrongExit() {
    String promise = "every exit is right, or typed as not known";
    assertEquals(List.of(promise), broken(account(exited(0, 0, "")), BOX));
    assertEquals(List.of(promise), broken(account(exited(137, 9, "")), BOX));
    assertEquals(List.of(promise), broken(account(exited(7, 0, "CALLER")), BOX));
  }

  private static Transcript exited(int code, int signal, String reason) {
    return seen(
        PLAN,
        it -> {
          it.output(false, 0, bytes("a1\na2\na3\n"));
          it.output(true, 0, bytes("err\n"));
          it.ended(new Ending.Exited(code, signal, reason, 9, 4));
        });
  }

  @Test
  void shouldTakeUnknownForAnAnswerOnlyWhenSomethingDied() {
    String promise = "every exit is right, or typed as not known";
    assertEnding(null, new Ending.Unknown(""), BOX, true);
    assertEnding(promise, new Ending.Unknown(""), BOX, false);
    assertEnding(null, new Ending.Unknown("SANDBOX_LOST"), STRUCK, true);
    assertEnding(promise, new Ending.Unknown("SANDBOX_LOST"), BOX, true);
    assertEnding(null, new Ending.Lost("SANDBOX_LOST"), STRUCK, true);
    assertEnding(promise, new Ending.Lost("NOT_FOUND"), BOX, true);
    assertEnding(promise, new Ending.Surprise("INTERNAL"), STRUCK, true);
  }

  @Test
  void shouldExpectOfAKilledCommandThatItWasKilled() {
    Box box = new Box("b1", false, true, List.of("e1"));
    Transcript right = seen(KILLED, it -> killed(it, new Ending.Exited(137, 9, "CALLER", 6, 0)));
    assertEquals(List.of(), broken(new Account(KILLED, right, null, false), box));
    Transcript wrong = seen(KILLED, it -> killed(it, new Ending.Exited(0, 0, "", 6, 0)));
    assertBroken(
        "every exit is right, or typed as not known", new Account(KILLED, wrong, null, false), box);
  }

  private static void killed(Transcript transcript, Ending ending) {
    transcript.output(false, 0, bytes("begun\n"));
    transcript.ended(ending);
  }

  @Test
  void shouldFindAResultThatChanges() {
    Transcript unknown = seen(PLAN, it -> it.ended(new Ending.Unknown("")));
    assertBroken("a result stays what it was", new Account(PLAN, whole(), unknown, true), BOX);
  }

  @Test
  void shouldFindALostSandboxThatNobodyTouched() {
    Box box = new Box("b1", false, false, List.of());
    assertBroken("only destroyed sandboxes are lost", account(whole()), box);
  }
}
