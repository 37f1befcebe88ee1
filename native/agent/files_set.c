// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// SET: the owner and the permission bits of an entry, which is never followed when it is a link.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "account.h"
#include "files.h"
#include "path.h"
#include "proto.h"

static void find(const char *name, struct account *account) {
  int error = account_find((struct text){name, (uint16_t)strlen(name)}, account);
  if (error == ENOENT) files_no_user("no such owner");
  if (error) files_fail(error, "owner");
}

// What `owner` says: a user, a user:group or a :group, each a name or a number; the other one stays.
static void read_owner(const char *owner, uid_t *uid, gid_t *gid) {
  struct account account;
  const char *colon = strchr(owner, ':');
  char name[ACCOUNT_TEXT_MAX];
  if (snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - owner) : (int)strlen(owner), owner) >= (int)sizeof name) {
    files_no_user("no such owner");
  }
  if (*name) {
    find(name, &account);
    *uid = account.uid;
  }
  if (!colon) return;
  if (snprintf(name, sizeof name, "0%s", colon) >= (int)sizeof name || !colon[1]) files_no_user("no such owner");
  find(name, &account);
  *gid = account.gid;
}

static void set_owner(int fd, const struct file_job *job) {
  uid_t uid = (uid_t)-1;
  gid_t gid = (gid_t)-1;
  read_owner(job->owner, &uid, &gid);
  if (fchownat(fd, "", uid, gid, AT_EMPTY_PATH)) files_fail(errno, "change the owner of %s", job->path);
}

static void set_mode(int fd, const struct file_job *job) {
  struct stat status;
  char descriptor[32];
  snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fd);
  bool link = !fstat(fd, &status) && S_ISLNK(status.st_mode);
  if (link || chmod(descriptor, job->request->mode)) files_fail(link ? EOPNOTSUPP : errno, "change the mode of %s", job->path);
}

uint64_t files_set(const struct file_job *job) {
  int fd = path_open(job->path, O_PATH | O_NOFOLLOW, 0);
  if (fd < 0) files_fail(-fd, "change %s", job->path);
  if (*job->owner) set_owner(fd, job);
  if (job->request->mode != MODE_KEEP) set_mode(fd, job);
  return 0;
}
