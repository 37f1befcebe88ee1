// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static dev.sandgate.proto.v1.ExecOutcome.EXEC_OUTCOME_EXITED;
import static dev.sandgate.proto.v1.ExecOutcome.EXEC_OUTCOME_UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.DeleteSandboxBatchItem;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.RunExecBatchItem;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxesGrpcService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One call for many sandboxes: every item is told, in any order; a stream that ends before is an error. */
final class BatchesTest extends GatewayTest {

  private static final int MANY = 10_000;

  private final List<Integer> calls = new CopyOnWriteArrayList<>();

  private static List<String> ids(int count) {
    return IntStream.range(0, count).mapToObj(i -> "sb-a-" + i).toList();
  }

  /** Answers all but the last so many items of each call, last one first, with what the command is. */
  private void runs(int withheld) {
    gateway.on(
        ExecsGrpcService.RunBatch,
        request ->
            request.handler(
                message -> {
                  calls.add(message.getItemsCount());
                  for (int i = message.getItemsCount() - 1 - withheld; i >= 0; i--) {
                    request.response().write(ran(i, message.getItems(i)));
                  }
                  request.response().end();
                }));
  }

  private static RunExecBatchItem ran(int index, RunExecRequest item) {
    RunExecBatchItem.Builder answer = RunExecBatchItem.newBuilder().setIndex(index);
    ExecResult.Builder result =
        ExecResult.newBuilder()
            .setExecId(item.getExecId())
            .setOutcome(EXEC_OUTCOME_EXITED)
            .setStdout(ByteString.copyFromUtf8(item.getSandboxId()));
    return switch (item.getSandboxId()) {
      case "sb-a-1" ->
          answer
              .setError(ErrorDetail.newBuilder().setCode("NOT_FOUND"))
              .setMessage("no such sandbox")
              .build();
      case "sb-a-2" -> answer.setResult(result.setOutcome(EXEC_OUTCOME_UNKNOWN)).build();
      default -> answer.setResult(result).build();
    };
  }

  private List<Batches.Ran> run(int count) {
    return sandgate
        .batches()
        .run(ids(count), Execs.shell("pwd").build())
        .collect()
        .asList()
        .await()
        .atMost(LIMIT);
  }

  @Test
  void shouldTellWhatCameOfEachCommand() {
    runs(0);

    Map<String, Batches.Ran> items =
        run(4).stream().collect(Collectors.toMap(Batches.Ran::sandboxId, ran -> ran));

    assertEquals(Set.copyOf(ids(4)), items.keySet());
    Batches.Ran failed = Objects.requireNonNull(items.remove("sb-a-1"));
    assertEquals("NOT_FOUND", failed.failure().orElseThrow().code());
    Batches.Ran unknown = Objects.requireNonNull(items.remove("sb-a-2"));
    assertEquals("UNKNOWN_OUTCOME", unknown.failure().orElseThrow().code());
    items.forEach(
        (id, ran) -> {
          assertEquals(id, ran.result().orElseThrow().stdoutText());
          assertEquals(ran.execId(), ran.result().orElseThrow().message().getExecId());
        });
  }

  @Test
  void shouldSplitWhatOneCallCannotTake() {
    runs(0);

    List<Batches.Ran> items = run(MANY);

    assertEquals(MANY, items.stream().map(Batches.Ran::sandboxId).distinct().count());
    assertEquals(MANY, items.stream().map(Batches.Ran::execId).distinct().count());
    assertTrue(calls.size() > 2 && calls.stream().allMatch(count -> count <= 4_096), "" + calls);
  }

  @Test
  void shouldFailWhenItEndsBeforeEveryItemCame() {
    runs(2);

    SandgateClientException failure = assertThrows(SandgateClientException.class, () -> run(5));

    assertTrue(failure.getMessage().contains("2 items missing"), failure.getMessage());
  }

  @Test
  void shouldTellWhatCameOfEachRemoval() {
    gateway.on(
        SandboxesGrpcService.DeleteBatch,
        request ->
            request.handler(
                message -> {
                  request.response().write(DeleteSandboxBatchItem.newBuilder().setIndex(1).build());
                  request
                      .response()
                      .end(
                          DeleteSandboxBatchItem.newBuilder()
                              .setError(ErrorDetail.newBuilder().setCode("NODE_UNREACHABLE"))
                              .setMessage("node a is away")
                              .build());
                }));

    List<Batches.Removed> items = new ArrayList<>();
    sandgate.batches().delete(ids(2)).collect().in(() -> items, List::add).await().atMost(LIMIT);

    assertEquals(
        List.of("sb-a-1", "sb-a-0"), items.stream().map(Batches.Removed::sandboxId).toList());
    assertTrue(items.getFirst().failure().isEmpty());
    assertEquals("NODE_UNREACHABLE", items.getLast().failure().orElseThrow().code());
  }
}
