// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host.h"

/// Starts the resident spawner in the background and waits until it listens; the exit code.
int daemon_start(const struct settings *settings);
