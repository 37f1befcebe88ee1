// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

import java.util.List;

/**
 * What was found in a sandbox at the end.
 *
 * @param id the sandbox
 * @param struck whether it was destroyed on purpose
 * @param readable whether its file of tokens could be read
 * @param tokens one for each time that a command began
 */
public record Box(String id, boolean struck, boolean readable, List<String> tokens) {}
