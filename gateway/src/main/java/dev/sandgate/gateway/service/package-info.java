// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The calls that belong to no sandbox, which the gateway answers by asking its nodes. */
@NullMarked
package dev.sandgate.gateway.service;

import org.jspecify.annotations.NullMarked;
