// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.node;

import picocli.CommandLine.Command;

/** Groups the commands about nodes. */
@Command(
    name = "node",
    description = "Look at nodes.",
    subcommands = {StatsCommand.class})
public final class NodeCommand {}
