// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static dev.sandgate.gateway.service.NodeAnswers.answers;
import static dev.sandgate.gateway.service.NodeAnswers.fails;
import static dev.sandgate.gateway.service.NodeAnswers.says;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.RemoveEnvironmentResponse;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import dev.sandgate.proto.v1.SnapshotsGrpcService;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What two nodes together tell of what one of them did not do, and who they hear that calls; over real sockets. */
@ExtendWith(Leaks.class)
final class PartialOutcomesTest {

  private Vertx vertx;
  private TestNode one;
  private TestNode two;
  private Gateway gateway;
  private TestClient client;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    one = TestNode.start(vertx, "n1");
    two = TestNode.start(vertx, "n2");
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

  private Outcome<RemoveEnvironmentResponse> remove() {
    return client.call(
        EnvironmentsGrpcClient.Remove,
        RemoveEnvironmentRequest.newBuilder().setReference("base").build());
  }

  @Test
  void shouldSayOfEachNodeHowARemovalWentAndFinishItLater() {
    RemoveEnvironmentResponse gone = RemoveEnvironmentResponse.getDefaultInstance();
    answers(one, EnvironmentsGrpcService.Remove, says(gone), fails(Code.NOT_FOUND));
    answers(
        two,
        EnvironmentsGrpcService.Remove,
        fails(Code.FAILED_PRECONDITION),
        says(gone),
        fails(Code.NOT_FOUND));
    Outcome<RemoveEnvironmentResponse> half = remove();
    assertEquals(GrpcStatus.FAILED_PRECONDITION, half.status());
    String told = half.message();
    assertTrue(told.contains("as told") && told.contains("node n1 removed it"), told);
    assertTrue(told.contains("node n2: FAILED_PRECONDITION"), told);
    assertEquals(GrpcStatus.OK, remove().status());
    assertEquals(GrpcStatus.NOT_FOUND, remove().status());
  }

  @Test
  void shouldSayWhichNodesHaveAnImportThatFailedAndFinishItLater() {
    ImportProgress made =
        ImportProgress.newBuilder()
            .setEnvironment(Environment.newBuilder().setName("base").build())
            .build();
    answers(one, EnvironmentsGrpcService.ImportEnvironment, says(made));
    answers(
        two, EnvironmentsGrpcService.ImportEnvironment, fails(Code.RESOURCE_EXHAUSTED), says(made));
    Outcome<ImportProgress> half = take();
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, half.status());
    assertTrue(half.message().contains("this is node n2"), half.message());
    Outcome<ImportProgress> whole = take();
    assertEquals(GrpcStatus.OK, whole.status());
    assertEquals(made, whole.answers().getLast());
  }

  private Outcome<ImportProgress> take() {
    return client.call(
        EnvironmentsGrpcClient.ImportEnvironment,
        ImportEnvironmentRequest.newBuilder().setName("base").setBuiltin("busybox").build());
  }

  @Test
  void shouldTellNodesWhoCallsWhateverTheCallerSays() {
    Queue<String> told = new ConcurrentLinkedQueue<>();
    tells(EnvironmentsGrpcService.ImportEnvironment, told, ImportProgress.getDefaultInstance());
    tells(SnapshotsGrpcService.Create, told, Snapshot.getDefaultInstance());
    forged(EnvironmentsGrpcClient.ImportEnvironment, ImportEnvironmentRequest.getDefaultInstance());
    forged(
        SnapshotsGrpcClient.Create,
        CreateSnapshotRequest.newBuilder().setSandboxId("sb-n1-0000000000000001").build());
    assertEquals(List.of("test", "test"), List.copyOf(told));
  }

  private <Q, A> void tells(ServiceMethod<Q, A> method, Queue<String> told, A answer) {
    one.grpc()
        .callHandler(
            method,
            request -> {
              told.add(String.valueOf(request.headers().get("sandgate-caller")));
              request.handler(_ -> request.response().end(answer));
            });
  }

  private <Q, A> void forged(ServiceMethod<A, Q> method, Q message) {
    Await.result(
        client
            .request(method)
            .compose(
                request -> {
                  request.headers().set("sandgate-caller", "somebody else");
                  request.end(message);
                  return request.response().compose(TestClient::collected);
                }));
  }
}
