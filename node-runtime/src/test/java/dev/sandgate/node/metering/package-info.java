// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

@NullMarked
package dev.sandgate.node.metering;

import org.jspecify.annotations.NullMarked;
