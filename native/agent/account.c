// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "account.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lines.h"

enum { FIELDS = 7 };

// Splits a line at its colons; gives how many fields there are.
static int split(char *line, char *fields[FIELDS]) {
  int count = 0;
  while (line && count < FIELDS) fields[count++] = strsep(&line, ":");
  return count;
}

static bool number(const char *text, uint32_t *value) {
  uint64_t parsed = 0;
  const char *digit = text;
  for (; *digit >= '0' && *digit <= '9' && parsed < UINT32_MAX; digit++) parsed = parsed * 10 + (uint64_t)(*digit - '0');
  *value = (uint32_t)parsed;
  return digit > text && !*digit && parsed < UINT32_MAX;
}

static void keep(char *to, size_t size, const char *text, const char *otherwise) {
  const char *from = *text ? text : otherwise;
  size_t length = strlen(from);
  if (length >= size) length = size - 1;
  memcpy(to, from, length);
  to[length] = 0;
}

static bool take_user(char *fields[FIELDS], struct account *account) {
  if (!number(fields[2], &account->uid) || !number(fields[3], &account->gid)) return false;
  keep(account->name, sizeof account->name, fields[0], "");
  keep(account->home, sizeof account->home, fields[5], "/");
  keep(account->shell, sizeof account->shell, fields[6], "/bin/sh");
  return true;
}

static bool find_user(const char *wanted, struct account *account) {
  struct lines lines;
  if (!lines_open(&lines, "/etc/passwd")) return false;
  char *line, *fields[FIELDS];
  uint32_t uid, listed;
  bool by_number = number(wanted, &uid), found = false;
  while (!found && (line = lines_next(&lines))) {
    if (split(line, fields) < FIELDS) continue;
    bool same = !strcmp(fields[0], wanted) || (by_number && number(fields[2], &listed) && listed == uid);
    found = same && take_user(fields, account);
  }
  lines_close(&lines);
  return found;
}

// A number needs no entry, and root is 0 whatever became of the file; so for groups.
static bool make_user(const char *wanted, struct account *account) {
  uint32_t uid = 0;
  if (strcmp(wanted, "root") && !number(wanted, &uid)) return false;
  account->uid = account->gid = uid;
  keep(account->name, sizeof account->name, wanted, "");
  keep(account->home, sizeof account->home, uid ? "/" : "/root", "");
  keep(account->shell, sizeof account->shell, "/bin/sh", "");
  return true;
}

static bool lists_member(char *members, const char *name) {
  for (char *member; (member = strsep(&members, ","));) {
    if (!strcmp(member, name)) return true;
  }
  return false;
}

static int add_group(struct account *account, gid_t gid) {
  if (account->group_count == GROUPS_MAX) return EOVERFLOW;
  account->groups[account->group_count++] = gid;
  return 0;
}

// The groups that list the user, besides its own.
static int find_memberships(struct account *account) {
  struct lines lines;
  if (!lines_open(&lines, "/etc/group")) return 0;
  char *line, *fields[FIELDS];
  uint32_t gid;
  int error = 0;
  while (!error && (line = lines_next(&lines))) {
    if (split(line, fields) < 4 || !number(fields[2], &gid) || gid == account->gid) continue;
    if (lists_member(fields[3], account->name)) error = add_group(account, gid);
  }
  lines_close(&lines);
  return lines.too_long ? EOVERFLOW : error;
}

static bool find_group(const char *wanted, struct account *account) {
  struct lines lines;
  if (!lines_open(&lines, "/etc/group")) return false;
  char *line, *fields[FIELDS];
  bool found = false;
  while (!found && (line = lines_next(&lines))) {
    found = split(line, fields) >= 4 && !strcmp(fields[0], wanted) && number(fields[2], &account->gid);
  }
  lines_close(&lines);
  return found;
}

static int take_group(const char *wanted, struct account *account) {
  if (number(wanted, &account->gid) || find_group(wanted, account)) return 0;
  account->gid = 0;
  return strcmp(wanted, "root") ? ENOENT : 0;
}

int account_find(struct text user, struct account *account) {
  char wanted[ACCOUNT_TEXT_MAX];
  account->group_count = 0;
  if (!text_copy(user, wanted, sizeof wanted)) return ENOENT;
  char *group = wanted;
  strsep(&group, ":");
  if (!find_user(wanted, account) && !make_user(wanted, account)) return ENOENT;
  int error = group ? take_group(group, account) : find_memberships(account);
  return error ? error : add_group(account, account->gid);
}
