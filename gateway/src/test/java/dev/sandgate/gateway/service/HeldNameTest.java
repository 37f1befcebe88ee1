// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An import whose name the first of two nodes holds, over real sockets. */
@ExtendWith(Leaks.class)
final class HeldNameTest {

  private static final ImportProgress BEGUN =
      ImportProgress.newBuilder().setPhase("beginning").setPercent(-1).build();
  private static final ImportProgress MADE =
      ImportProgress.newBuilder()
          .setPercent(100)
          .setEnvironment(Environment.newBuilder().setName("base"))
          .build();

  private final Queue<ImportEnvironmentRequest> toOne = new ConcurrentLinkedQueue<>();
  private final Queue<ImportEnvironmentRequest> toTwo = new ConcurrentLinkedQueue<>();
  private final Queue<GrpcServerRequest<ImportEnvironmentRequest, ImportProgress>> holding =
      new ConcurrentLinkedQueue<>();
  private final AtomicInteger released = new AtomicInteger();
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
    one.grpc()
        .callHandler(
            EnvironmentsGrpcService.ImportEnvironment,
            request -> {
              request.handler(toOne::add);
              request.errorHandler(_ -> released.incrementAndGet());
              request.exceptionHandler(_ -> released.incrementAndGet());
              request.response().exceptionHandler(_ -> released.incrementAndGet());
              holding.add(request);
            });
    two.grpc()
        .callHandler(
            EnvironmentsGrpcService.ImportEnvironment,
            request -> {
              request.handler(toTwo::add);
              request.endHandler(_ -> request.response().end(MADE));
            });
    gateway = TestGateway.start(vertx, two.address(), one.address());
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

  private Future<Outcome<ImportProgress>> importing() {
    return client
        .request(EnvironmentsGrpcClient.ImportEnvironment)
        .compose(
            request -> {
              request.end(
                  ImportEnvironmentRequest.newBuilder()
                      .setName("base")
                      .setBuiltin("busybox")
                      .setHold(true)
                      .build());
              return request.response().compose(TestClient::collected);
            });
  }

  @Test
  void shouldBeginOnOtherNodesWhenTheFirstHoldsTheNameAndLetGoWhenAllHaveIt() {
    Future<Outcome<ImportProgress>> done = importing();
    Await.until("the first is asked", () -> toOne.size() == 1);
    assertTrue(toOne.element().getHold());
    assertTrue(toTwo.isEmpty(), "the other began before the first holds the name");
    var _ = holding.element().response().write(BEGUN);
    Await.until("the other is asked", () -> toTwo.size() == 1);
    assertFalse(toTwo.element().getHold(), "a caller's hold is nobody's");
    assertEquals(0, released.get());
    assertFalse(done.isComplete());
    var _ = holding.element().response().write(MADE);
    assertEquals(GrpcStatus.OK, Await.result(done).status());
    assertEquals(List.of(BEGUN, MADE), Await.result(done).answers());
    Await.until("the name is let go", () -> released.get() > 0);
  }

  @Test
  void shouldAskNoOtherWhenTheFirstRefuses() {
    Future<Outcome<ImportProgress>> done = importing();
    Await.until("the first is asked", () -> holding.size() == 1 && toOne.size() == 1);
    var _ = holding.element().response().status(GrpcStatus.ALREADY_EXISTS).end();
    assertFalse(Await.result(done).status() == GrpcStatus.OK);
    assertTrue(toTwo.isEmpty());
  }
}
