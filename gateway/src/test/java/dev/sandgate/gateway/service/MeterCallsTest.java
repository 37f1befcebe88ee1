// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.Timestamp;
import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.MetersGrpcClient;
import dev.sandgate.proto.v1.MetersGrpcService;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Meters of several nodes through the gateway, over real sockets. */
@ExtendWith(Leaks.class)
final class MeterCallsTest {

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private Vertx vertx;
  private TestNode nodeOne;
  private TestNode nodeTwo;
  private final NavigableMap<String, Meter> one = new TreeMap<>();
  private final NavigableMap<String, Meter> two = new TreeMap<>();
  private Gateway gateway;
  private TestClient client;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    nodeOne = node("n1", one);
    nodeTwo = node("n2", two);
    gateway = TestGateway.start(vertx, nodeOne.address(), nodeTwo.address());
    client = TestClient.of(vertx, gateway);
  }

  private TestNode node(String id, NavigableMap<String, Meter> meters) {
    TestNode node = TestNode.start(vertx, id);
    node.grpc()
        .callHandler(
            MetersGrpcService.List,
            request ->
                request.handler(
                    message -> {
                      message
                          .getSandboxIdsList()
                          .forEach(asked -> this.asked.add(id + " " + asked));
                      request.response().end(page(meters, message));
                    }));
    return node;
  }

  private static MeterPage page(NavigableMap<String, Meter> meters, ListMetersRequest request) {
    MeterPage.Builder page = MeterPage.newBuilder();
    Meter total = Meter.getDefaultInstance();
    for (Meter meter : meters.values()) {
      total = MeterCalls.together(total, meter);
    }
    String last = "";
    for (var entry : meters.tailMap(request.getPageToken(), false).entrySet()) {
      if (page.getMetersCount() == request.getPageSize()) {
        page.setNextPageToken(last);
        break;
      }
      page.addMeters(entry.getValue());
      last = entry.getKey();
    }
    return page.setTotal(total).setExpired(meter("", 1)).build();
  }

  @AfterEach
  void stop() {
    client.close();
    gateway.close();
    nodeOne.close();
    nodeTwo.close();
    Await.result(vertx.close());
  }

  private static Meter meter(String key, long cpu) {
    return Meter.newBuilder().setKey(key).setSandboxes(1).setCpuMicros(cpu).build();
  }

  private static void put(NavigableMap<String, Meter> meters, Meter meter) {
    meters.put("=" + meter.getKey(), meter);
  }

  private Outcome<MeterPage> list(ListMetersRequest.Builder request) {
    return client.call(MetersGrpcClient.List, request.build());
  }

  private MeterPage listed(ListMetersRequest.Builder request) {
    Outcome<MeterPage> outcome = list(request);
    assertEquals(GrpcStatus.OK, outcome.status(), outcome.message());
    return outcome.answers().getFirst();
  }

  @Test
  void shouldAddUpPartsWithTheSameKeyAndTheTotalsPageByPage() {
    for (int i = 0; i < 40; i++) {
      String key = i == 0 ? "" : "r%02d".formatted(i);
      if (i % 3 != 0) {
        put(one, meter(key, 1));
      }
      if (i % 3 != 1) {
        put(two, meter(key, 10));
      }
    }
    List<Meter> all = new ArrayList<>();
    String token = "";
    do {
      MeterPage page = listed(ListMetersRequest.newBuilder().setPageSize(7).setPageToken(token));
      all.addAll(page.getMetersList());
      assertEquals(26 + 270, page.getTotal().getCpuMicros());
      assertEquals(2, page.getExpired().getCpuMicros());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertEquals(40, all.stream().map(Meter::getKey).distinct().count());
    assertEquals(40, all.size());
    assertEquals(296, all.stream().mapToLong(Meter::getCpuMicros).sum());
    assertEquals(11, all.get(2).getCpuMicros());
  }

  @Test
  void shouldNotMakeMeasuredOfWhatIsNotAndKeepTheOldestTime() {
    Timestamp early = Timestamp.newBuilder().setSeconds(5).build();
    Timestamp late = Timestamp.newBuilder().setSeconds(6).build();
    put(one, meter("a", 1).toBuilder().setMeasuredAt(late).build());
    put(two, meter("a", 1).toBuilder().setMeasuredAt(early).setReadBytes(7).build());
    put(one, meter("b", 1));
    put(two, meter("b", 1));
    MeterPage page = listed(ListMetersRequest.newBuilder().setPageSize(10));
    assertEquals(early, page.getMeters(0).getMeasuredAt());
    assertEquals(7, page.getMeters(0).getReadBytes());
    assertFalse(page.getMeters(1).hasReadBytes());
    assertFalse(page.getMeters(1).hasMeasuredAt());
  }

  @Test
  void shouldAskForASandboxWhereItIs() {
    listed(ListMetersRequest.newBuilder().addSandboxIds("sb-n2-a").addSandboxIds("sb-n1-b"));
    assertEquals(List.of("n1 sb-n1-b", "n2 sb-n2-a"), asked.stream().sorted().toList());
    asked.clear();
    listed(ListMetersRequest.newBuilder().addSandboxIds("sb-n2-a"));
    assertEquals(List.of("n2 sb-n2-a"), asked);
    assertEquals(
        GrpcStatus.NOT_FOUND,
        list(ListMetersRequest.newBuilder().addSandboxIds("sb-n9-a")).status());
    assertEquals(
        GrpcStatus.INVALID_ARGUMENT,
        list(ListMetersRequest.newBuilder().addSandboxIds("x")).status());
  }

  @Test
  void shouldSayWhichNodeIsMissing() {
    put(one, meter("a", 1));
    put(two, meter("a", 1));
    nodeTwo.close();
    MeterPage page = listed(ListMetersRequest.newBuilder().setPageSize(10));
    assertEquals(1, page.getTotal().getCpuMicros());
    assertEquals(List.of("n2"), page.getUnreachableNodesList());
  }
}
