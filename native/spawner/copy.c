// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "copy.h"
#include "attributes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// The tree is the sandbox's: it is walked from descriptor to descriptor, no link is followed, and only what was seen to
// be a directory or a regular file is opened. What is made is nobody's but ours. Runs in a child that ends after it.

enum { PATH_ROOM = 3000, DEPTH_MOST = 256 };

struct copier {
  uint32_t base;
  int target; ///< the root of the copy
  const struct copy_limits *limits;
  struct report *report;
  void *links; ///< regular files with further names: the first name in the copy, by inode
  size_t length;
  char path[PATH_ROOM]; ///< of the entry in hand
};

struct link {
  ino_t inode;
  char path[];
};

static int compare(const void *one, const void *other) {
  ino_t left = ((const struct link *)one)->inode;
  ino_t right = ((const struct link *)other)->inode;
  return left < right ? -1 : left > right;
}

static int failed(struct copier *copier, const char *what) {
  return fail(&copier->report->fault, STEP_TREE, "%s /%.200s", what, copier->path);
}

/// Moves data by hand, as from one file system to another.
static ssize_t move_some(int from, off_t *data, int to, off_t *out, size_t length) {
  static char bytes[1 << 16];
  ssize_t count = pread(from, bytes, length < sizeof bytes ? length : sizeof bytes, *data);
  ssize_t written = count <= 0 ? count : pwrite(to, bytes, (size_t)count, *out);
  if (written > 0) {
    *data += written;
    *out += written;
  }
  return written;
}

static ssize_t copy_some(int from, off_t *data, int to, off_t *out, size_t length) {
  ssize_t count = copy_file_range(from, data, to, out, length, 0);
  return count >= 0 || errno != EXDEV ? count : move_some(from, data, to, out, length);
}

/// Fills `to` with the data of `from` and keeps its holes.
static int copy_ranges(int from, int to, off_t size) {
  off_t at = 0;
  while (at < size) {
    off_t data = lseek(from, at, SEEK_DATA);
    if (data < 0) {
      return errno == ENXIO ? 0 : -1;
    }
    off_t hole = lseek(from, data, SEEK_HOLE);
    off_t end = hole < 0 || hole > size ? size : hole;
    off_t out = data;
    while (data < end) {
      ssize_t count = copy_some(from, &data, to, &out, (size_t)(end - data));
      if (count <= 0) {
        return count == 0 ? 0 : -1;
      }
    }
    at = end;
  }
  return 0;
}

int file_copy(int from, int to, off_t size) {
  if (ioctl(to, FICLONE, from) == 0) {
    return 0;
  }
  return ftruncate(to, size) != 0 ? -1 : copy_ranges(from, to, size);
}

/// A further name of a file that is in the copy already: 0 when it is linked, 1 when this is its first name.
static int link_known(struct copier *copier, int to, const char *name, const struct stat *facts) {
  struct link *mine = malloc(sizeof *mine + copier->length + 1);
  if (mine == NULL) {
    return failed(copier, "remember");
  }
  mine->inode = facts->st_ino;
  memcpy(mine->path, copier->path, copier->length + 1);
  struct link **known = tsearch(mine, &copier->links, compare);
  if (known == NULL) {
    return failed(copier, "remember");
  }
  if (*known == mine) {
    return 1;
  }
  int result = linkat(copier->target, (*known)->path, to, name, 0);
  free(mine);
  return result == 0 ? 0 : failed(copier, "link");
}

static int count_bytes(struct copier *copier, const struct stat *facts) {
  copier->report->bytes += (uint64_t)facts->st_size;
  if (copier->limits->bytes != 0 && copier->report->bytes > copier->limits->bytes) {
    return fail_with(&copier->report->fault, STEP_TREE, EFBIG, "more than %llu bytes, with /%.160s",
                     (unsigned long long)copier->limits->bytes, copier->path);
  }
  return 0;
}

