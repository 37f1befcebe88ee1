// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.top;

import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How things are at one moment.
 *
 * @param time when
 * @param nodes all of them
 * @param living the meters of living sandboxes, as they were measured last
 * @param busiest some of them, first ones first, measured now
 */
record View(Instant time, List<Node> nodes, List<Meter> living, List<Meter> busiest) {

  private static final int MOST_NAMED = 100;

  /** Asks; blocks. */
  static View of(Sandgate sandgate, Order order, int limit) {
    List<Node> nodes = sandgate.nodes().await().indefinitely();
    List<Meter> living = meters(sandgate, ListMetersRequest.newBuilder().setLiving(true).build());
    List<String> first =
        living.stream()
            .sorted(order.comparator())
            .limit(Math.min(limit, MOST_NAMED))
            .map(Meter::getKey)
            .toList();
    return new View(Instant.now(), nodes, living, measured(sandgate, first, order));
  }

  private static List<Meter> measured(Sandgate sandgate, List<String> ids, Order order) {
    if (ids.isEmpty()) {
      return List.of();
    }
    ListMetersRequest named =
        ListMetersRequest.newBuilder().addAllSandboxIds(ids).setLiving(true).build();
    try {
      return meters(sandgate, named).stream().sorted(order.comparator()).toList();
    } catch (SandgateClientException forgotten) {
      if (forgotten.code().equals("NOT_FOUND")) {
        return List.of(); // one has ended and is not known any more: next time
      }
      throw forgotten;
    }
  }

  private static List<Meter> meters(Sandgate sandgate, ListMetersRequest request) {
    List<Meter> all = new ArrayList<>();
    for (MeterPage page : sandgate.meters().pages(request).subscribe().asIterable()) {
      all.addAll(page.getMetersList());
    }
    return all;
  }

  /** The living by node; every node is there. */
  Map<String, List<Meter>> byNode() {
    Map<String, List<Meter>> byNode = new LinkedHashMap<>();
    nodes.forEach(node -> byNode.put(node.getNodeId(), new ArrayList<>()));
    for (Meter meter : living) {
      String node = meter.getKey().split("-", 3)[1];
      byNode.computeIfAbsent(node, _ -> new ArrayList<>()).add(meter);
    }
    return byNode;
  }
}
