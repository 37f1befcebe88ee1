// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.NodeProcess;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.WaitExecRequest;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerSettings;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A node that is killed at the worst moments: what its successor knows, and that nothing runs twice. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrashTest {

  private final String mark = UUID.randomUUID().toString().substring(0, 8);
  private NodeProcess.Places places;
  private NodeProcess node;
  private String sandbox;

  @BeforeAll
  void begin() throws IOException {
    places = NodeProcess.Places.of(mark);
    node = NodeProcess.start(places, "");
    node.rpc().stream(
            EnvironmentsGrpcClient.ImportEnvironment,
            ImportEnvironmentRequest.newBuilder().setName("busybox").setBuiltin("busybox").build())
        .rest();
    sandbox =
        node.rpc()
            .unary(
                SandboxesGrpcClient.Create,
                CreateSandboxRequest.newBuilder()
                    .setSpec(SandboxSpec.newBuilder().setEnvironment("busybox"))
                    .build())
            .getSandboxId();
    node.close();
  }

  @AfterEach
  void stop() throws IOException {
    node.close();
  }

  @AfterAll
  void end() throws Exception {
    next("");
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete,
            DeleteSandboxRequest.newBuilder().setSandboxId(sandbox).build());
    node.close();
    Path binaries = Path.of(Objects.requireNonNull(System.getProperty("sandgate.native")));
    SpawnerSettings settings =
        new SpawnerSettings(
            binaries.resolve("spawner"),
            binaries.resolve("agent"),
            places.run(),
            places.data().resolve("backends/container"),
            100_000,
            places.cgroup());
    try (Spawner spawner = new Spawner(settings)) {
      spawner.stop();
    }
    TestNode.delete(places.run());
    TestNode.delete(places.data());
  }

  private void next(String fault) throws IOException {
    node = NodeProcess.start(places, fault);
  }

  private static Command shell(String line) {
    return Command.newBuilder().setShell(line).build();
  }

  /** Leaves a line in a file named like the command each time that it runs. */
  private static Command marked(String id, String rest) {
    return shell("echo ran >> /tmp/" + id + "; " + rest);
  }

  private ExecResult run(String id, Command command) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.Run,
            RunExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setCommand(command)
                .build());
  }

  private Ran attached(String id) {
    return Ran.of(node.rpc().stream(ExecsGrpcClient.Attach, attach(id)).rest());
  }

  private AttachExecRequest attach(String id) {
    return AttachExecRequest.newBuilder().setSandboxId(sandbox).setExecId(id).build();
  }

  private void begin(String id, String line) {
    node.rpc().stream(
            ExecsGrpcClient.Start,
            StartExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setCommand(shell(line))
                .build())
        .next();
  }

  private Exec get(String id) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.Get,
            GetExecRequest.newBuilder().setSandboxId(sandbox).setExecId(id).build());
  }

  private String file(String id) {
    return run("", shell("cat /tmp/" + id)).getStdout().toStringUtf8();
  }

  /** Runs a command on a node that dies on the way, then starts the next node. */
  private void runAndDie(String point, String id, Command command) throws IOException {
    next(point + ":" + id);
    Throwable broken = null;
    try {
      run(id, command);
    } catch (RuntimeException e) {
      broken = e;
    }
    assertTrue(broken != null, "it was told how the command ended");
    assertEquals(137, node.ended(), "it died at " + point);
    node.close();
    next("");
  }

  @Test
  void shouldSayUnknownAndNeverRunWhatItDiedBeforeStarting() throws IOException {
    Command command = marked("intent", "exit 7");
    runAndDie("after-intent", "intent", command);
    assertEquals(ExecOutcome.EXEC_OUTCOME_UNKNOWN, get("intent").getResult().getOutcome());
    assertEquals(ExecOutcome.EXEC_OUTCOME_UNKNOWN, attached("intent").result().getOutcome());
    assertEquals(ExecOutcome.EXEC_OUTCOME_UNKNOWN, run("intent", command).getOutcome());
    assertEquals("", file("intent"));
  }

  @Test
  void shouldTakeBackWhatItDiedAfterStartingAndRecordItsEnd() throws IOException {
    Command command = marked("spawn", "sleep 2; echo done; exit 7");
    runAndDie("after-spawn", "spawn", command);
    ExecResult result = run("spawn", command);
    assertEquals(7, result.getExitCode());
    assertEquals("done\n", result.getStdout().toStringUtf8());
    assertEquals(7, get("spawn").getResult().getExitCode());
    assertEquals("ran\n", file("spawn"));
  }

  @Test
  void shouldRecordAnExitThatItDiedBeforeRecording() throws IOException {
    Command command = marked("exit", "echo out; echo err >&2; exit 7");
    runAndDie("after-exit", "exit", command);
    ExecResult result = run("exit", command);
    assertEquals(7, result.getExitCode());
    assertEquals(ExecOutcome.EXEC_OUTCOME_EXITED, result.getOutcome());
    assertEquals("ran\n", file("exit"));
    long missing = result.getTruncatedList().stream().mapToLong(t -> t.getTo() - t.getFrom()).sum();
    assertEquals(8, result.getStdout().size() + result.getStderr().size() + missing);
  }

  @Test
  void shouldTellAResultThatItDiedBeforeTelling() throws IOException {
    Command command = marked("result", "echo out; echo err >&2; exit 7");
    runAndDie("after-result", "result", command);
    ExecResult result = run("result", command);
    assertEquals(7, result.getExitCode());
    assertEquals("out\n", result.getStdout().toStringUtf8());
    assertEquals("err\n", result.getStderr().toStringUtf8());
    assertEquals("out\n", attached("result").stdout());
    assertEquals("ran\n", file("result"));
  }

  @Test
  void shouldKeepWhatACommandWroteBeforeTheKill() throws IOException {
    next("");
    begin("killed", "seq 1 30000; sleep 3; echo done; exit 5");
    Eventually.holds("168,894 bytes are in a file", () -> spooled(".out") >= 168_894);
    node.kill();
    node.close();
    next("");
    Ran ran = attached("killed");
    assertEquals(List.of(), ran.truncated());
    assertEquals(168_894 + 5, ran.stdout().length());
    assertTrue(ran.stdout().startsWith("1\n2\n") && ran.stdout().endsWith("30000\ndone\n"));
    assertEquals(5, ran.result().getExitCode());
  }

  /** Both are in files then; a reader that has two reads of files under way sends one of them twice. */
  @Test
  void shouldTellBothStreamsOfARunningCommandOnceAfterAKill() throws IOException {
    next("");
    begin("both", "seq 1 1000; seq 1 1000 >&2; sleep 4; echo done; exit 5");
    Eventually.holds("both are in files", () -> spooled(".err") >= 3_893);
    node.kill();
    node.close();
    next("");
    List<Answers<?, ExecEvent>> readers = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      readers.add(node.rpc().stream(ExecsGrpcClient.Attach, attach("both")));
    }
    for (Answers<?, ExecEvent> reader : readers) {
      Ran ran = Ran.of(reader.rest());
      assertEquals(List.of(), ran.truncated());
      assertEquals(3_893 + 5, ran.stdout().length());
      assertEquals(3_893, ran.stderr().length());
    }
  }

  @Test
  void shouldKeepLargeAndSmallOutputOfEndedCommandsOverAKill() throws IOException {
    next("");
    assertEquals(0, run("large", shell("seq 1 400000")).getExitCode());
    assertEquals(0, run("small", shell("echo small")).getExitCode());
    node.kill();
    node.close();
    next("");
    Ran large = attached("large");
    assertEquals(List.of(), large.truncated());
    assertEquals(2_688_895, large.stdout().length());
    assertTrue(large.stdout().endsWith("399999\n400000\n"));
    assertEquals("small\n", attached("small").stdout());
  }

  /** The checker: each token at most once, every acknowledged one present. */
  @Test
  void shouldRunEachOfManyCommandsAtMostOnceOverAKill() throws Exception {
    Set<String> answered = new ConcurrentSkipListSet<>();
    next("");
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        String id = "t" + i;
        var _ =
            callers.submit(
                () -> {
                  if (run(id, token(id)).getExitCode() == 0) {
                    answered.add(id);
                  }
                  return id;
                });
      }
      Eventually.holds("some are answered", () -> answered.size() >= 40);
      node.kill();
    }
    Set<String> before = Set.copyOf(answered);
    node.close();
    next("");
    Set<String> unknown = new TreeSet<>();
    for (int i = 0; i < 200; i++) {
      ExecResult result = run("t" + i, token("t" + i));
      if (result.getOutcome() == ExecOutcome.EXEC_OUTCOME_UNKNOWN) {
        unknown.add("t" + i);
      } else {
        answered.add("t" + i);
      }
    }
    List<String> tokens = new ArrayList<>(file("tokens").lines().toList());
    assertEquals(tokens.size(), Set.copyOf(tokens).size(), "a command ran twice: " + tokens);
    assertTrue(Set.copyOf(tokens).containsAll(before), "an acknowledged command is missing");
    assertTrue(Set.copyOf(tokens).containsAll(answered), "a recorded command is missing");
    assertEquals(200, answered.size() + unknown.size());
  }

  private static Command token(String id) {
    return shell("echo " + id + " >> /tmp/tokens");
  }

  @Test
  void shouldAnswerAWaitAfterARestart() throws IOException {
    next("");
    begin("waited", "sleep 3; exit 9");
    node.kill();
    node.close();
    next("");
    WaitExecRequest request =
        WaitExecRequest.newBuilder()
            .setSandboxId(sandbox)
            .setExecId("waited")
            .setTimeoutMillis(20_000)
            .build();
    assertEquals(9, node.rpc().unary(ExecsGrpcClient.Wait, request).getResult().getExitCode());
  }

  /** The size of the largest file of a stream. */
  private long spooled(String stream) {
    try (Stream<Path> files = Files.list(places.data().resolve("spool"))) {
      return files
          .filter(file -> file.toString().endsWith(stream))
          .mapToLong(file -> file.toFile().length())
          .max()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
