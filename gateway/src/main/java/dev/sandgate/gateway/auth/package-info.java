// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Who may call; knows keys by their hashes only. */
@NullMarked
package dev.sandgate.gateway.auth;

import org.jspecify.annotations.NullMarked;
