// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far what several nodes list was read. Given to clients as opaque text.
 *
 * @param positions each node's own cursor
 */
record NodeCursor(Map<String, String> positions) {

  /** Reads what a client gave; empty text is the beginning. */
  static NodeCursor parse(String field, String text) {
    Map<String, String> positions = new TreeMap<>();
    if (!text.isEmpty()) {
      try {
        byte[] json = Base64.getUrlDecoder().decode(text);
        JsonObject nodes = new JsonObject(new String(json, StandardCharsets.UTF_8));
        nodes.fieldNames().forEach(node -> positions.put(node, nodes.getString(node)));
      } catch (IllegalArgumentException | DecodeException | ClassCastException e) {
        throw CallFailed.invalid(field, "give the cursor of an earlier page");
      }
    }
    return new NodeCursor(positions);
  }

  String of(String nodeId) {
    return positions.getOrDefault(nodeId, "");
  }

  boolean has(String nodeId) {
    return positions.containsKey(nodeId);
  }

  /** It is further on one node. */
  void move(String nodeId, String position) {
    positions.put(nodeId, position);
  }

  /** As clients get it. */
  String text() {
    JsonObject nodes = new JsonObject();
    positions.forEach(nodes::put);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(nodes.encode().getBytes(StandardCharsets.UTF_8));
  }
}
