// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host.h"

/// Answers requests on a listening socket until STOP.
void serve(struct host *host, int listener);
