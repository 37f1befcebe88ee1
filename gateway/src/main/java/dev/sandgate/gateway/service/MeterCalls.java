// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Timestamp;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import dev.sandgate.gateway.relay.SandboxId;
import dev.sandgate.gateway.service.Paged.Page;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.MetersGrpcClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Meters of all nodes together: parts with the same key are added up, and so are the totals. */
final class MeterCalls {

  /** As nodes write the token that goes on behind a key. */
  private static final Paged<Meter> PAGED =
      new Paged<>(meter -> "=" + meter.getKey(), MeterCalls::together);

  private final Fleet fleet;
  private final long timeoutMillis;

  MeterCalls(Fleet fleet, long timeoutMillis) {
    this.fleet = fleet;
    this.timeoutMillis = timeoutMillis;
  }

  /** One page; sandboxes that are named are asked for where they are. */
  Future<MeterPage> list(ListMetersRequest request, Caller caller) {
    Map<String, List<String>> named =
        request.getSandboxIdsList().stream().collect(Collectors.groupingBy(this::node));
    List<Fleet.Member> asked =
        fleet.all().stream()
            .filter(member -> named.isEmpty() || named.containsKey(member.nodeId()))
            .toList();
    return Fleet.askAll(
            asked,
            MetersGrpcClient.List,
            member ->
                request.toBuilder()
                    .clearSandboxIds()
                    .addAllSandboxIds(named.getOrDefault(member.nodeId(), List.of()))
                    .build(),
            new Fleet.Asking(caller, timeoutMillis))
        .map(answers -> merge(answers, request.getPageSize()));
  }

  private String node(String sandboxId) {
    String node = SandboxId.node(sandboxId);
    if (node == null) {
      throw CallFailed.invalid("sandbox_ids", "ids look like sb-<node>-<random>");
    }
    if (fleet.all().stream().noneMatch(member -> member.nodeId().equals(node))) {
      throw new CallFailed(
          Failure.of(Code.NOT_FOUND, "there is no node '" + node + "'").field("sandbox_ids"));
    }
    return node;
  }

  private static MeterPage merge(List<Fleet.Answer<MeterPage>> answers, int size) {
    MeterPage.Builder merged = MeterPage.newBuilder();
    List<MeterPage> pages = new ArrayList<>();
    for (Fleet.Answer<MeterPage> answer : answers) {
      if (answer.succeeded()) {
        pages.add(answer.value().getFirst());
      } else if (answer.failedWith(Code.INVALID_ARGUMENT) || answer.failedWith(Code.NOT_FOUND)) {
        throw answer.failure().getFirst();
      } else {
        merged.addUnreachableNodes(answer.member().nodeId());
      }
    }
    pages.forEach(page -> addTotals(merged, page));
    Page<Meter> parts =
        PAGED.merge(
            pages.stream()
                .map(page -> new Page<>(page.getMetersList(), page.getNextPageToken()))
                .toList(),
            size);
    return merged.addAllMeters(parts.items()).setNextPageToken(parts.next()).build();
  }

  private static void addTotals(MeterPage.Builder merged, MeterPage page) {
    merged.setTotal(together(merged.getTotal(), page.getTotal()));
    if (page.hasExpired()) {
      merged.setExpired(together(merged.getExpired(), page.getExpired()));
    }
  }

  /** Every number of a meter is a sum, but for when it was measured. */
  static Meter together(Meter one, Meter other) {
    Meter.Builder sum = one.toBuilder();
    for (Map.Entry<FieldDescriptor, Object> field : other.getAllFields().entrySet()) {
      if (field.getValue() instanceof Long more) {
        sum.setField(field.getKey(), (Long) sum.getField(field.getKey()) + more);
      }
    }
    if (other.hasMeasuredAt() && (!one.hasMeasuredAt() || isBefore(other, one))) {
      sum.setMeasuredAt(other.getMeasuredAt());
    }
    return sum.build();
  }

  private static boolean isBefore(Meter first, Meter second) {
    return Comparator.comparingLong(Timestamp::getSeconds)
            .thenComparingInt(Timestamp::getNanos)
            .compare(first.getMeasuredAt(), second.getMeasuredAt())
        < 0;
  }
}
