// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import io.vertx.grpc.client.GrpcClientResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a node said about the end of a call. Vert.x 5.0.7 looks for it in the headers only, but once an answer has
 * begun it comes in the trailers; and it takes a plus sign for a space.
 */
final class StatusText {

  private static final String MESSAGE = "grpc-message";

  private StatusText() {}

  /** The message of an ended response; empty if the node gave none. */
  static String of(GrpcClientResponse<?, ?> response) {
    String encoded = response.trailers().get(MESSAGE);
    if (encoded == null) {
      encoded = response.headers().get(MESSAGE);
    }
    return encoded == null ? "" : decoded(encoded);
  }

  /** Undoes percent encoding; what is none of it stays as it is. */
  static String decoded(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
    for (int at = 0; at < bytes.length; at++) {
      int escaped = bytes[at] == '%' ? escaped(bytes, at) : -1;
      decoded.write(escaped < 0 ? bytes[at] : escaped);
      at += escaped < 0 ? 0 : 2;
    }
    return decoded.toString(StandardCharsets.UTF_8);
  }

  private static int escaped(byte[] bytes, int at) {
    if (at + 2 >= bytes.length) {
      return -1;
    }
    int high = Character.digit(bytes[at + 1], 16);
    int low = Character.digit(bytes[at + 2], 16);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }
}
