// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.DeleteSandboxResponse;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxesGrpcService;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Sandboxes are made, listed and removed; part of a batch that is missing is an error. */
final class SandboxesTest extends GatewayTest {

  private static CreateSandboxBatchItem created(int index) {
    return CreateSandboxBatchItem.newBuilder()
        .setIndex(index)
        .setSandbox(Sandbox.newBuilder().setSandboxId("sb-a-" + index))
        .build();
  }

  @Test
  void shouldDeleteTheSandboxWhenItsHandleIsClosed() {
    List<String> deleted = new CopyOnWriteArrayList<>();
    gateway.on(
        SandboxesGrpcService.Create,
        request ->
            request.handler(
                message -> {
                  assertEquals("busybox", message.getSpec().getEnvironment());
                  assertEquals("Bearer sgk_test", request.headers().get("authorization"));
                  request.response().end(Sandbox.newBuilder().setSandboxId("sb-a-9").build());
                }));
    gateway.on(
        SandboxesGrpcService.Delete,
        request ->
            request.handler(
                message -> {
                  deleted.add(message.getSandboxId());
                  request
                      .response()
                      .end(DeleteSandboxResponse.newBuilder().setExisted(true).build());
                }));

    try (SandboxHandle box = sandgate.create("busybox")) {
      assertEquals("sb-a-9", box.id());
    }

    assertEquals(List.of("sb-a-9"), deleted);
  }

  @Test
  void shouldReportEachItemOfABatch() {
    gateway.on(
        SandboxesGrpcService.CreateBatch,
        request ->
            request.handler(
                message -> {
                  request.response().write(created(1));
                  request
                      .response()
                      .end(
                          CreateSandboxBatchItem.newBuilder()
                              .setError(
                                  ErrorDetail.newBuilder()
                                      .setNumber(201)
                                      .setCode("RESOURCE_EXHAUSTED"))
                              .setMessage("full")
                              .build());
                }));

    List<BatchItem> items = batch(2).await().atMost(LIMIT);

    assertEquals(
        "sb-a-1", assertInstanceOf(BatchItem.Created.class, items.getFirst()).sandbox().id());
    SandgateClientException reason =
        assertInstanceOf(BatchItem.Failed.class, items.getLast()).reason();
    assertEquals("RESOURCE_EXHAUSTED", reason.code());
    assertEquals("full", reason.getMessage());
  }

  private Uni<List<BatchItem>> batch(int count) {
    return sandgate
        .sandboxes()
        .createBatch(CreateSandboxBatchRequest.newBuilder().setCount(count).build())
        .collect()
        .asList();
  }

  @Test
  void shouldFailWhenABatchEndsBeforeEveryItemCame() {
    gateway.on(
        SandboxesGrpcService.CreateBatch,
        request -> request.handler(message -> request.response().end(created(0))));

    SandgateClientException failure =
        assertThrows(SandgateClientException.class, () -> batch(3).await().atMost(LIMIT));

    assertTrue(failure.getMessage().contains("2 items missing"), failure.getMessage());
  }

  @Test
  void shouldListPageByPage() {
    gateway.on(
        SandboxesGrpcService.List,
        request ->
            request.handler(
                message -> {
                  boolean first = message.getPageToken().isEmpty();
                  request
                      .response()
                      .end(
                          ListSandboxesResponse.newBuilder()
                              .addSandboxes(
                                  Sandbox.newBuilder().setSandboxId(first ? "sb-a-1" : "sb-a-2"))
                              .setNextPageToken(first ? "t" : "")
                              .build());
                }));

    List<String> ids =
        sandgate
            .sandboxes()
            .list(ListSandboxesRequest.getDefaultInstance())
            .map(Sandbox::getSandboxId)
            .collect()
            .asList()
            .await()
            .atMost(LIMIT);

    assertEquals(List.of("sb-a-1", "sb-a-2"), ids);
  }
}
