// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import static dev.sandgate.fncall.FncallFixture.LIMITS;
import static dev.sandgate.fncall.FncallFixture.bytes;
import static dev.sandgate.fncall.FncallFixture.memory;
import static dev.sandgate.fncall.FncallFixture.task;
import static dev.sandgate.fncall.FncallFixture.text;
import static dev.sandgate.fncall.FncallFixture.timeout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.FunctionCall.Case;
import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.FunctionResult;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.FunctionResult.Verdict;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compile and run, with a verdict per case; needs root and this host's C compiler. */
@Tag("root")
@Timeout(240)
final class JudgeTest {

  private static final String SUM =
      """
      #include <stdio.h>
      int main(void) { int a, b; if (scanf("%d %d", &a, &b) != 2) return 3; printf("%d \\n\\n", a + b); }
      """;

  private static FncallFixture fixture;

  @BeforeAll
  static void open() throws IOException, InterruptedException {
    fixture = new FncallFixture(HostLayers::compiler, Map.of("workers", "2", "idle-workers", "1"));
  }

  @AfterAll
  static void close() throws IOException {
    fixture.close();
  }

  private static Case expecting(String stdin, String expected) {
    return new Case(bytes(stdin), Optional.of(bytes(expected)));
  }

  private static List<Verdict> verdicts(FunctionResult result) {
    return result.runs().stream().map(Run::verdict).toList();
  }

  @Test
  void shouldJudgeEachCase() {
    FunctionResult result =
        fixture.call(
            fixture.of(
                task(Language.C, SUM),
                LIMITS,
                expecting("1 2", "3\n"),
                expecting("2 2", "5"),
                expecting("x", "0"),
                expecting("20 22\n", "42")));
    assertEquals(
        List.of(Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR, Verdict.ACCEPTED),
        verdicts(result),
        result::toString);
    assertEquals(Verdict.WRONG_ANSWER, result.verdict());
    assertEquals(Verdict.ACCEPTED, result.compile().orElseThrow().verdict());
    assertEquals(3, result.runs().get(2).exitCode());
  }

  @Test
  void shouldShowWhatTheCompilerSays() {
    FunctionResult result =
        fixture.call(
            fixture.of(
                task(Language.C, "int main(void) { return nothing; }"), LIMITS, expecting("", "")));
    assertEquals(Verdict.COMPILE_ERROR, result.verdict());
    assertEquals(List.of(), result.runs());
    String said = text(result.compile().orElseThrow().stderr());
    assertTrue(said.contains("main.c:1") && said.contains("nothing"), said);
  }

  @Test
  void shouldTellTimeFromMemoryFromSignals() {
    FunctionResult late =
        fixture.call(
            fixture.of(
                task(Language.C, "int main(void) { for (volatile int i = 0;; i++) {} }"),
                timeout(Duration.ofMillis(300)),
                expecting("", "")));
    assertEquals(List.of(Verdict.TIME_LIMIT), verdicts(late), late::toString);
    FunctionResult greedy =
        fixture.call(
            fixture.of(
                task(
                    Language.C,
                    "#include <stdlib.h>\n#include <string.h>\n"
                        + "int main(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }"),
                memory(96L << 20),
                expecting("", "")));
    assertEquals(List.of(Verdict.MEMORY_LIMIT), verdicts(greedy), greedy::toString);
    FunctionResult broken =
        fixture.call(
            fixture.of(
                task(Language.C, "int main(void) { *(volatile int *)8 = 1; }"),
                LIMITS,
                expecting("", "")));
    assertEquals(List.of(Verdict.RUNTIME_ERROR), verdicts(broken), broken::toString);
    assertEquals(11, broken.runs().getFirst().signal());
  }

  @Test
  void shouldNameACompilerThatIsNotThere() {
    SandgateException failure =
        assertThrows(
            SandgateException.class,
            () -> fixture.call(fixture.of(Language.JAVA, "class Main {}")));
    assertEquals(ErrorCode.EXEC_FAILED, failure.code());
    assertTrue(String.valueOf(failure.getMessage()).contains("javac"), failure::getMessage);
  }
}
