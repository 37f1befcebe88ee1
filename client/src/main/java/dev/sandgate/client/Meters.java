// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.MetersGrpcClient;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What sandboxes used, also those that are gone. Nothing happens before a Uni or Multi is subscribed to; methods may be called
 * from any thread and never block. Reading is safe to repeat.
 */
public final class Meters {

  private final Calls calls;

  Meters(Calls calls) {
    this.calls = calls;
  }

  /**
   * Adds up what sandboxes used.
   *
   * @param selection which sandboxes, and to what parts; its page token is set by this method
   * @return pages as they are asked for, each with the total as it was then. Fails with SandgateClientException: NOT_FOUND when a
   *     sandbox that is named is not known any more, INVALID_ARGUMENT
   */
  public Multi<MeterPage> pages(ListMetersRequest selection) {
    return Multi.createBy()
        .repeating()
        .uni(() -> new AtomicReference<>(""), token -> page(selection, token))
        .whilst(page -> !page.getNextPageToken().isEmpty());
  }

  private Uni<MeterPage> page(ListMetersRequest selection, AtomicReference<String> token) {
    return calls
        .unary(MetersGrpcClient.List, selection.toBuilder().setPageToken(token.get()).build())
        .invoke(page -> token.set(page.getNextPageToken()));
  }
}
