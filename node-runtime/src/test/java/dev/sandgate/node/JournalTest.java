// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.WaitExecRequest;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.grpc.common.GrpcStatus;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is recorded before a command starts and before its end is told. */
class JournalTest {

  private TestNode node;
  private String sandbox;

  @BeforeEach
  void begin() {
    node = TestNode.start();
    sandbox = node.create().getSandboxId();
  }

  @AfterEach
  void end() {
    node.close();
  }

  private void restartWith(Capacity capacity) {
    node.close();
    node = TestNode.start(config -> TestNode.with(config, capacity));
    sandbox = node.create().getSandboxId();
  }

  /** Reads the table as another process would. */
  private List<Long> recorded(String column, String id) {
    try (Connection other =
            DriverManager.getConnection("jdbc:sqlite:" + node.directory().resolve("node.db"));
        Statement statement = other.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT " + column + " FROM steps WHERE exec_id = '" + id + "'")) {
      List<Long> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getLong(1));
      }
      return values;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Ran ran(String id, String... argv) {
    return Ran.of(node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, id, argv)).rest());
  }

  private ExecResult run(String id, String... argv) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.Run,
            RunExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setCommand(Command.newBuilder().addAllArgv(List.of(argv)))
                .build());
  }

  private Exec await(String id, long millis) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.Wait,
            WaitExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setTimeoutMillis(millis)
                .build());
  }

  @Test
  void shouldRecordTheIntentBeforeTheStart() {
    node.host().faults().hang(Point.EXEC);
    int before = node.host().faults().passed(Point.EXEC);
    Answers<StartExecRequest, ExecEvent> call =
        node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, "hangs", "true"));
    Eventually.holds("the guest is asked", () -> node.host().faults().passed(Point.EXEC) > before);
    assertEquals(List.of(0L), recorded("ended_millis", "hangs"));
    node.host().faults().clear(Point.EXEC);
    assertEquals(0, Ran.of(call.rest()).result().getExitCode());
  }

  @Test
  void shouldRecordTheResultBeforeItIsTold() {
    for (int i = 0; i < 50; i++) {
      ran("e" + i, "echo", "hi");
      List<Long> ended = recorded("ended_millis", "e" + i);
      assertTrue(ended.size() == 1 && ended.getFirst() > 0, ended.toString());
    }
  }

  @Test
  void shouldGiveTheRecordedResultOfAKnownIdAndNotRunItAgain() {
    ExecResult first = run("step-1", "echo", "once");
    int passed = node.host().faults().passed(Point.EXEC);
    assertEquals(first, run("step-1", "echo", "once"));
    assertEquals(passed, node.host().faults().passed(Point.EXEC));
    Failed other = assertThrows(Failed.class, () -> run("step-1", "echo", "twice"));
    assertEquals(GrpcStatus.ALREADY_EXISTS, other.status());
  }

  @Test
  void shouldNotRunAnIdAgainThatMemoryHasForgotten() {
    restartWith(new Capacity(5, 2, 10, 1 << 20, Duration.ofMinutes(10)));
    ExecResult first = run("e0", "echo", "first");
    for (int i = 1; i < 6; i++) {
      run("e" + i, "echo", "hi");
    }
    int passed = node.host().faults().passed(Point.EXEC);
    ExecResult again = run("e0", "echo", "first");
    assertEquals(first, again);
    assertEquals(passed, node.host().faults().passed(Point.EXEC), "it ran again");
    Failed other = assertThrows(Failed.class, () -> run("e1", "echo", "other"));
    assertEquals(GrpcStatus.ALREADY_EXISTS, other.status());
    Exec shown =
        node.rpc()
            .unary(
                ExecsGrpcClient.Get,
                GetExecRequest.newBuilder().setSandboxId(sandbox).setExecId("e2").build());
    assertEquals(3, shown.getResult().getStdoutBytes());
  }

  @Test
  void shouldForgetTheIdOfACommandThatCouldNotStart() {
    node.host().faults().fail(Point.EXEC, ErrorCode.EXEC_FAILED, 1);
    assertThrows(Failed.class, () -> ran("again", "true"));
    assertEquals(0, ran("again", "true").result().getExitCode());
  }

  @Test
  void shouldWaitForTheEndAndAnswerAtTheLimitWithoutOne() {
    node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, "w", "sleep", "1")).next();
    long begun = System.nanoTime();
    assertFalse(await("w", 50).hasResult());
    assertTrue(System.nanoTime() - begun < 900_000_000L, "it waited beyond its limit");
    assertEquals(0, await("w", 20_000).getResult().getExitCode());
    assertTrue(await("w", 1).hasResult());
    Failed unknown = assertThrows(Failed.class, () -> await("nosuch", 10));
    assertEquals(GrpcStatus.NOT_FOUND, unknown.status());
  }

  @Test
  void shouldRefuseCommandsWhenTheDatabaseMayNotGrowAndTakeThemAgainWhenThereIsRoom() {
    node.close();
    node =
        TestNode.start(
            config ->
                TestNode.with(
                    TestNode.with(config, "node.trajectory-bytes", "600000"),
                    "node.trajectory-hours",
                    "1"));
    String full = node.create().getSandboxId();
    sandbox = full;
    Failed refused =
        Eventually.value(
            "refused",
            Duration.ofSeconds(30),
            () -> fill(),
            failed -> failed.status() == GrpcStatus.RESOURCE_EXHAUSTED);
    assertTrue(refused.toString().contains("trajector"), refused.toString());
    assertEquals(0, run("first", "echo", "first").getExitCode());
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete,
            DeleteSandboxRequest.newBuilder().setSandboxId(full).build());
    sandbox = node.create().getSandboxId();
    Eventually.holds("there is room again", () -> starts());
  }

  private Failed fill() {
    try {
      run("first", "echo", "first");
      while (true) {
        run("", "echo", "x".repeat(10_000));
      }
    } catch (Failed failed) {
      return failed;
    }
  }

  private boolean starts() {
    try {
      return run("", "true").getExitCode() == 0;
    } catch (Failed failed) {
      assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, failed.status());
      return false;
    }
  }
}
