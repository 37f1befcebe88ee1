// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.RemoveNamed;
import dev.sandgate.client.Sandgate;
import io.smallrye.mutiny.Uni;
import picocli.CommandLine.Command;

/** Takes names out of the shared directory. */
@Command(
    name = "unshare",
    description = "Take names out of the directory that nodes share; layers stay there.")
final class UnshareCommand extends RemoveNamed {

  @Override
  protected Uni<?> remove(Sandgate sandgate, String reference) {
    return sandgate.environments().unshare(reference);
  }
}
