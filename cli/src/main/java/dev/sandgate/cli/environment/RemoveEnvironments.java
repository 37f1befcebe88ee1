// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.RemoveNamed;
import dev.sandgate.client.Sandgate;
import io.smallrye.mutiny.Uni;
import picocli.CommandLine.Command;

/** Removes environments. */
@Command(name = "rm", description = "Remove environments, and layers that nothing names any more.")
final class RemoveEnvironments extends RemoveNamed {

  @Override
  protected Uni<?> remove(Sandgate sandgate, String reference) {
    return sandgate.environments().remove(reference);
  }
}
