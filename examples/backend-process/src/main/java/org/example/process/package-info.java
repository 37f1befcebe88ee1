// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** A backend outside the platform's own build: each sandbox is a directory and a process tree of the host. */
@NullMarked
package org.example.process;

import org.jspecify.annotations.NullMarked;
