// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Asks the node for a range of an image, one question each connection (native/PARTS.md). Waits for a node that is not
/// there, as when it starts anew, but no longer than `timeout_ms` for anything. 0 or an errno.
int ask(const char *socket_path, const char *name, void *room, size_t length, uint64_t from, uint32_t timeout_ms);
