// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import static dev.sandgate.fncall.FncallFixture.LIMITS;
import static dev.sandgate.fncall.FncallFixture.PATIENCE;
import static dev.sandgate.fncall.FncallFixture.bytes;
import static dev.sandgate.fncall.FncallFixture.memory;
import static dev.sandgate.fncall.FncallFixture.plain;
import static dev.sandgate.fncall.FncallFixture.said;
import static dev.sandgate.fncall.FncallFixture.task;
import static dev.sandgate.fncall.FncallFixture.text;
import static dev.sandgate.fncall.FncallFixture.timeout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Case;
import dev.sandgate.spi.FunctionCall.File;
import dev.sandgate.spi.FunctionCall.Gpu;
import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.FunctionCall.Task;
import dev.sandgate.spi.FunctionResult;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.FunctionResult.Verdict;
import dev.sandgate.spi.Functions.PoolCounts;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import io.smallrye.mutiny.subscription.Cancellable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** Python and shell on real workers; needs root. */
@Tag("root")
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class FunctionsTest {

  private static FncallFixture fixture;

  @BeforeAll
  static void open() throws IOException, InterruptedException {
    fixture = new FncallFixture(HostLayers::python, Map.of("workers", "4", "idle-workers", "2"));
  }

  @AfterAll
  static void close() throws IOException {
    fixture.close();
  }

  @Test
  @Order(1) // while no other test's dirty worker is being replaced
  void shouldServeManyMoreCallsThanWorkersWithoutMakingOneForAWarmCall() {
    fixture.python("pass");
    long made = fixture.settled().made();
    for (int i = 0; i < 50; i++) {
      FunctionResult result = fixture.call(Language.PYTHON, "print(" + i + ")");
      assertEquals(String.valueOf(i), said(result));
      assertTrue(result.warm(), "call " + i + " was cold");
      fixture.quiet();
    }
    PoolCounts after = fixture.quiet();
    assertEquals(made, after.made(), () -> "a warm call made a worker: " + after);
    assertTrue(after.reused() >= 50, after::toString);
  }

  @Test
  void shouldGiveTheProgramItsInputFilesArgumentsAndEnvironment() {
    Task task =
        new Task(
            Language.PYTHON,
            """
            import sys, os, helper
            from pack import inner
            print(sys.stdin.read(), sys.argv[1:], os.environ["GREETING"], helper.A, inner.B, __name__)
            print("to stderr", file=sys.stderr)
            sys.exit(7)
            """,
            List.of("one", "two words"),
            List.of(
                new File("helper.py", bytes("A = 40"), false),
                new File("pack/inner.py", bytes("B = 2"), false)),
            List.of(),
            Gpu.NONE);
    FunctionCall call =
        new FunctionCall(
            List.of(fixture.layer),
            "user",
            Map.of("GREETING", "hi"),
            task,
            List.of(new Case(bytes("input"), Optional.empty())),
            LIMITS);
    FunctionResult result = fixture.call(call);
    Run run = result.runs().getFirst();
    assertEquals(Verdict.RUNTIME_ERROR, result.verdict());
    assertEquals(7, run.exitCode());
    assertEquals("input ['one', 'two words'] hi 40 2 __main__", text(run.stdout()).strip());
    assertEquals("to stderr", text(run.stderr()).strip());
    assertTrue(run.usage().wall().toNanos() > 0 && run.usage().peakMemoryBytes() > 1 << 20);
  }

  @Test
  void shouldTellHowAScriptEnded() {
    FunctionResult result =
        fixture.call(
            fixture.of(
                new Task(
                    Language.SHELL,
                    "cat; cat data/x; echo \"$1\" >&2; kill -9 $$",
                    List.of("an argument"),
                    List.of(new File("data/x", bytes("file"), false)),
                    List.of(),
                    Gpu.NONE),
                LIMITS,
                new Case(bytes("in "), Optional.empty())));
    Run run = result.runs().getFirst();
    assertEquals("in file", text(run.stdout()));
    assertEquals("an argument\n", text(run.stderr()));
    assertEquals(9, run.signal());
    assertEquals(137, run.exitCode());
    assertEquals(Verdict.RUNTIME_ERROR, run.verdict());
  }

  @Test
  void shouldKeepTheHeadOfMuchOutputAndCountTheRest() {
    Run python = fixture.call(Language.PYTHON, "print('x' * 299_999)").runs().getFirst();
    Run shell =
        fixture.call(Language.SHELL, "head -c 300000 /dev/zero | tr '\\0' x").runs().getFirst();
    for (Run run : List.of(python, shell)) {
      assertEquals(300_000, run.stdout().bytes());
      assertEquals(64 << 10, run.stdout().head().remaining());
      assertTrue(run.stdout().truncated());
    }
  }

  @Test
  void shouldKillWhatTakesTooLongAndNeverUseItsWorkerAgain() {
    for (Language language : List.of(Language.PYTHON, Language.SHELL)) {
      String source =
          language == Language.PYTHON
              ? "import os, time\nprint('on', flush=True)\nif os.fork() == 0: os.setsid()\ntime.sleep(60)"
              : "echo on; setsid sleep 60 & sleep 60";
      FunctionResult late =
          fixture.call(
              fixture.of(task(language, source), timeout(Duration.ofMillis(300)), plain()));
      Run run = late.runs().getFirst();
      assertEquals(Verdict.TIME_LIMIT, late.verdict(), late::toString);
      assertTrue(run.timedOut());
      assertEquals("on\n", text(run.stdout()));
      assertTrue(run.usage().wall().toMillis() < 10_000, run::toString);
      Eventually.holds(
          late.worker() + " is gone",
          () -> fixture.workers().stream().noneMatch(w -> w.id().equals(late.worker())));
      assertNotEquals(late.worker(), fixture.call(language, "").worker());
    }
  }

  @Test
  void shouldSayThatMemoryWasTheReason() {
    FunctionCall greedy =
        fixture.of(
            task(Language.PYTHON, "x = bytearray(400 << 20)\nprint(len(x))"),
            memory(64L << 20),
            plain());
    FunctionResult result = fixture.call(greedy);
    assertEquals(Verdict.MEMORY_LIMIT, result.verdict(), result::toString);
    assertTrue(result.runs().getFirst().outOfMemory());
  }

  @Test
  void shouldHavePreloadedModulesImportedBeforeTheCall() {
    Task task =
        new Task(
            Language.PYTHON,
            """
            import sys, time
            print("email.mime.multipart" in sys.modules, "decimal" in sys.modules)
            begun = time.perf_counter()
            import decimal, email.mime.multipart
            print(time.perf_counter() - begun)
            """,
            List.of(),
            List.of(),
            List.of("email.mime.multipart", "decimal"),
            Gpu.NONE);
    fixture.call(fixture.of(task, LIMITS, plain()));
    fixture.quiet();
    FunctionResult warm = fixture.call(fixture.of(task, LIMITS, plain()));
    List<String> lines = said(warm).lines().toList();
    assertTrue(warm.warm());
    assertEquals("True True", lines.get(0));
    double cold =
        Double.parseDouble(
            fixture.python(
                """
                import time
                begun = time.perf_counter()
                import decimal, email.mime.multipart
                print(time.perf_counter() - begun)
                """));
    assertTrue(Double.parseDouble(lines.get(1)) < cold / 10, lines + " against " + cold);
  }

  @Test
  void shouldNameAModuleThatCannotBeImported() {
    Task task =
        new Task(Language.PYTHON, "", List.of(), List.of(), List.of("no_such_module"), Gpu.NONE);
    SandgateException failure = refused(fixture.of(task, LIMITS, plain()));
    assertEquals(ErrorCode.EXEC_FAILED, failure.code());
    assertTrue(
        String.valueOf(failure.getMessage()).contains("no_such_module"), failure::getMessage);
  }

  @Test
  void shouldRefuseAGpuThatIsNotThere() {
    for (Gpu gpu : List.of(Gpu.SHARED, Gpu.EXCLUSIVE)) {
      Task task = new Task(Language.PYTHON, "", List.of(), List.of(), List.of(), gpu);
      SandgateException failure = refused(fixture.of(task, LIMITS, plain()));
      assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure.code());
      assertEquals("gpu", failure.field());
    }
  }

  @Test
  void shouldKillACallWhoseCallerLeaves() {
    Cancellable call =
        fixture
            .backend()
            .functions()
            .call(fixture.of(Language.PYTHON, "import time; time.sleep(60)"))
            .subscribe()
            .with(_ -> {});
    Eventually.holds("it runs", () -> fixture.counts().busy() > 0);
    long dirty = fixture.counts().dirty();
    call.cancel();
    Eventually.holds("its worker is gone", () -> fixture.counts().dirty() > dirty);
    assertEquals(0, fixture.quiet().busy());
  }

  @Test
  void shouldRunEachCaseAndCompareWhatItWrites() {
    FunctionResult result =
        fixture.call(
            fixture.of(
                task(Language.PYTHON, "n = int(input()); print(10 // n); print()"),
                LIMITS,
                new Case(bytes("2"), Optional.of(bytes("5"))),
                new Case(bytes("5"), Optional.of(bytes("3"))),
                new Case(bytes("0"), Optional.of(bytes("0"))),
                new Case(bytes("1"), Optional.empty())));
    assertEquals(
        List.of(Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR, Verdict.ACCEPTED),
        result.runs().stream().map(Run::verdict).toList());
    assertEquals(Verdict.WRONG_ANSWER, result.verdict());
    assertFalse(result.compile().isPresent());
  }

  private static SandgateException refused(FunctionCall call) {
    return assertThrows(
        SandgateException.class,
        () -> fixture.backend().functions().call(call).await().atMost(PATIENCE));
  }
}
