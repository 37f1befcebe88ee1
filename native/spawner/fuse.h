// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"

/// Begins to serve the images that are partly in <state>/parts, as files of a file system that only its descriptor
/// leads to. A process of its own serves it, in the host's mount namespace, until nothing of it is in use: it outlives us
/// as sandboxes do. Call it before any mount namespace is left. The descriptor, or -1 and the fault.
int fuse_start(const char *state, struct fault *fault);
