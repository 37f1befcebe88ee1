// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import dev.sandgate.cli.connection.RemoveNamed;
import dev.sandgate.client.Sandgate;
import io.smallrye.mutiny.Uni;
import picocli.CommandLine.Command;

/** Removes snapshots. */
@Command(name = "rm", description = "Remove snapshots that no sandbox uses and no other stands on.")
final class RemoveSnapshots extends RemoveNamed {

  @Override
  protected Uni<?> remove(Sandgate sandgate, String reference) {
    return sandgate.snapshots().remove(reference);
  }
}
