// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * A client's stream on its way to a node: first its node is looked for in its first message, then a connection to that
 * node is awaited. Keeps the headers and what has come after them.
 */
final class Opening {

  private static final String FIELD = "sandbox_id";
  private static final int SHOWN_PATH = 200;

  private final ClientConnection client;
  private final Leg leg;
  private final Http2Headers headers;
  private final SandboxIdScanner scanner = new SandboxIdScanner();
  private final long sinceNanos;
  private @Nullable ByteBuf kept;

  /** The bytes being received, unless they are kept. */
  private @Nullable ByteBuf arriving;

  private boolean routed;
  private boolean stopped;

  private Opening(ClientConnection client, Leg leg, Http2Headers headers) {
    this.client = client;
    this.leg = leg;
    this.headers = headers;
    sinceNanos = client.loop.nanoTime();
  }

  /** Begins to look for a stream's node. */
  static void begin(ClientConnection client, Leg leg, Http2Headers headers) {
    Opening opening = new Opening(client, leg, headers);
    leg.opening = opening;
    RelayLoop loop = client.loop;
    if (loop.routes().isOwn(headers.path())) {
      opening.routed = true;
      loop.own().open(opening);
    } else if (!loop.routes().isOfSandboxes(headers.path())) {
      opening.unknown();
    } else if (leg.remoteEnded) {
      opening.missing();
    } else {
      loop.awaitsRoute(opening);
    }
  }

  /** The client sent this; whether it has ended is known to the leg. */
  void received(ByteBuf data) {
    FirstMessage first = leg.first;
    if (first != null) {
      first.arrived(data.readableBytes());
    }
    ByteBuf seen = routed || kept != null ? keep(data) : data;
    if (routed || seen == null) {
      return;
    }
    switch (scanner.scan(seen)) {
      case FOUND -> {
        long missing = scanner.missing(seen.readableBytes());
        route(scanner.id(), data);
        if (missing > 0 && !leg.closed && !leg.remoteEnded) {
          client.loop.awaitsRest(leg, missing);
        }
      }
      case MORE -> more(data);
      case ABSENT -> missing();
      case MALFORMED ->
          fail("the first message is not one of this API's, or its sandbox_id is too long");
      case COMPRESSED ->
          client.fail(
              leg,
              Failure.of(
                  Code.UNSUPPORTED,
                  "send the first message of a call uncompressed: the gateway reads sandbox_id from it"));
    }
  }

  private void more(ByteBuf data) {
    if (leg.remoteEnded) {
      missing();
    } else if (kept == null) {
      keep(data);
    }
  }

  private void route(String id, ByteBuf data) {
    String node = SandboxId.node(id);
    if (node == null) {
      fail("'" + printable(id) + "' is no sandbox id; ids look like sb-<node>-<random>");
      return;
    }
    NodePool pool = client.loop.pool(node);
    if (pool == null) {
      client.fail(
          leg,
          Failure.of(Code.NOT_FOUND, "there is no node '" + node + "', so no sandbox " + id)
              .field(FIELD)
              .node(node));
      return;
    }
    routed = true;
    client.loop.routed(this);
    arriving = kept == null ? data : null;
    pool.open(this);
    arriving = null;
    if (!stopped && kept == null) {
      keep(data);
    }
  }

  /** A connection to the node is there: the stream goes on over it. */
  void start(NodeConnection connection) {
    ByteBuf waiting = kept;
    ByteBuf direct = arriving;
    kept = null;
    stop();
    try {
      boolean end = leg.remoteEnded && waiting == null && direct == null;
      Leg node = connection.begin(leg, headers, end);
      if (waiting != null) {
        client.sending.unreserve(waiting.readableBytes(), true);
        connection.sending.adopt(node, waiting, leg.remoteEnded);
      } else if (direct != null) {
        connection.sending.send(node, direct, leg.remoteEnded);
      }
      client.sending.replenish(leg);
    } catch (Http2Exception e) {
      discard(waiting);
      fail("the metadata is larger than what the node accepts");
    }
  }

  /** No connection to the node is to be had. */
  void fail(Failure failure) {
    client.fail(leg, failure);
  }

  /** Whether the stream has had its time to name its sandbox. */
  boolean expired(long nowNanos, long limitNanos) {
    return nowNanos - sinceNanos >= limitNanos;
  }

  /** Ends the stream because it has not named its sandbox. */
  void expire() {
    client.fail(
        leg,
        Failure.of(Code.DEADLINE_EXCEEDED, "no message with sandbox_id came in time").field(FIELD));
  }

  /** Forgets everything: the stream is routed, failed or gone. */
  void stop() {
    stopped = true;
    leg.opening = null;
    client.loop.routed(this);
    ByteBuf waiting = kept;
    kept = null;
    discard(waiting);
  }

  private void discard(@Nullable ByteBuf waiting) {
    if (waiting != null) {
      client.sending.unreserve(waiting.readableBytes(), false);
      waiting.release();
    }
  }

  boolean stopped() {
    return stopped;
  }

  private @Nullable ByteBuf keep(ByteBuf data) {
    if (!data.isReadable()) {
      return kept;
    }
    if (!client.sending.reserve(data.readableBytes())) {
      client.fail(
          leg, Failure.of(Code.RESOURCE_EXHAUSTED, "too much waits to be routed; try again later"));
      return null;
    }
    kept = Sending.appended(client.loop, kept, data);
    return kept;
  }

  private void unknown() {
    String path = String.valueOf(headers.path());
    String shown = path.length() > SHOWN_PATH ? path.substring(0, SHOWN_PATH) + "..." : path;
    client.fail(
        leg,
        Failure.of(
            Code.UNSUPPORTED,
            "there is no method " + printable(shown) + "; is the client newer than the gateway?"));
  }

  private void missing() {
    fail("sandbox_id is missing or empty; the first message must have it within its first 64 KiB");
  }

  private void fail(String message) {
    client.fail(leg, Failure.of(Code.INVALID_ARGUMENT, message).field(FIELD));
  }

  private static String printable(String id) {
    return id.replaceAll("[^ -~]", "?");
  }
}