static int copy_file(struct copier *copier, int from, int to, const char *name) {
  struct stat facts;
  int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (source < 0 || fstat(source, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return failed(copier, "open");
  }
  int known = facts.st_nlink > 1 ? link_known(copier, to, name, &facts) : 1;
  int result = known;
  if (known == 1) {
    int copy = count_bytes(copier, &facts) != 0 ? -2 : openat(to, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool whole = copy >= 0 && file_copy(source, copy, facts.st_size) == 0 &&
                 facts_copy(source, copy, &facts, copier->base) == 0;
    result = whole ? 0 : copy == -2 ? -1 : failed(copier, "copy");
    if (copy >= 0) {
      close(copy);
    }
  }
  close(source);
  return result;
}

static int set_facts_at(struct copier *copier, int to, const char *name, const struct stat *facts) {
  const struct timespec times[] = {facts->st_atim, facts->st_mtim};
  uid_t owner = inner_id(copier->base, facts->st_uid);
  gid_t group = inner_id(copier->base, facts->st_gid);
  if (fchownat(to, name, owner, group, AT_SYMLINK_NOFOLLOW) != 0 ||
      (!S_ISLNK(facts->st_mode) && fchmodat(to, name, facts->st_mode & 07777, 0) != 0) ||
      utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed(copier, "set the owner of");
  }
  return 0;
}

static int copy_link(struct copier *copier, int from, int to, const char *name, const struct stat *facts) {
  char target[PATH_MAX];
  ssize_t count = readlinkat(from, name, target, sizeof target - 1);
  if (count < 0) {
    return failed(copier, "read the link");
  }
  target[count] = 0;
  return symlinkat(target, to, name) == 0 ? set_facts_at(copier, to, name, facts) : failed(copier, "make the link");
}

/// What a pipe needs, and what hides an entry of a layer below; sockets and devices have no place in a layer.
static int copy_special(struct copier *copier, int to, const char *name, const struct stat *facts) {
  bool whiteout = S_ISCHR(facts->st_mode) && facts->st_rdev == makedev(0, 0);
  if (whiteout) {
    return mknodat(to, name, S_IFCHR, makedev(0, 0)) == 0 ? 0 : failed(copier, "hide");
  }
  if (!S_ISFIFO(facts->st_mode)) {
    copier->report->entries--;
    copier->report->skipped++;
    return 0;
  }
  return mknodat(to, name, S_IFIFO | 0600, 0) == 0 ? set_facts_at(copier, to, name, facts) : failed(copier, "make");
}

static int copy_directory(struct copier *copier, int from, int to, int depth);

static int enter(struct copier *copier, int from, int to, const char *name, int depth) {
  int source = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int copy = source < 0 || mkdirat(to, name, 0700) != 0
                 ? -1
                 : openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int result = copy < 0 ? failed(copier, "make the directory") : copy_directory(copier, source, copy, depth + 1);
  if (source >= 0) {
    close(source);
  }
  if (copy >= 0) {
    close(copy);
  }
  return result;
}

static int copy_known(struct copier *copier, int from, int to, const char *name, int depth) {
  struct stat facts;
  if (fstatat(from, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed(copier, "look at");
  }
  copier->report->entries++;
  if (copier->limits->entries != 0 && copier->report->entries > copier->limits->entries) {
    return fail_with(&copier->report->fault, STEP_TREE, E2BIG, "more than %llu entries, with /%.160s",
                     (unsigned long long)copier->limits->entries, copier->path);
  }
  switch (facts.st_mode & S_IFMT) {
  case S_IFDIR: return enter(copier, from, to, name, depth);
  case S_IFREG: return copy_file(copier, from, to, name);
  case S_IFLNK: return copy_link(copier, from, to, name, &facts);
  default: return copy_special(copier, to, name, &facts);
  }
}

static int copy_entry(struct copier *copier, int from, int to, const char *name, int depth) {
  size_t before = copier->length;
  int added = snprintf(copier->path + before, PATH_ROOM - before, "%s%s", before == 0 ? "" : "/", name);
  if ((size_t)added >= PATH_ROOM - before || depth >= DEPTH_MOST) {
    return fail_with(&copier->report->fault, STEP_TREE, ENAMETOOLONG, "a path is too long or too deep: /%.160s…",
                     copier->path);
  }
  copier->length = before + (size_t)added;
  int result = copy_known(copier, from, to, name, depth);
  copier->length = before;
  copier->path[before] = 0;
  return result;
}

/// `from` and `to` stay the caller's.
static int copy_directory(struct copier *copier, int from, int to, int depth) {
  struct stat facts;
  int own = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = own < 0 || fstat(own, &facts) != 0 ? NULL : fdopendir(own);
  if (stream == NULL) {
    return failed(copier, "read");
  }
  int result = 0;
  errno = 0;
  for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL; errno = 0) {
    bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    result = self ? 0 : copy_entry(copier, from, to, entry->d_name, depth);
  }
  if (result == 0 && errno != 0) {
    result = failed(copier, "read");
  }
  closedir(stream);
  if (result == 0 && facts_copy(from, to, &facts, copier->base) != 0) {
    result = failed(copier, "set the owner or attributes of");
  }
  return result;
}

void copy_tree(struct host *host, int from, int to, const struct copy_limits *limits, struct report *report) {
  static struct copier copier;
  copier = (struct copier){
      .base = host->settings.uid_base,
      .target = to,
      .limits = limits,
      .report = report,
  };
  copy_directory(&copier, from, to, 0);
}
