// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.FunctionResult.Output;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.FunctionResult.Verdict;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** What is said of programs that ended. */
final class Verdicts {

  private Verdicts() {}

  /**
   * How a program ended.
   *
   * @param exitCode 0–255, or 128 plus the signal
   * @param signal that ended it, or 0
   * @param timedOut whether its time was over
   * @param outOfMemory whether the kernel killed for memory
   */
  record Ended(int exitCode, int signal, boolean timedOut, boolean outOfMemory) {}

  static Run run(
      Ended ended, Output out, Output err, ExecUsage usage, Optional<ByteBuffer> expected) {
    return new Run(
        of(ended, out, expected),
        ended.exitCode(),
        ended.signal(),
        ended.timedOut(),
        ended.outOfMemory(),
        out,
        err,
        usage);
  }

  private static Verdict of(Ended ended, Output out, Optional<ByteBuffer> expected) {
    if (ended.timedOut()) {
      return Verdict.TIME_LIMIT;
    }
    if (ended.exitCode() != 0) {
      return ended.outOfMemory() ? Verdict.MEMORY_LIMIT : Verdict.RUNTIME_ERROR;
    }
    boolean right =
        expected.isEmpty() || (!out.truncated() && lines(out.head()).equals(lines(expected.get())));
    return right ? Verdict.ACCEPTED : Verdict.WRONG_ANSWER;
  }

  /** The same for texts that differ in white space at ends of lines and at the end only. */
  private static List<String> lines(ByteBuffer text) {
    return StandardCharsets.ISO_8859_1
        .decode(text.duplicate())
        .toString()
        .stripTrailing()
        .lines()
        .map(String::stripTrailing)
        .toList();
  }

  /** The same about a compiler. */
  static Run compiled(Run run) {
    Verdict verdict =
        run.exitCode() == 0 && !run.timedOut() ? Verdict.ACCEPTED : Verdict.COMPILE_ERROR;
    return new Run(
        verdict,
        run.exitCode(),
        run.signal(),
        run.timedOut(),
        run.outOfMemory(),
        run.stdout(),
        run.stderr(),
        run.usage());
  }

  /** The first that is not ACCEPTED. */
  static Verdict overall(Optional<Run> compile, List<Run> runs) {
    return java.util.stream.Stream.concat(compile.stream(), runs.stream())
        .map(Run::verdict)
        .filter(verdict -> verdict != Verdict.ACCEPTED)
        .findFirst()
        .orElse(Verdict.ACCEPTED);
  }
}
