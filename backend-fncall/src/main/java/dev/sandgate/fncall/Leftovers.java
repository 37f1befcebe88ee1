// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Workers of a node that ended without closing its pool. */
final class Leftovers {

  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

  private Leftovers() {}

  /** Removes them; blocks. Starts no spawner where there was none. */
  static void remove(Host host) {
    if (!host.wasUsed()) {
      return;
    }
    Set<String> names = uppers(host.settings().spawner().state().resolve("uppers"));
    host.spawner().list().stream().map(Spawner.Found::name).forEach(names::add);
    for (String name : names) {
      try {
        host.spawner().destroy(name, Host.upper(name));
      } catch (SpawnerException e) {
        LOG.error("the leftover {} stays", name, e);
      }
    }
    host.layers().sweep();
    host.spawner().stopIfUnused();
    LOG.info("removed {} leftovers", names.size());
  }

  private static Set<String> uppers(Path directory) {
    Set<String> names = new HashSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "[!.]*")) {
      entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
    } catch (NoSuchFileException e) {
      LOG.debug("{} is not there", directory);
    } catch (IOException e) {
      LOG.warn("{} cannot be listed", directory, e);
    }
    return names;
  }
}
