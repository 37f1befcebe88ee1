// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.Timestamp;
import dev.sandgate.proto.v1.Sandbox;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Where a list that spans nodes goes on: a position in each node's own list. Given to clients as opaque text. */
final class PageToken {

  private static final Position START = new Position("", "", 0);
  private static final String FINISHED = "-";

  private final Map<String, Position> positions;

  private PageToken(Map<String, Position> positions) {
    this.positions = positions;
  }

  /**
   * A place in a node's list.
   *
   * @param token of the node's page
   * @param last the id of the last sandbox of that page that was given out; empty if none was
   * @param lastNanos when that one was created
   */
  record Position(String token, String last, long lastNanos) {

    /** How many sandboxes of the page were given out before. */
    int skipped(List<Sandbox> page) {
      if (last.isEmpty()) {
        return 0;
      }
      int older = 0;
      for (int i = 0; i < page.size(); i++) {
        if (page.get(i).getSandboxId().equals(last)) {
          return i + 1;
        }
        if (createdNanos(page.get(i)) >= lastNanos) {
          older = i + 1;
        }
      }
      return older;
    }
  }

  static long createdNanos(Sandbox sandbox) {
    Timestamp created = sandbox.getCreatedAt();
    return TimeUnit.SECONDS.toNanos(created.getSeconds()) + created.getNanos();
  }

  /** Reads what a client gave. */
  static PageToken parse(String text) {
    Map<String, Position> positions = new TreeMap<>();
    if (!text.isEmpty()) {
      try {
        byte[] json = Base64.getUrlDecoder().decode(text);
        JsonObject nodes = new JsonObject(new String(json, StandardCharsets.UTF_8));
        for (String node : nodes.fieldNames()) {
          JsonObject position = nodes.getJsonObject(node);
          positions.put(
              node,
              new Position(
                  position.getString("t"), position.getString("l"), position.getLong("n")));
        }
      } catch (IllegalArgumentException
          | DecodeException
          | ClassCastException
          | NullPointerException e) {
        throw CallFailed.invalid("page_token", "give the next_page_token of an earlier answer");
      }
    }
    return new PageToken(positions);
  }

  Position of(String nodeId) {
    return positions.getOrDefault(nodeId, START);
  }

  boolean finished(String nodeId) {
    return of(nodeId).token().equals(FINISHED);
  }

  Builder toBuilder() {
    return new Builder(new TreeMap<>(positions));
  }

  /** The next token. */
  static final class Builder {
    private final Map<String, Position> positions;
    private boolean more;

    private Builder(Map<String, Position> positions) {
      this.positions = positions;
    }

    void put(String nodeId, Position position) {
      more = true;
      positions.put(nodeId, position);
    }

    void finish(String nodeId) {
      positions.put(nodeId, new Position(FINISHED, "", 0));
    }

    /** The text; empty when every node that answered has given everything. */
    String build() {
      if (!more) {
        return "";
      }
      JsonObject nodes = new JsonObject();
      positions.forEach(
          (node, position) ->
              nodes.put(
                  node,
                  new JsonObject()
                      .put("t", position.token())
                      .put("l", position.last())
                      .put("n", position.lastNanos())));
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(nodes.encode().getBytes(StandardCharsets.UTF_8));
    }
  }
}
