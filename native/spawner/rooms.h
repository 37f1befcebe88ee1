// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Widens what the kernel has of a kind for the whole host and bounds for no sandbox, so that none runs out for all. What
/// is wider already, or cannot be written, stays as it is.
void rooms_widen(void);
