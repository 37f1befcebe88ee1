// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.session;

import picocli.CommandLine.Command;

/** Groups the commands about sessions. */
@Command(
    name = "session",
    description = "Keep persistent shells in a sandbox; run commands in them by 'exec --session'.",
    subcommands = {OpenSession.class, ListSessions.class, CloseSessions.class})
public final class SessionCommand {}
