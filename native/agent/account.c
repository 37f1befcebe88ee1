// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "account.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1024 * 1024, FIELDS = 7 };

// The lines of a small regular file; NULL when there is no such file or it cannot be taken. Never waits.
static char *read_whole(const char *path) {
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status;
  if (fd < 0) return NULL;
  if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > FILE_MAX) {
    close(fd);
    return NULL;
  }
  char *text = malloc((size_t)status.st_size + 1);
  ssize_t length = 0, got = text ? 1 : 0;
  while (got > 0 && length < status.st_size) {
    got = read(fd, text + length, (size_t)(status.st_size - length));
    if (got > 0) length += got;
  }
  close(fd);
  if (text) text[length] = 0;
  return text;
}

// Splits a line at its colons; gives how many fields there are.
static int split(char *line, char *fields[FIELDS]) {
  int count = 0;
  while (line && count < FIELDS) fields[count++] = strsep(&line, ":");
  return count;
}

static bool number(const char *text, uint32_t *value) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  unsigned long long parsed = strtoull(text, &end, 10);
  if (errno || *end || parsed >= UINT32_MAX) return false;
  *value = (uint32_t)parsed;
  return true;
}

static void keep(char *to, size_t size, const char *text, const char *otherwise) {
  snprintf(to, size, "%s", *text ? text : otherwise);
}

static bool take_user(char *fields[FIELDS], struct account *account) {
  uint32_t uid, gid;
  if (!number(fields[2], &uid) || !number(fields[3], &gid)) return false;
  account->uid = uid;
  account->gid = gid;
  keep(account->name, sizeof account->name, fields[0], "");
  keep(account->home, sizeof account->home, fields[5], "/");
  keep(account->shell, sizeof account->shell, fields[6], "/bin/sh");
  return true;
}

static bool find_user(const char *wanted, struct account *account) {
  char *text = read_whole("/etc/passwd"), *rest = text, *line, *fields[FIELDS];
  uint32_t uid, listed;
  bool by_number = number(wanted, &uid), found = false;
  while (text && !found && (line = strsep(&rest, "\n"))) {
    if (split(line, fields) < FIELDS) continue;
    bool same = !strcmp(fields[0], wanted) || (by_number && number(fields[2], &listed) && listed == uid);
    found = same && take_user(fields, account);
  }
  free(text);
  return found;
}

static bool make_user(const char *wanted, struct account *account) {
  uint32_t uid = 0;
  if (strcmp(wanted, "root") && !number(wanted, &uid)) return false;
  char *fields[FIELDS] = {(char *)wanted, "", "0", "0", "", uid ? "/" : "/root", "/bin/sh"};
  take_user(fields, account);
  account->uid = account->gid = uid;
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

// Adds the groups that list the user, or makes `wanted` the user's only group.
static int find_groups(const char *wanted, struct account *account) {
  char *text = read_whole("/etc/group"), *rest = text, *line, *fields[FIELDS];
  uint32_t gid = 0;
  bool found = wanted && number(wanted, &gid);
  int error = 0;
  while (text && !error && !found && (line = strsep(&rest, "\n"))) {
    uint32_t listed;
    if (split(line, fields) < 4 || !number(fields[2], &listed)) continue;
    if (wanted && !strcmp(fields[0], wanted)) {
      found = true;
      gid = listed;
    } else if (!wanted && listed != account->gid && lists_member(fields[3], account->name)) {
      error = add_group(account, listed);
    }
  }
  free(text);
  if (wanted && !found) return ENOENT;
  if (wanted) account->gid = gid;
  return error ? error : add_group(account, account->gid);
}

int account_find(struct text user, struct account *account) {
  char wanted[ACCOUNT_TEXT_MAX];
  account->group_count = 0;
  if (!text_copy(user, wanted, sizeof wanted)) return ENOENT;
  char *group = wanted;
  strsep(&group, ":");
  if (!find_user(wanted, account) && !make_user(wanted, account)) return ENOENT;
  return find_groups(group, account);
}
