// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"

/// A new /dev, read-only: six harmless nodes, the usual links, and directories to mount on. Each sandbox has one of its
/// own, since a node's inode carries locks and watches that all who have it share. A descriptor of a mount that is
/// attached nowhere and is gone when it is closed.
int devices_mount(struct fault *fault);
