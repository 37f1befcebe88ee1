// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterGrouping;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.MetersGrpcClient;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What a node's meters say.
 *
 * @param rpc the node
 */
public record Figures(Rpc rpc) {

  /** One page. */
  public MeterPage page(ListMetersRequest.Builder request) {
    return rpc.unary(MetersGrpcClient.List, request.build());
  }

  /** All parts, page by page. */
  public List<Meter> all(ListMetersRequest.Builder request) {
    List<Meter> all = new ArrayList<>();
    String token = "";
    do {
      MeterPage page = page(request.setPageToken(token));
      all.addAll(page.getMetersList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  /** One sandbox's, measured now if it lives. */
  public Meter of(String sandboxId) {
    return page(ListMetersRequest.newBuilder().addSandboxIds(sandboxId)).getMeters(0);
  }

  /** What all together used, as it was measured last. */
  public MeterPage total() {
    return page(ListMetersRequest.newBuilder().setBy(MeterGrouping.METER_GROUPING_NODE));
  }

  /** One number of several meters. */
  public static long sum(List<Meter> meters, ToLongFunction<Meter> number) {
    return meters.stream().mapToLong(number).sum();
  }
}
