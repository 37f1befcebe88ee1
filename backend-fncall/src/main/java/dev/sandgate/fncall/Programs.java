// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Case;
import dev.sandgate.spi.FunctionCall.File;
import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.FunctionCall.Task;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.FunctionResult.Verdict;
import io.smallrye.mutiny.Multi;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Scripts and compiled programs, each a command in a worker that is used once; blocks. */
final class Programs {

  private static final String WORK = "/tmp/call";
  private static final int WORK_MODE = 0700;
  private static final int PLAIN_MODE = 0644;
  private static final int PROGRAM_MODE = 0755;
  private static final int CHUNK = 64 << 10;
  private static final int LONGEST_LINE = 32 << 10;
  private static final Duration LAYING_OUT = Duration.ofSeconds(30);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final Guest guest;
  private final FunctionCall call;

  /**
   * What came of a call.
   *
   * @param compile how the compiler ended, if there is one
   * @param runs how each case ended
   */
  record Outcome(Optional<Run> compile, List<Run> runs) {}

  private Programs(Guest guest, FunctionCall call) {
    this.guest = guest;
    this.call = call;
  }

  /** What is the same for all calls, done before one comes. */
  static void prepare(Guest guest) {
    guest.agent().files().makeDirectory("", WORK, WORK_MODE, true).await().atMost(LAYING_OUT);
  }

  /** Runs a call with all of its cases. */
  static Outcome run(Guest guest, FunctionCall call) {
    return new Programs(guest, call).run();
  }

  private Outcome run() {
    call.task().files().forEach(this::write);
    Optional<Run> compile = compile();
    List<Run> runs = new ArrayList<>();
    if (compile.map(Run::verdict).orElse(Verdict.ACCEPTED) == Verdict.ACCEPTED) {
      List<String> argv = argv();
      for (Case one : call.cases()) {
        runs.add(run(argv, "case-" + runs.size(), one));
      }
    }
    return new Outcome(compile, runs);
  }

  private void write(File file) {
    Files files = guest.agent().files();
    WriteTarget target =
        new WriteTarget(
            "",
            WORK + "/" + file.path(),
            file.executable() ? PROGRAM_MODE : PLAIN_MODE,
            WriteMode.TRUNCATE,
            0,
            true);
    files.write(target, chunks(file.data())).await().atMost(LAYING_OUT);
  }

  private static Multi<ByteBuffer> chunks(ByteBuffer data) {
    List<ByteBuffer> chunks = new ArrayList<>();
    for (int at = 0; at < data.remaining(); at += CHUNK) {
      chunks.add(data.slice(data.position() + at, Math.min(CHUNK, data.remaining() - at)));
    }
    return Multi.createFrom().iterable(chunks);
  }

  private Optional<Run> compile() {
    Task task = call.task();
    return switch (task.language()) {
      case PYTHON, SHELL -> Optional.<Run>empty();
      case C -> Optional.of(compiled("main.c", "cc", "-O2", "-o", "main", "main.c", "-lm"));
      case CPP -> Optional.of(compiled("main.cpp", "c++", "-O2", "-o", "main", "main.cpp"));
      case JAVA -> Optional.of(compiled("Main.java", "javac", "-encoding", "UTF-8", "Main.java"));
    };
  }

  private Run compiled(String file, String... compiler) {
    write(source(file));
    ExecSpec spec = spec("compiler", List.of(compiler), false);
    return Verdicts.compiled(
        Attended.run(
            guest.agent().exec(spec).await().indefinitely(),
            NOTHING,
            Optional.empty(),
            call.limits().compileTimeout(),
            call.limits().outputBytes()));
  }

  private File source(String name) {
    byte[] text = call.task().source().getBytes(StandardCharsets.UTF_8);
    return new File(name, ByteBuffer.wrap(text), false);
  }

  private List<String> argv() {
    List<String> argv = new ArrayList<>(program(call.task()));
    argv.addAll(call.task().arguments());
    return argv;
  }

  private List<String> program(Task task) {
    if (task.language() == Language.JAVA) {
      return List.of("java", "-cp", WORK, "Main");
    }
    if (task.language() != Language.SHELL) {
      return List.of(WORK + "/main");
    }
    if (task.source().length() <= LONGEST_LINE / 2) {
      return List.of("/bin/sh", "-c", task.source(), "sh");
    }
    write(source(".call.sh"));
    return List.of("/bin/sh", WORK + "/.call.sh");
  }

  private Run run(List<String> argv, String id, Case one) {
    ExecSpec spec = spec(id, argv, one.stdin().hasRemaining());
    return Attended.run(
        guest.agent().exec(spec).await().indefinitely(),
        one.stdin(),
        one.expected(),
        call.limits().timeout(),
        call.limits().outputBytes());
  }

  private ExecSpec spec(String id, List<String> argv, boolean stdin) {
    return new ExecSpec(id, argv, call.env(), WORK, "", stdin, Optional.empty(), 0);
  }
}
