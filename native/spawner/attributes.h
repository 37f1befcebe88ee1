// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"

#include <stdint.h>
#include <sys/stat.h>

/// Of an id on the disk of an upper the one that is seen inside; what has none inside belongs to nobody.
uint32_t inner_id(uint32_t base, uint32_t id);

/// Copies what a layer keeps of the extended attributes, with the ids seen inside. EXDEV: the entry refers to another
/// one, which a layer by itself cannot.
int attributes_copy(int from, int to, uint32_t base);

/// Owner, mode, attributes and times of an entry that is open; times last, so that nothing changes them again.
int facts_copy(int from, int to, const struct stat *facts, uint32_t base);
