// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Sandboxes and commands of an embedded node beside crun, bwrap and a bare spawn. */
@NullMarked
package dev.sandgate.load.sandbox;

import org.jspecify.annotations.NullMarked;
