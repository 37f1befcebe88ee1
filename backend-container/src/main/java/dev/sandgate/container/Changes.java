// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Change;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.spawner.ChangesPage;
import dev.sandgate.support.spawner.SpawnerException;
import dev.sandgate.support.wire.Errno;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A walk over what a sandbox wrote, page by page as it is asked for, depth first. The spawner looks, in C and with
 * descriptors: the tree is the sandbox's, and its overlay's marks are not to be seen from Java. One walk for one
 * subscriber.
 */
final class Changes {

  private static final int MAX_WAITING = 100_000;

  /** A directory and how far it was read. */
  private record Place(String directory, long position) {}

  private final Host host;
  private final String id;
  private final List<String> layers;
  private final Deque<Place> waiting = new ArrayDeque<>(List.of(new Place("", 0)));

  private Changes(Host host, String id, List<String> layers) {
    this.host = host;
    this.id = id;
    this.layers = layers;
  }

  /** What the sandbox changed of the layers it was made of. */
  static Multi<Change> of(Host host, String id, List<String> layers) {
    return Multi.createFrom()
        .deferred(
            () -> {
              Changes walk = new Changes(host, id, layers);
              return Multi.createBy()
                  .repeating()
                  .uni(() -> walk, Changes::next)
                  .until(List::isEmpty)
                  .onItem()
                  .disjoint();
            });
  }

  /** The next changes; empty at the end. */
  private Uni<List<Change>> next() {
    return host.call(
        () -> {
          List<Change> found = new ArrayList<>();
          while (found.isEmpty() && !waiting.isEmpty()) {
            read(waiting.pop(), found);
          }
          return found;
        });
  }

  private void read(Place place, List<Change> found) {
    ChangesPage page = ask(place);
    if (page.next() != 0) {
      waiting.push(new Place(place.directory, page.next()));
    }
    for (ChangesPage.Entry entry : page.entries()) {
      String path = place.directory.isEmpty() ? entry.name() : place.directory + "/" + entry.name();
      entry.kind().ifPresent(kind -> found.add(change(kind, entry, "/" + path)));
      if (entry.hasEntries()) {
        waiting.push(new Place(path, 0));
      }
    }
    if (waiting.size() > MAX_WAITING) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED, "over " + MAX_WAITING + " directories wait to be read");
    }
  }

  private static Change change(Change.Kind kind, ChangesPage.Entry entry, String path) {
    return new Change(
        kind, entry.type(), path, entry.size(), entry.changedNanos(), entry.emptied());
  }

  /** A directory that is gone meanwhile has no changes; the root is there as long as the sandbox. */
  private ChangesPage ask(Place place) {
    try {
      return host.spawner().changes(Host.upper(id), layers, place.directory, place.position);
    } catch (SpawnerException e) {
      boolean vanished = e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR;
      if (vanished && !place.directory.isEmpty()) {
        return new ChangesPage(List.of(), 0);
      }
      throw e;
    }
  }
}
