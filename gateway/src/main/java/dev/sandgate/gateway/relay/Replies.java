// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import dev.sandgate.gateway.failure.Failure;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;

/** The headers with which the relay itself ends a stream. */
final class Replies {

  private static final AsciiString STATUS = AsciiString.cached("grpc-status");
  private static final AsciiString MESSAGE = AsciiString.cached("grpc-message");
  private static final AsciiString DETAILS = AsciiString.cached("grpc-status-details-bin");
  private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
  private static final AsciiString GRPC = AsciiString.cached("application/grpc");
  private static final AsciiString OK = AsciiString.cached("200");
  private static final AsciiString UNSUPPORTED_MEDIA_TYPE = AsciiString.cached("415");

  private Replies() {}

  /** Ends a stream on which no headers were sent yet. */
  static Http2Headers trailersOnly(Failure failure) {
    Http2Headers headers = new DefaultHttp2Headers(false).status(OK).add(CONTENT_TYPE, GRPC);
    return add(headers, failure);
  }

  /** Ends a stream that has its headers. */
  static Http2Headers trailers(Failure failure) {
    return add(new DefaultHttp2Headers(false), failure);
  }

  /** Refuses what is not gRPC. */
  static Http2Headers notGrpc() {
    return new DefaultHttp2Headers(false).status(UNSUPPORTED_MEDIA_TYPE);
  }

  /** Whether this is a gRPC request. */
  static boolean isGrpc(Http2Headers request) {
    CharSequence type = request.get(CONTENT_TYPE);
    return type != null
        && AsciiString.contentEquals("POST", request.method())
        && AsciiString.of(type).startsWith(GRPC);
  }

  private static Http2Headers add(Http2Headers headers, Failure failure) {
    return headers
        .add(STATUS, Integer.toString(failure.status().code))
        .add(MESSAGE, percentEncoded(failure.message()))
        .add(DETAILS, failure.details());
  }

  /** A text as `grpc-message` wants it: UTF-8, of which what is not printable ASCII, and the percent sign, is escaped. */
  static String percentEncoded(String text) {
    StringBuilder encoded = new StringBuilder(text.length());
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b >= 0x20 && b <= 0x7e && b != '%') {
        encoded.append((char) b);
      } else {
        encoded.append('%').append(hex(b >> 4)).append(hex(b));
      }
    }
    return encoded.toString();
  }

  private static char hex(int bits) {
    return Character.toUpperCase(Character.forDigit(bits & 0xf, 16));
  }
}
