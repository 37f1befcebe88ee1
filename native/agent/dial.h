// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Sockets towards the sandbox's own loopback.
#pragma once

#include <stdint.h>

// A non-blocking socket that connects to the loopback address of AF_INET or AF_INET6; -1 with errno when it cannot.
int dial_loopback(int family, uint16_t port);
