// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The environment of a command. Called in children only: what it allocates is never freed.
#pragma once

#include "account.h"
#include "wire.h"

// The texts of a list as a terminated array; NULL without memory.
char **text_array(struct text_list list);

// SETUP's, then `own`, then defaults; NULL without memory.
char **environment_of(struct text_list own, const struct account *account, bool terminal);

// The value of a variable, or NULL.
const char *environment_find(char **env, const char *name);
