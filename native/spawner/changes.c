// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "changes.h"
#include "kernel.h"
#include "layers.h"
#include "upper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

// What a sandbox changed is what its upper directory holds. The tree is the sandbox's: directories are opened name by
// name, no link is followed and nothing but a directory is opened. What was there before is looked up in the layers,
// entry by entry, so that the work is that of the changes.

enum { PAGE_ENTRIES = 200, PAGE_BYTES = 48 * 1024, LOWERS_MOST = LAYERS_MOST + 1 };

enum kind { SAME, ADDED, MODIFIED, REMOVED };

enum type { REGULAR, DIRECTORY, LINK, OTHER };

/// The same directory in every layer that has it and is not hidden by a higher one; highest first.
struct lowers {
  int directories[LOWERS_MOST];
  size_t count;
};

static bool is_whiteout(const struct stat *facts) {
  return S_ISCHR(facts->st_mode) && facts->st_rdev == makedev(0, 0);
}

static bool is_opaque(int directory) {
  char value;
  return fgetxattr(directory, "trusted.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static int open_directory(int parent, const char *name) {
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Walks down `path` from `root`, which stays open; -1 when it does not lead to a directory. Notes in `hides` that
/// layers below are not seen here.
static int walk(int root, const char *path, bool *hides) {
  char name[256];
  int at = open_directory(root, ".");
  while (at >= 0 && *path != 0) {
    size_t length = strcspn(path, "/");
    if (length == 0 || length >= sizeof name || (length <= 2 && strncmp(path, "..", length) == 0)) {
      close(at);
      errno = EINVAL;
      return -1;
    }
    memcpy(name, path, length);
    name[length] = 0;
    int below = open_directory(at, name);
    *hides |= below < 0 ? errno != ENOENT : is_opaque(below);
    int error = errno;
    close(at);
    errno = error;
    at = below;
    path += length + (path[length] == '/');
  }
  return at;
}

static void close_lowers(struct lowers *lowers) {
  while (lowers->count > 0) {
    close(lowers->directories[--lowers->count]);
  }
}

static void add_lower(struct lowers *lowers, int root, const char *directory, bool *hides) {
  int found = *hides ? -1 : walk(root, directory, hides);
  if (found >= 0) {
    lowers->directories[lowers->count++] = found;
  }
}

static int open_lowers(struct host *host, const struct changes *changes, struct lowers *lowers, struct fault *fault) {
  bool hides = false;
  for (size_t i = changes->layer_count; i-- > 0;) {
    int layer = layer_mount(host, changes->layers[i], fault);
    if (layer < 0) {
      close_lowers(lowers);
      return -1;
    }
    add_lower(lowers, layer, changes->directory, &hides);
  }
  int skeleton = open("/skeleton", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (skeleton >= 0) {
    add_lower(lowers, skeleton, changes->directory, &hides);
    close(skeleton);
  }
  return 0;
}

/// What the environment has under a name.
static bool find_lower(const struct lowers *lowers, const char *name, struct stat *facts) {
  for (size_t i = 0; i < lowers->count; i++) {
    if (fstatat(lowers->directories[i], name, facts, AT_SYMLINK_NOFOLLOW) == 0) {
      return !is_whiteout(facts);
    }
  }
  return false;
}

static enum type type_of(const struct stat *facts) {
  switch (facts->st_mode & S_IFMT) {
    case S_IFREG: return REGULAR;
    case S_IFDIR: return DIRECTORY;
    case S_IFLNK: return LINK;
    default: return OTHER;
  }
}

static enum kind kind_of(const struct stat *now, const struct stat *before) {
  if (!S_ISDIR(now->st_mode) || !S_ISDIR(before->st_mode)) {
    return MODIFIED;
  }
  bool same = now->st_mode == before->st_mode && now->st_uid == before->st_uid && now->st_gid == before->st_gid;
  return same ? SAME : MODIFIED;
}

static bool opaque_entry(int parent, const char *name) {
  int directory = open_directory(parent, name);
  bool opaque = directory >= 0 && is_opaque(directory);
  if (directory >= 0) {
    close(directory);
  }
  return opaque;
}

static void put(struct writer *answer, const char *name, enum kind kind, const struct stat *facts, bool emptied) {
  write_str(answer, name);
  write_u8(answer, kind);
  write_u8(answer, type_of(facts));
  write_u8(answer, emptied);
  write_u64(answer, S_ISREG(facts->st_mode) ? (uint64_t)facts->st_size : 0);
  // All whiteouts of an overlay are one inode, so its time says nothing.
  bool dated = kind != REMOVED;
  write_u64(answer, dated ? (uint64_t)(facts->st_ctim.tv_sec * 1000000000 + facts->st_ctim.tv_nsec) : 0);
}

/// Writes one entry; false when there is nothing to say about it.
static bool describe(int directory, const struct lowers *lowers, const char *name, struct writer *answer) {
  struct stat now;
  struct stat before;
  if (fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) != 0) {
    return false;
  }
  bool known = find_lower(lowers, name, &before);
  if (is_whiteout(&now)) {
    if (known) {
      put(answer, name, REMOVED, &before, false);
    }
    return known;
  }
  bool merged = known && S_ISDIR(now.st_mode) && S_ISDIR(before.st_mode);
  bool emptied = merged && opaque_entry(directory, name);
  put(answer, name, emptied ? MODIFIED : known ? kind_of(&now, &before) : ADDED, &now, emptied);
  return true;
}

static struct dirent *next(DIR *stream) {
  errno = 0;
  return readdir(stream);
}

static int list(DIR *stream, const struct lowers *lowers, uint64_t position, struct writer *answer) {
  size_t count_at = answer->used;
  uint16_t count = 0;
  struct dirent *entry = NULL;
  write_u16(answer, 0);
  while (answer->used < PAGE_BYTES && count < PAGE_ENTRIES && (entry = next(stream)) != NULL) {
    position = (uint64_t)entry->d_off;
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      count = (uint16_t)(count + describe(dirfd(stream), lowers, entry->d_name, answer));
    }
  }
  if (entry == NULL && errno != 0) {
    answer->used = count_at;
    return -1;
  }
  bool more = answer->used >= PAGE_BYTES || count >= PAGE_ENTRIES;
  patch_u16(answer, count_at, count);
  write_u64(answer, more ? position : 0);
  return 0;
}

static int open_upper(struct host *host, const struct changes *changes, struct fault *fault) {
  bool hides = false;
  int root = upper_open(host, changes->upper, fault);
  if (root < 0) {
    return -1;
  }
  int directory = walk(root, changes->directory, &hides);
  if (directory < 0) {
    fail(fault, STEP_UPPER, "open %.100s of %.60s", changes->directory, changes->upper);
  }
  close(root);
  return directory;
}

int changes_page(struct host *host, const struct changes *changes, struct writer *answer, struct fault *fault) {
  struct lowers lowers = {.count = 0};
  int directory = open_upper(host, changes, fault);
  if (directory < 0 || open_lowers(host, changes, &lowers, fault) != 0) {
    if (directory >= 0) {
      close(directory);
    }
    return -1;
  }
  bool placed = lseek(directory, (off_t)changes->position, SEEK_SET) >= 0;
  DIR *stream = placed ? fdopendir(directory) : NULL;
  int result = stream == NULL ? -1 : list(stream, &lowers, changes->position, answer);
  if (result != 0) {
    fail(fault, STEP_UPPER, "read %.100s of %.60s", changes->directory, changes->upper);
  }
  if (stream != NULL) {
    closedir(stream);
  } else {
    close(directory);
  }
  close_lowers(&lowers);
  return result;
}
