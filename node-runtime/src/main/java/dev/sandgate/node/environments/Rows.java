// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.node.store.Statements;
import java.sql.SQLException;
import java.util.List;

/** How the catalogue is written down. */
final class Rows {

  private Rows() {}

  /** Layers; those that are there stay as they are. */
  static void put(Statements statements, List<StoredLayer> layers) throws SQLException {
    for (StoredLayer layer : layers) {
      statements.update(
          "INSERT OR IGNORE INTO layers VALUES (?, ?, ?, ?, ?)",
          layer.digest(),
          layer.kind().getNumber(),
          layer.name(),
          layer.size(),
          layer.source());
    }
  }

  /** What a name stands for now. */
  static void put(Statements statements, Named named) throws SQLException {
    statements.update(
        "INSERT OR REPLACE INTO environments VALUES (?, ?, ?, ?, ?, ?)",
        named.name(),
        named.tag(),
        String.join(",", named.digests()),
        named.user(),
        named.createdMillis(),
        named.published().bytes());
  }
}
