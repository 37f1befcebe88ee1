// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox.h"

enum { DEFAULTS = 5 };

static char *copied(struct text text) {
  char *copy = malloc((size_t)text.length + 1);
  return copy && text_copy(text, copy, (size_t)text.length + 1) ? copy : NULL;
}

char **text_array(struct text_list list) {
  char **array = calloc((size_t)list.count + 1, sizeof *array), **at = array;
  while (array && list.count) {
    if (!(*at++ = copied(text_list_take(&list)))) return NULL;
  }
  return array;
}

static size_t name_length(const char *entry) { return (size_t)(strchrnul(entry, '=') - entry); }

// Where a variable of this name stands, or the end of the array.
static char **place_of(char **env, const char *name, size_t length) {
  while (*env && (strncmp(*env, name, length) || (*env)[length] != '=')) env++;
  return env;
}

static bool add_all(char **env, struct text_list list) {
  while (list.count) {
    char *entry = copied(text_list_take(&list));
    if (!entry) return false;
    *place_of(env, entry, name_length(entry)) = entry;
  }
  return true;
}

static bool add_default(char **env, const char *name, const char *value) {
  char **place = place_of(env, name, strlen(name));
  return *place || asprintf(place, "%s=%s", name, value) >= 0;
}

char **environment_of(struct text_list own, const struct account *account, bool terminal) {
  char **env = calloc((size_t)sandbox.env.count + own.count + DEFAULTS + 1, sizeof *env);
  bool made = env && add_all(env, sandbox.env) && add_all(env, own) &&
              add_default(env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin") &&
              add_default(env, "HOME", account->home) && add_default(env, "USER", account->name) &&
              add_default(env, "SHELL", account->shell) && (!terminal || add_default(env, "TERM", "xterm-256color"));
  return made ? env : NULL;
}

const char *environment_find(char **env, const char *name) {
  char *entry = *place_of(env, name, strlen(name));
  return entry ? entry + strlen(name) + 1 : NULL;
}
