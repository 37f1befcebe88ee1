// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What a platform of a measurement's own holds on this host, and its removal; knows nothing of what is measured. */
@NullMarked
package dev.sandgate.load.host;

import org.jspecify.annotations.NullMarked;
