// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.ListEnvironmentsResponse;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The gateway's own calls, over real sockets, with two nodes behind it. */
@ExtendWith(Leaks.class)
final class OwnServicesTest {

  private Vertx vertx;
  private TestNode nodeOne;
  private TestNode nodeTwo;
  private FakeServices one;
  private FakeServices two;
  private Gateway gateway;
  private TestClient client;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    nodeOne = TestNode.start(vertx, "n1");
    nodeTwo = TestNode.start(vertx, "n2");
    one = FakeServices.on(nodeOne);
    two = FakeServices.on(nodeTwo);
    gateway = TestGateway.start(vertx, nodeOne.address(), nodeTwo.address());
    client = TestClient.of(vertx, gateway);
  }

  @AfterEach
  void stop() {
    client.close();
    gateway.close();
    nodeOne.close();
    nodeTwo.close();
    Await.result(vertx.close());
  }

  private static CreateSandboxRequest.Builder request() {
    return CreateSandboxRequest.newBuilder()
        .setSpec(SandboxSpec.newBuilder().setEnvironment("busybox"));
  }

  private Outcome<Sandbox> create(CreateSandboxRequest.Builder request) {
    return client.call(SandboxesGrpcClient.Create, request.build());
  }

  @Test
  void shouldCreateUnderAnIdThatNamesTheNode() {
    Outcome<Sandbox> outcome = create(request());
    assertEquals(GrpcStatus.OK, outcome.status(), outcome.message());
    Sandbox sandbox = outcome.answers().getFirst();
    assertTrue(
        sandbox.getSandboxId().matches("sb-" + sandbox.getNodeId() + "-[a-z2-7]{20}"),
        sandbox.getSandboxId());
  }

  @Test
  void shouldTryAnotherNodeWhenOneIsFullAndSaySoWhenAllAre() {
    one.capacity = 0;
    for (int i = 0; i < 10; i++) {
      assertEquals("n2", create(request()).answers().getFirst().getNodeId());
    }
    two.capacity = 0;
    Outcome<Sandbox> refused = create(request());
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, refused.status());
    assertEquals(201, refused.detail().getNumber());
    assertFalse(refused.detail().getNodeId().isEmpty());
  }

  @Test
  void shouldUseOnlyNodesThatHaveTheBackend() {
    two.backend = "microvm";
    for (int i = 0; i < 10; i++) {
      Outcome<Sandbox> made =
          create(request().setSpec(SandboxSpec.newBuilder().setBackend("microvm")));
      assertEquals("n2", made.answers().getFirst().getNodeId());
    }
    Outcome<Sandbox> refused =
        create(request().setSpec(SandboxSpec.newBuilder().setBackend("nonsense")));
    assertEquals(GrpcStatus.UNAVAILABLE, refused.status());
    assertEquals("BACKEND_UNAVAILABLE", refused.detail().getCode());
  }

  @Test
  void shouldGiveTheSameSandboxForTheSameKeyThroughAnyGateway() {
    try (Gateway other = TestGateway.start(vertx, nodeTwo.address(), nodeOne.address());
        TestClient otherClient = TestClient.of(vertx, other)) {
      Set<String> nodes = new HashSet<>();
      for (int i = 0; i < 40; i++) {
        CreateSandboxRequest.Builder request = request().setIdempotencyKey("key-" + i);
        Sandbox first = create(request).answers().getFirst();
        Sandbox again =
            otherClient.call(SandboxesGrpcClient.Create, request.build()).answers().getFirst();
        assertEquals(first.getSandboxId(), again.getSandboxId());
        nodes.add(first.getNodeId());
      }
      assertEquals(Set.of("n1", "n2"), nodes);
      assertEquals(40, one.sandboxes.size() + two.sandboxes.size());
    }
  }

  @Test
  void shouldRefuseAnAssignedIdFromAClient() {
    Outcome<Sandbox> refused = create(request().setAssignedId("sb-n1-aaaaaaaaaaaaaaaaaaaa"));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertEquals("assigned_id", refused.detail().getField());
    assertEquals(0, one.asked.get() + two.asked.get());
  }

  @Test
  void shouldCancelACreationWhoseClientLeft() {
    one.held = true;
    two.held = true;
    GrpcClientRequest<CreateSandboxRequest, Sandbox> call =
        Await.result(client.request(SandboxesGrpcClient.Create));
    call.end(request().build());
    Await.until("a node is asked", () -> one.asked.get() + two.asked.get() == 1);
    call.cancel();
    Await.until("the node is told", () -> one.cancelled.get() + two.cancelled.get() == 1);
  }

  @Test
  void shouldGiveUpACreationAtItsTimeLimit() {
    one.held = true;
    two.held = true;
    Outcome<Sandbox> late = create(request().setTimeoutMillis(50));
    assertEquals(GrpcStatus.DEADLINE_EXCEEDED, late.status());
    assertEquals("DEADLINE_EXCEEDED", late.detail().getCode());
    Await.until("the node is told", () -> one.cancelled.get() + two.cancelled.get() == 1);
  }

  @Test
  void shouldCreateABatchAndReportEveryItemOnce() {
    one.capacity = 700;
    two.capacity = 1_200;
    Outcome<CreateSandboxBatchItem> batch =
        client.call(
            SandboxesGrpcClient.CreateBatch,
            CreateSandboxBatchRequest.newBuilder()
                .setSpec(request().getSpec())
                .setCount(2_000)
                .build());
    assertEquals(GrpcStatus.OK, batch.status(), batch.message());
    Set<Integer> indexes = new HashSet<>();
    Set<String> ids = new HashSet<>();
    int failed = 0;
    for (CreateSandboxBatchItem item : batch.answers()) {
      assertTrue(indexes.add(item.getIndex()));
      if (item.hasError()) {
        assertEquals(201, item.getError().getNumber());
        failed++;
      } else {
        assertTrue(ids.add(item.getSandbox().getSandboxId()));
      }
    }
    assertEquals(2_000, indexes.size());
    assertEquals(100, failed);
    assertEquals(1_900, one.sandboxes.size() + two.sandboxes.size());
  }

  @Test
  void shouldRefuseABatchOfNoneOrTooMany() {
    for (int count : new int[] {0, -1, 32_769}) {
      Outcome<CreateSandboxBatchItem> refused =
          client.call(
              SandboxesGrpcClient.CreateBatch,
              CreateSandboxBatchRequest.newBuilder().setCount(count).build());
      assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
      assertEquals("count", refused.detail().getField());
    }
  }

  private ListSandboxesResponse page(int size, String token) {
    Outcome<ListSandboxesResponse> outcome =
        client.call(
            SandboxesGrpcClient.List,
            ListSandboxesRequest.newBuilder().setPageSize(size).setPageToken(token).build());
    assertEquals(GrpcStatus.OK, outcome.status(), outcome.message());
    return outcome.answers().getFirst();
  }

  @Test
  void shouldListTheSandboxesOfAllNodesNewestFirstPageByPage() {
    for (int i = 0; i < 57; i++) {
      create(request());
    }
    List<Sandbox> seen = new ArrayList<>();
    String token = "";
    do {
      ListSandboxesResponse page = page(10, token);
      assertTrue(page.getSandboxesCount() <= 10);
      seen.addAll(page.getSandboxesList());
      token = page.getNextPageToken();
      create(request());
    } while (!token.isEmpty());
    List<Sandbox> expected = new ArrayList<>(one.sandboxes);
    expected.addAll(two.sandboxes);
    expected.sort(
        Comparator.comparingLong((Sandbox sandbox) -> sandbox.getCreatedAt().getSeconds())
            .reversed());
    assertEquals(expected.subList(expected.size() - 57, expected.size()), seen);
  }

  @Test
  void shouldNameTheNodesThatCouldNotBeListed() {
    create(request());
    nodeTwo.close();
    ListSandboxesResponse page = page(100, "");
    assertEquals(List.of("n2"), page.getUnreachableNodesList());
    assertEquals(one.sandboxes.size(), page.getSandboxesCount());
  }

  @Test
  void shouldRefuseAPageTokenThatIsNone() {
    Outcome<ListSandboxesResponse> refused =
        client.call(
            SandboxesGrpcClient.List, ListSandboxesRequest.newBuilder().setPageToken("x!").build());
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertEquals("page_token", refused.detail().getField());
  }

  @Test
  void shouldShowWhichNodesAreThere() {
    nodeTwo.close();
    List<Node> nodes =
        client
            .call(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
            .answers()
            .getFirst()
            .getNodesList();
    assertEquals(List.of("n1", "n2"), nodes.stream().map(Node::getNodeId).toList());
    assertEquals(List.of(true, false), nodes.stream().map(Node::getReachable).toList());
    assertEquals("container", nodes.getFirst().getBackends(0).getName());
  }

  @Test
  void shouldNeverInflateACompressedMessage() {
    GrpcClientRequest<ImportEnvironmentRequest, ImportProgress> call =
        Await.result(client.request(EnvironmentsGrpcClient.ImportEnvironment));
    call.encoding("gzip");
    Future<Outcome<ImportProgress>> refused = call.response().compose(TestClient::collected);
    ByteString bomb = ByteString.copyFrom(new byte[64 << 20]);
    call.end(ImportEnvironmentRequest.newBuilder().setName("bomb").setData(bomb).build());
    assertEquals(GrpcStatus.UNIMPLEMENTED, Await.result(refused).status());
    assertEquals("UNSUPPORTED", Await.result(refused).detail().getCode());
    assertFalse(one.environments.containsKey("bomb"));
  }

  @Test
  void shouldImportAnEnvironmentIntoEveryNodeAndRemoveItFromAll() {
    GrpcClientRequest<ImportEnvironmentRequest, ImportProgress> call =
        Await.result(client.request(EnvironmentsGrpcClient.ImportEnvironment));
    Future<Outcome<ImportProgress>> importing = call.response().compose(TestClient::collected);
    call.write(ImportEnvironmentRequest.newBuilder().setName("mine").setUpload(true).build());
    ByteString data = ByteString.copyFrom(new byte[50_000]);
    for (int i = 0; i < 200; i++) {
      call.write(ImportEnvironmentRequest.newBuilder().setData(data).build());
    }
    call.end();
    Outcome<ImportProgress> done = Await.result(importing);
    assertEquals(GrpcStatus.OK, done.status(), done.message());
    assertEquals("mine", done.answers().getLast().getEnvironment().getName());
    assertEquals(10_000_000L, one.environments.get("mine"));
    assertEquals(10_000_000L, two.environments.get("mine"));

    Outcome<ListEnvironmentsResponse> list =
        client.call(EnvironmentsGrpcClient.List, ListEnvironmentsRequest.getDefaultInstance());
    assertEquals(1, list.answers().getFirst().getEnvironmentsCount());
    assertEquals(4, list.answers().getFirst().getEnvironments(0).getSandboxes());

    two.environments.remove("mine");
    RemoveEnvironmentRequest removal =
        RemoveEnvironmentRequest.newBuilder().setReference("mine").build();
    assertEquals(GrpcStatus.OK, client.call(EnvironmentsGrpcClient.Remove, removal).status());
    assertTrue(one.environments.isEmpty());
    Outcome<?> gone = client.call(EnvironmentsGrpcClient.Remove, removal);
    assertEquals(GrpcStatus.NOT_FOUND, gone.status());
    assertEquals("reference", gone.detail().getField());
    Outcome<Environment> missing =
        client.call(
            EnvironmentsGrpcClient.Get,
            GetEnvironmentRequest.newBuilder().setReference("mine").build());
    assertEquals(GrpcStatus.NOT_FOUND, missing.status());
  }

  @Test
  void shouldSayWhyANodeRefusesAnImportWhoseProgressWasShown() {
    two.refusal = "tar: \"../évil\": 100% + no plain path";
    GrpcClientRequest<ImportEnvironmentRequest, ImportProgress> call =
        Await.result(client.request(EnvironmentsGrpcClient.ImportEnvironment));
    Future<Outcome<ImportProgress>> importing = call.response().compose(TestClient::collected);
    call.end(ImportEnvironmentRequest.newBuilder().setName("bad").setUpload(true).build());
    Outcome<ImportProgress> refused = Await.result(importing);
    assertFalse(refused.answers().isEmpty(), "its progress was shown");
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.message().startsWith(two.refusal + " (this is node "), refused.message());
    assertEquals("data", refused.detail().getField());
  }
}
