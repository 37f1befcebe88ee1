// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * A script to run in a session's shell itself, so that what it changes is there for the next one.
 *
 * @param sessionId the session
 * @param id the exec's id, chosen by the caller, unique in the sandbox, 1–64 characters of {@code [A-Za-z0-9._-]}
 * @param script lines for the shell, without NUL, at most 60 KiB
 * @param stdin whether stdin stays open for {@link Exec#write}; otherwise the script reads end of file
 */
public record SessionCommand(String sessionId, String id, String script, boolean stdin) {}
