// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Snapshots: what sandboxes wrote, sealed as layers; knows nothing of how a backend copies it. */
@NullMarked
package dev.sandgate.node.snapshots;

import org.jspecify.annotations.NullMarked;
