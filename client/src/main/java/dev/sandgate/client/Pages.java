// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** Lists that come in pages, as a whole. */
final class Pages {

  private Pages() {}

  /** All items; {@code page} asks for the page of a token, which is empty for the first. */
  static <P, T> Uni<List<T>> all(
      Function<String, Uni<P>> page, Function<P, List<T>> items, Function<P, String> next) {
    return Multi.createBy()
        .repeating()
        .uni(
            () -> new AtomicReference<>(""),
            token -> page.apply(token.get()).invoke(answer -> token.set(next.apply(answer))))
        .whilst(answer -> !next.apply(answer).isEmpty())
        .onItem()
        .transformToIterable(items)
        .collect()
        .asList();
  }
}
