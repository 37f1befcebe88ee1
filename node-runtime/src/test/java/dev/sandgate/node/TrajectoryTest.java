// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.TrajectoriesGrpcClient;
import dev.sandgate.proto.v1.TrajectoryEntry;
import dev.sandgate.proto.v1.TrajectoryPage;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was done in sandboxes can be asked for, in order, whatever ended meanwhile. */
class TrajectoryTest {

  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start();
  }

  @AfterEach
  void end() {
    node.close();
  }

  private String create(Map<String, String> labels) {
    return node.rpc()
        .unary(
            SandboxesGrpcClient.Create,
            CreateSandboxRequest.newBuilder().setSpec(TestNode.spec().putAllLabels(labels)).build())
        .getSandboxId();
  }

  private void run(String sandbox, String id, Command.Builder command) {
    node.rpc()
        .unary(
            ExecsGrpcClient.Run,
            RunExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setCommand(command)
                .build());
  }

  private static Command.Builder echo(String text) {
    return Command.newBuilder().addArgv("echo").addArgv(text);
  }

  private TrajectoryPage page(ListTrajectoryRequest.Builder request) {
    return node.rpc().unary(TrajectoriesGrpcClient.List, request.build());
  }

  private static ListTrajectoryRequest.Builder of(String sandbox) {
    return ListTrajectoryRequest.newBuilder().setSandboxId(sandbox);
  }

  private List<TrajectoryEntry> export(ListTrajectoryRequest.Builder request) {
    return node.rpc().stream(TrajectoriesGrpcClient.Export, request.build()).rest().stream()
        .flatMap(page -> page.getEntriesList().stream())
        .toList();
  }

  private static List<String> ids(List<TrajectoryEntry> entries) {
    return entries.stream().map(TrajectoryEntry::getExecId).toList();
  }

  private static List<String> expected(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "s" + i).toList();
  }

  private void steps(String sandbox, int from, int to) {
    for (int i = from; i < to; i++) {
      run(sandbox, "s" + i, echo("step " + i).putLabels("step", "" + i));
    }
  }

  @Test
  void shouldGiveEveryCommandInOrderWithItsResultAndLabels() {
    String sandbox = create(Map.of("episode", "ep1", "color", "red"));
    steps(sandbox, 0, 20);
    List<TrajectoryEntry> entries = export(of(sandbox).setPageSize(7));
    assertEquals(expected(0, 20), ids(entries));
    long last = 0;
    for (TrajectoryEntry entry : entries) {
      assertTrue(entry.getSequence() > last, "sequences grow");
      assertTrue(entry.getRevision() > entry.getSequence());
      last = entry.getSequence();
    }
    TrajectoryEntry third = entries.get(3);
    assertEquals("step 3\n", third.getExec().getResult().getStdout().toStringUtf8());
    assertEquals(List.of("echo", "step 3"), third.getExec().getCommand().getArgvList());
    assertEquals(Map.of("episode", "ep1", "color", "red", "step", "3"), third.getLabelsMap());
  }

  @Test
  void shouldContinueBehindACursorAndMissNothingThatStillRan() {
    String sandbox = create(Map.of());
    steps(sandbox, 0, 3);
    node.rpc().stream(
            ExecsGrpcClient.Start,
            StartExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId("slow")
                .setCommand(Command.newBuilder().addArgv("sleep").addArgv("1"))
                .build())
        .next();
    TrajectoryPage first = page(of(sandbox));
    assertEquals(List.of("s0", "s1", "s2", "slow"), ids(first.getEntriesList()));
    assertFalse(first.getEntries(3).getExec().hasResult());
    steps(sandbox, 3, 5);
    TrajectoryPage more =
        Eventually.value(
            "the slow one came again",
            () -> page(of(sandbox).setAfter(first.getCursor())),
            page -> page.getEntriesCount() == 3);
    assertEquals(List.of("s3", "s4", "slow"), ids(more.getEntriesList()));
    assertTrue(more.getEntries(2).getExec().hasResult());
    TrajectoryPage end = page(of(sandbox).setAfter(more.getCursor()));
    assertEquals(0, end.getEntriesCount());
    assertEquals(more.getCursor(), end.getCursor());
  }

  @Test
  void shouldMissNothingThatIsRecordedWhileItIsRead() {
    String sandbox = create(Map.of());
    List<String> seen = new ArrayList<>();
    String cursor = "";
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 400; i++) {
        String id = "c" + i;
        var _ = callers.submit(() -> run(sandbox, id, echo(id)));
      }
      while (seen.stream().distinct().count() < 400) {
        TrajectoryPage page = page(of(sandbox).setAfter(cursor));
        page.getEntriesList().stream()
            .filter(entry -> entry.getExec().hasResult())
            .forEach(entry -> seen.add(entry.getExecId()));
        cursor = page.getCursor();
      }
    }
    assertEquals(400, seen.size(), "each came once with its result");
  }

  @Test
  void shouldFindByEpisodeRolloutAndJob() {
    String one = create(Map.of("episode", "e1", "rollout", "r1", "job", "j"));
    String two = create(Map.of("episode", "e2", "rollout", "r1", "job", "j"));
    String other = create(Map.of("job", "k"));
    run(one, "a", echo("a"));
    run(two, "b", echo("b"));
    run(other, "c", echo("c"));
    run(other, "d", echo("d").putLabels("episode", "e1"));
    assertEquals(
        List.of("a", "d"), ids(export(ListTrajectoryRequest.newBuilder().setEpisode("e1"))));
    assertEquals(
        List.of("a", "b"), ids(export(ListTrajectoryRequest.newBuilder().setRollout("r1"))));
    assertEquals(List.of("a", "b"), ids(export(ListTrajectoryRequest.newBuilder().setJob("j"))));
    assertEquals(
        List.of("b"), ids(export(ListTrajectoryRequest.newBuilder().setJob("j").setEpisode("e2"))));
    assertEquals(List.of(), export(ListTrajectoryRequest.newBuilder().setJob("nosuch")));
  }

  @Test
  void shouldKeepTheOrderOverARestartAndAfterTheSandboxIsGone() {
    String sandbox = create(Map.of("episode", "kept"));
    steps(sandbox, 0, 5);
    node.restart();
    steps(sandbox, 5, 10);
    assertEquals(expected(0, 10), ids(export(of(sandbox))));
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete,
            DeleteSandboxRequest.newBuilder().setSandboxId(sandbox).build());
    node.restart();
    assertEquals(expected(0, 10), ids(export(of(sandbox))));
    assertEquals(
        expected(0, 10), ids(export(ListTrajectoryRequest.newBuilder().setEpisode("kept"))));
  }

  @Test
  void shouldForgetATrajectoryWhenItsTimeIsOver() {
    node.close();
    node = TestNode.start(config -> TestNode.with(config, "node.trajectory-hours", "0"));
    String living = create(Map.of());
    String sandbox = create(Map.of());
    steps(living, 0, 3);
    steps(sandbox, 0, 3);
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete,
            DeleteSandboxRequest.newBuilder().setSandboxId(sandbox).build());
    Eventually.holds("it is forgotten", () -> export(of(sandbox)).isEmpty());
    assertEquals(expected(0, 3), ids(export(of(living))));
  }

  @Test
  void shouldRefuseARequestThatNamesNothingOrNoCursor() {
    Failed nothing = assertThrows(Failed.class, () -> page(ListTrajectoryRequest.newBuilder()));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, nothing.status());
    Failed cursor = assertThrows(Failed.class, () -> page(of(create(Map.of())).setAfter("x")));
    assertEquals("after", cursor.detail().getField());
  }
}
