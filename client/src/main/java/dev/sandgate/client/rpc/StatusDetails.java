// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Reads {@code grpc-status-details-bin}. */
final class StatusDetails {

  private StatusDetails() {}

  /** The detail in a header's value; the default instance when there is none or it cannot be read. */
  static ErrorDetail parse(@Nullable String header) {
    if (header == null) {
      return ErrorDetail.getDefaultInstance();
    }
    try {
      return find(Status.parseFrom(Base64.getDecoder().decode(header.strip())));
    } catch (InvalidProtocolBufferException | IllegalArgumentException foreign) {
      return ErrorDetail.getDefaultInstance();
    }
  }

  private static ErrorDetail find(Status status) throws InvalidProtocolBufferException {
    for (Any detail : status.getDetailsList()) {
      if (detail.is(ErrorDetail.class)) {
        return detail.unpack(ErrorDetail.class);
      }
    }
    return ErrorDetail.getDefaultInstance();
  }
}
