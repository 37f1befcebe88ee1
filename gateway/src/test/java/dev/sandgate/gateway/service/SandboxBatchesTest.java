// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.FakeServices;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.DeleteSandboxBatchItem;
import dev.sandgate.proto.v1.DeleteSandboxBatchRequest;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.PauseSandboxBatchItem;
import dev.sandgate.proto.v1.PauseSandboxBatchRequest;
import dev.sandgate.proto.v1.ResumeSandboxBatchItem;
import dev.sandgate.proto.v1.ResumeSandboxBatchRequest;
import dev.sandgate.proto.v1.RunExecBatchItem;
import dev.sandgate.proto.v1.RunExecBatchRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls that name many sandboxes on two nodes. */
@ExtendWith(Leaks.class)
final class SandboxBatchesTest {

  private static final int ITEMS = 1_000;

  private Vertx vertx;
  private TestNode one;
  private TestNode two;
  private FakeServices first;
  private FakeServices second;
  private Gateway gateway;
  private TestClient client;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    one = TestNode.start(vertx, "n1");
    two = TestNode.start(vertx, "n2");
    first = FakeServices.on(one);
    second = FakeServices.on(two);
    gateway = TestGateway.start(vertx, one.address(), two.address());
    client = TestClient.of(vertx, gateway);
  }

  @AfterEach
  void stop() {
    client.close();
    gateway.close();
    one.close();
    two.close();
    Await.result(vertx.close());
  }

  private static RunExecRequest item(String sandbox, String exec, String stdin) {
    return RunExecRequest.newBuilder()
        .setSandboxId(sandbox)
        .setExecId(exec)
        .setStdin(ByteString.copyFromUtf8(stdin))
        .build();
  }

  private static RunExecBatchRequest batch(String unusual) {
    RunExecBatchRequest.Builder batch = RunExecBatchRequest.newBuilder();
    for (int i = 0; i < ITEMS; i++) {
      String exec = i == 5 ? unusual : "e" + i;
      batch.addItems(item("sb-n" + (1 + i % 2) + "-abc", exec, "in " + i));
    }
    return batch.build();
  }

  private static RunExecBatchItem taken(Map<Integer, RunExecBatchItem> items, int index) {
    return Objects.requireNonNull(items.remove(index));
  }

  @Test
  void shouldRunEveryItemOnItsNodeAndReportEachOnce() {
    Outcome<RunExecBatchItem> outcome =
        client.call(
            ExecsGrpcClient.RunBatch,
            batch("fail").toBuilder()
                .addItems(item("no-id", "e", ""))
                .addItems(item("sb-n9-abc", "e", ""))
                .build());
    assertEquals(GrpcStatus.OK, outcome.status(), outcome.message());
    Map<Integer, RunExecBatchItem> items = new ConcurrentHashMap<>();
    outcome.answers().forEach(item -> assertEquals(null, items.put(item.getIndex(), item)));
    assertEquals(ITEMS + 2, items.size());
    assertEquals("sandbox lost: ü", taken(items, 5).getMessage());
    assertEquals("INVALID_ARGUMENT", taken(items, ITEMS).getError().getCode());
    assertEquals("NOT_FOUND", taken(items, ITEMS + 1).getError().getCode());
    items.forEach(
        (index, item) -> {
          assertEquals("in " + index, item.getResult().getStdout().toStringUtf8());
          assertEquals("n" + (1 + index % 2), item.getResult().getExecId());
        });
  }

  @Test
  void shouldNotLetASlowItemDelayTheOthersAndCancelItWithTheCall() {
    Map<Integer, RunExecBatchItem> items = new ConcurrentHashMap<>();
    Future<GrpcClientRequest<RunExecBatchRequest, RunExecBatchItem>> call =
        client.request(ExecsGrpcClient.RunBatch);
    Future<Void> answered =
        call.compose(
            request -> {
              request.end(batch("hang"));
              return request
                  .response()
                  .map(
                      response -> {
                        response.handler(item -> items.put(item.getIndex(), item));
                        return null;
                      });
            });
    Await.result(answered);
    Await.until("all but the slow one came", () -> items.size() == ITEMS - 1);
    assertTrue(!items.containsKey(5));
    Await.result(call).cancel();
    Await.until("the node is told", () -> two.resets.get() == 1);
  }

  @Test
  void shouldRefuseNoneAndTooMany() {
    Outcome<RunExecBatchItem> none =
        client.call(ExecsGrpcClient.RunBatch, RunExecBatchRequest.getDefaultInstance());
    assertEquals("items", none.detail().getField());
    RunExecBatchRequest.Builder many = RunExecBatchRequest.newBuilder();
    for (int i = 0; i < 4_097; i++) {
      many.addItems(item("sb-n1-a", "e", ""));
    }
    Outcome<RunExecBatchItem> tooMany = client.call(ExecsGrpcClient.RunBatch, many.build());
    assertEquals(GrpcStatus.INVALID_ARGUMENT, tooMany.status());
    Outcome<DeleteSandboxBatchItem> nothing =
        client.call(
            SandboxesGrpcClient.DeleteBatch, DeleteSandboxBatchRequest.getDefaultInstance());
    assertEquals("sandbox_ids", nothing.detail().getField());
  }

  private List<String> made() {
    return client
        .call(
            SandboxesGrpcClient.CreateBatch,
            CreateSandboxBatchRequest.newBuilder().setCount(200).build())
        .answers()
        .stream()
        .map(CreateSandboxBatchItem::getSandbox)
        .map(sandbox -> sandbox.getSandboxId())
        .toList();
  }

  @Test
  void shouldPauseAndResumeManyOfAnyNodesByIdOrLabel() {
    List<String> ids = made();
    Outcome<PauseSandboxBatchItem> byId =
        client.call(
            SandboxesGrpcClient.PauseBatch,
            PauseSandboxBatchRequest.newBuilder()
                .addAllSandboxIds(ids)
                .addSandboxIds("sb-n1-gone")
                .build());
    assertEquals(GrpcStatus.OK, byId.status(), byId.message());
    assertEquals(201, byId.answers().stream().map(item -> item.getSandboxId()).distinct().count());
    List<PauseSandboxBatchItem> failed =
        byId.answers().stream().filter(PauseSandboxBatchItem::hasError).toList();
    assertEquals("sb-n1-gone", failed.getFirst().getSandboxId());
    assertEquals(1, failed.size());
    Outcome<PauseSandboxBatchItem> byLabel =
        client.call(
            SandboxesGrpcClient.PauseBatch,
            PauseSandboxBatchRequest.newBuilder().putLabels("job", "j1").build());
    assertEquals(200, byLabel.answers().stream().filter(item -> item.hasPaused()).count());
    Outcome<ResumeSandboxBatchItem> resumed =
        client.call(
            SandboxesGrpcClient.ResumeBatch,
            ResumeSandboxBatchRequest.newBuilder().putLabels("job", "j1").build());
    assertEquals(200, resumed.answers().stream().filter(item -> item.hasSandbox()).count());
  }

  @Test
  void shouldRefuseAPauseOfBothOrNothing() {
    PauseSandboxBatchRequest both =
        PauseSandboxBatchRequest.newBuilder().addSandboxIds("sb-n1-a").putLabels("a", "b").build();
    for (PauseSandboxBatchRequest wrong :
        List.of(both, PauseSandboxBatchRequest.getDefaultInstance())) {
      Outcome<PauseSandboxBatchItem> refused = client.call(SandboxesGrpcClient.PauseBatch, wrong);
      assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
      assertEquals("sandbox_ids", refused.detail().getField());
    }
  }

  @Test
  void shouldRemoveManyAndReportEachOnce() {
    List<String> ids = made();
    List<String> asked = Stream.concat(ids.stream(), Stream.of("sb-n9-gone")).toList();
    Outcome<DeleteSandboxBatchItem> outcome =
        client.call(
            SandboxesGrpcClient.DeleteBatch,
            DeleteSandboxBatchRequest.newBuilder().addAllSandboxIds(asked).build());
    assertEquals(201, outcome.answers().stream().map(item -> item.getIndex()).distinct().count());
    assertEquals(1, outcome.answers().stream().filter(DeleteSandboxBatchItem::hasError).count());
    assertEquals(0, first.sandboxes.size() + second.sandboxes.size());
  }
}
