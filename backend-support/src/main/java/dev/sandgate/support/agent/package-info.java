// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The host's end of the guest agent's protocol; it knows no backend and not how the agent was started. */
@NullMarked
package dev.sandgate.support.agent;

import org.jspecify.annotations.NullMarked;
