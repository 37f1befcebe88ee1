// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Commands that run on the host itself: up and doctor. */
@NullMarked
package dev.sandgate.cli.server;

import org.jspecify.annotations.NullMarked;
