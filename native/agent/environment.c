// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "environment.h"

#include <string.h>

enum { DEFAULTS = 5 };

static char *copied(struct region *region, struct text text) {
  char *copy = region_get(region, (size_t)text.length + 1);
  return copy && text_copy(text, copy, (size_t)text.length + 1) ? copy : NULL;
}

char **text_array(struct region *region, struct text_list list) {
  char **array = region_get(region, ((size_t)list.count + 1) * sizeof *array), **at = array;
  while (array && list.count) {
    if (!(*at++ = copied(region, text_list_take(&list)))) return NULL;
  }
  if (at) *at = NULL;
  return array;
}

static size_t name_length(const char *entry) { return (size_t)(strchrnul(entry, '=') - entry); }

// Where a variable of this name stands, or the end of the array.
static char **place_of(char **env, const char *name, size_t length) {
  while (*env && (strncmp(*env, name, length) || (*env)[length] != '=')) env++;
  return env;
}

static bool add_all(struct region *region, char **env, struct text_list list) {
  while (list.count) {
    char *entry = copied(region, text_list_take(&list));
    if (!entry) return false;
    *place_of(env, entry, name_length(entry)) = entry;
  }
  return true;
}

static bool add_default(struct region *region, char **env, const char *name, const char *value) {
  char **place = place_of(env, name, strlen(name));
  if (*place) return true;
  char *entry = region_get(region, strlen(name) + strlen(value) + 2);
  if (!entry) return false;
  *place = entry;
  stpcpy(stpcpy(stpcpy(entry, name), "="), value);
  return true;
}

char **environment_of(struct region *region, struct text_list shared, struct text_list own, const struct account *account, bool terminal) {
  size_t bytes = ((size_t)shared.count + own.count + DEFAULTS + 1) * sizeof(char *);
  char **env = region_get(region, bytes);
  if (!env) return NULL;
  memset(env, 0, bytes);
  bool made = add_all(region, env, shared) && add_all(region, env, own) &&
              add_default(region, env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin") &&
              add_default(region, env, "HOME", account->home) && add_default(region, env, "USER", account->name) &&
              add_default(region, env, "SHELL", account->shell) &&
              (!terminal || add_default(region, env, "TERM", "xterm-256color"));
  return made ? env : NULL;
}

const char *environment_find(char **env, const char *name) {
  char *entry = *place_of(env, name, strlen(name));
  return entry ? entry + strlen(name) + 1 : NULL;
}
