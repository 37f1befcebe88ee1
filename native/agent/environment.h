// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The arguments and the environment of a command, laid out in a region by its child.
#pragma once

#include <stdbool.h>

#include "account.h"
#include "region.h"
#include "wire.h"

// The texts of a list as a terminated array; NULL when they do not fit.
char **text_array(struct region *region, struct text_list list);

// `shared`, then `own`, then defaults; NULL when they do not fit.
char **environment_of(struct region *region, struct text_list shared, struct text_list own, const struct account *account, bool terminal);

// The value of a variable, or NULL.
const char *environment_find(char **env, const char *name);
