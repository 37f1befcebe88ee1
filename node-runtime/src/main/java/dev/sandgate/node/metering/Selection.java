// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.checks.Paging;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which sandboxes are added up, and to what.
 *
 * @param ids these; all when there are none
 * @param labels that must all match
 * @param living only those that live
 * @param key what a sandbox is added to; null: it stands for itself
 * @param paging which parts
 */
record Selection(
    Set<String> ids,
    Map<String, String> labels,
    boolean living,
    @Nullable Function<Metered, String> key,
    Paging paging) {

  private static final int MOST_IDS = 100;
  private static final int MOST_LABEL = 63;

  /** A key may be empty, a token that goes on behind it may not. */
  private static final String TOKEN = "=";

  static Selection of(ListMetersRequest request, String nodeId) {
    Fields.range("sandbox_ids", request.getSandboxIdsCount(), 0, MOST_IDS);
    request.getSandboxIdsList().forEach(id -> Fields.sandboxId("sandbox_ids", id));
    return new Selection(
        request.getSandboxIdsList().stream().collect(Collectors.toUnmodifiableSet()),
        request.getLabelsMap(),
        request.getLiving(),
        key(request, nodeId),
        Paging.of(request.getPageSize(), token(request.getPageToken())));
  }

  private static String token(String token) {
    if (!token.isEmpty() && !token.startsWith(TOKEN)) {
      throw SandgateException.invalid(
          "page_token", "give the next_page_token of an earlier answer");
    }
    return token;
  }

  private static @Nullable Function<Metered, String> key(ListMetersRequest request, String nodeId) {
    return switch (request.getBy()) {
      case METER_GROUPING_UNSPECIFIED -> null;
      case METER_GROUPING_LABEL -> byLabel(request.getLabel());
      case METER_GROUPING_CLASS -> one -> className(one.live().secret().getSpec().getQosClass());
      case METER_GROUPING_NODE -> _ -> nodeId;
      case UNRECOGNIZED -> throw SandgateException.invalid("by", "give a value of MeterGrouping");
    };
  }

  private static Function<Metered, String> byLabel(String label) {
    if (Fields.text("label", label, MOST_LABEL).isEmpty()) {
      throw SandgateException.invalid("label", "it is empty; give the label's key");
    }
    return one -> one.live().labels().getOrDefault(label, "");
  }

  private static String className(QosClass qosClass) {
    return qosClass == QosClass.QOS_CLASS_LATENCY_SENSITIVE ? "latency_sensitive" : "best_effort";
  }

  /** The meter of a sandbox that was asked for by its id. */
  static Metered known(@Nullable Metered found, String id) {
    if (found == null) {
      throw new SandgateException(
          ErrorCode.NOT_FOUND, "sandbox_ids", "nothing is known of sandbox " + id, null);
    }
    return found;
  }

  private boolean everything() {
    return ids.isEmpty() && labels.isEmpty() && !living;
  }

  private boolean has(Metered one) {
    return (ids.isEmpty() || ids.contains(one.live().id()))
        && (!living || one.lives())
        && one.live().labels().entrySet().containsAll(labels.entrySet());
  }

  /** One page; no more parts are held than it has. */
  MeterPage page(Collection<Metered> all, Meter expired, long now) {
    Parts parts = new Parts(paging);
    Sum total = new Sum("");
    for (Metered one : all) {
      if (has(one)) {
        Meter shown = one.shown(now);
        total.add(shown);
        parts.add(shown, key == null ? null : key.apply(one));
      }
    }
    MeterPage.Builder page = MeterPage.newBuilder();
    if (everything()) {
      total.add(expired);
      page.setExpired(expired);
    }
    return parts.into(page).setTotal(total.shown()).build();
  }

  /** The first parts behind the token, in the order of their keys. */
  private static final class Parts {
    private final Paging paging;
    private final TreeMap<String, Object> first = new TreeMap<>();

    Parts(Paging paging) {
      this.paging = paging;
    }

    void add(Meter one, @Nullable String group) {
      String token = TOKEN + (group == null ? one.getKey() : group);
      if (token.compareTo(paging.after()) <= 0) {
        return;
      }
      if (group == null) {
        first.put(token, one);
      } else {
        ((Sum) first.computeIfAbsent(token, _ -> new Sum(group))).add(one);
      }
      // What falls out comes after the page, whatever else is added.
      if (first.size() > paging.size() + 1) {
        first.pollLastEntry();
      }
    }

    MeterPage.Builder into(MeterPage.Builder page) {
      List<Map.Entry<String, Object>> parts = List.copyOf(first.entrySet());
      int count = Math.min(parts.size(), paging.size());
      for (Map.Entry<String, Object> part : parts.subList(0, count)) {
        page.addMeters(part.getValue() instanceof Sum sum ? sum.shown() : (Meter) part.getValue());
      }
      return parts.size() > count ? page.setNextPageToken(parts.get(count - 1).getKey()) : page;
    }
  }
}
