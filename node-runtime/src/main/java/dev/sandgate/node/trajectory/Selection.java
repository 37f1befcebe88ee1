// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.trajectory;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.spi.SandgateException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose entries are wanted.
 *
 * @param columns the values that columns must have, at least one
 */
record Selection(Map<String, String> columns) {

  private static final int MAX_LABEL = 256;

  /** Reads a request. */
  static Selection of(ListTrajectoryRequest request) {
    Map<String, String> columns = new LinkedHashMap<>();
    if (!request.getSandboxId().isEmpty()) {
      columns.put("sandbox_id", Fields.sandboxId("sandbox_id", request.getSandboxId()));
    }
    label(columns, "episode", request.getEpisode());
    label(columns, "rollout", request.getRollout());
    label(columns, "job", request.getJob());
    if (columns.isEmpty()) {
      throw SandgateException.invalid(
          "sandbox_id",
          "it is empty, and so are the labels; give sandbox_id, episode, rollout or job");
    }
    return new Selection(columns);
  }

  private static void label(Map<String, String> columns, String name, String value) {
    if (!value.isEmpty()) {
      columns.put(name, Fields.text(name, value, MAX_LABEL));
    }
  }

  String condition() {
    StringBuilder condition = new StringBuilder("WHERE revision > ?");
    columns.keySet().forEach(column -> condition.append(" AND ").append(column).append(" = ?"));
    return condition.toString();
  }

  Object[] values(long revision, int most) {
    List<Object> values = new ArrayList<>();
    values.add(revision);
    values.addAll(columns.values());
    values.add(most);
    return values.toArray();
  }
}
