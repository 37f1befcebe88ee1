// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "manifest.h"
#include "../agent/sha256.h"
#include "attributes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

// A layer is read-only and its directories are kept sorted, so the walk is the order. Times are left out: two layers
// with the same files are the same to whoever uses them.

enum { PATH_ROOM = 4096, BUFFER = 1 << 16, NAMES_MOST = 1024 };

struct lister {
  uint32_t base;
  FILE *list;
  struct sha256 all;
  struct report *report;
  size_t length;
  char path[PATH_ROOM];
};

static uint8_t buffer[BUFFER];
static char names[BUFFER];

static int failed(struct lister *lister, const char *what) {
  return fail(&lister->report->fault, STEP_TREE, "%s /%.200s of the layer", what, lister->path);
}

static void put(struct lister *lister, const void *bytes, size_t size) {
  sha256_add(&lister->all, bytes, size);
  fwrite(bytes, 1, size, lister->list);
}

static void put_text(struct lister *lister, const char *text) {
  put(lister, text, strlen(text));
}

/// Printable but for the backslash as it is, the rest as three octal digits: a name cannot forge a line.
static void put_escaped(struct lister *lister, const char *text) {
  char escaped[8];
  for (; *text != 0; text++) {
    unsigned char byte = (unsigned char)*text;
    bool plain = byte > ' ' && byte < 0x7f && byte != '\\';
    snprintf(escaped, sizeof escaped, plain ? "%c" : "\\%03o", byte);
    put_text(lister, escaped);
  }
}

static void hex(char *to, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    sprintf(to + 2 * i, "%02x", bytes[i]);
  }
}

static int put_digest(struct lister *lister, int file) {
  struct sha256 hash;
  uint8_t digest[SHA256_BYTES];
  char text[2 * SHA256_BYTES + 1];
  ssize_t count;
  sha256_init(&hash);
  while ((count = read(file, buffer, sizeof buffer)) > 0) {
    sha256_add(&hash, buffer, (size_t)count);
  }
  if (count < 0) {
    return failed(lister, "read");
  }
  sha256_end(&hash, digest);
  hex(text, digest, sizeof digest);
  put_text(lister, text);
  return 0;
}

static int compare(const void *one, const void *other) {
  return strcmp(*(char *const *)one, *(char *const *)other);
}

static void put_attribute(struct lister *lister, int file, const char *name) {
  char two[3];
  ssize_t size = fgetxattr(file, name, buffer, sizeof buffer);
  put_text(lister, "  ");
  put_escaped(lister, name);
  put_text(lister, "=");
  for (ssize_t i = 0; i < size; i++) {
    hex(two, buffer + i, 1);
    put_text(lister, two);
  }
  put_text(lister, "\n");
}

static int put_attributes(struct lister *lister, int file) {
  char *sorted[NAMES_MOST];
  size_t count = 0;
  ssize_t size = flistxattr(file, names, sizeof names);
  if (size < 0) {
    return errno == ENOTSUP ? 0 : failed(lister, "list the attributes of");
  }
  for (char *name = names; name < names + size && count < NAMES_MOST; name += strlen(name) + 1) {
    sorted[count++] = name;
  }
  qsort(sorted, count, sizeof *sorted, compare);
  for (size_t i = 0; i < count; i++) {
    put_attribute(lister, file, sorted[i]);
  }
  return 0;
}

static char letter(const struct stat *facts) {
  switch (facts->st_mode & S_IFMT) {
  case S_IFDIR: return 'd';
  case S_IFREG: return 'f';
  case S_IFLNK: return 'l';
  case S_IFIFO: return 'p';
  default: return facts->st_rdev == makedev(0, 0) ? 'w' : 'o';
  }
}

static void put_facts(struct lister *lister, const struct stat *facts) {
  char text[96];
  bool hidden = letter(facts) == 'w';
  long long size = S_ISREG(facts->st_mode) ? (long long)facts->st_size : 0;
  snprintf(text, sizeof text, "%c %04o %u %u %lld ", letter(facts), hidden ? 0 : facts->st_mode & 07777,
           hidden ? 0 : inner_id(lister->base, facts->st_uid), hidden ? 0 : inner_id(lister->base, facts->st_gid), size);
  put_text(lister, text);
}

static int put_link(struct lister *lister, int parent, const char *name) {
  char target[PATH_MAX];
  ssize_t count = readlinkat(parent, name, target, sizeof target - 1);
  if (count < 0) {
    return failed(lister, "read the link");
  }
  target[count] = 0;
  put_escaped(lister, target);
  return 0;
}

/// One line: type, mode, owner, group, size, what is in it, and the path; then a line for each attribute.
static int put_entry(struct lister *lister, int parent, const char *name, const struct stat *facts, int file) {
  int result = 0;
  lister->report->entries++;
  put_facts(lister, facts);
  if (S_ISREG(facts->st_mode)) {
    lister->report->bytes += (uint64_t)facts->st_size;
    result = put_digest(lister, file);
  } else if (S_ISLNK(facts->st_mode)) {
    result = put_link(lister, parent, name);
  } else {
    put_text(lister, "-");
  }
  put_text(lister, " /");
  put_escaped(lister, lister->path);
  put_text(lister, "\n");
  return result == 0 && file >= 0 ? put_attributes(lister, file) : result;
}

static int list_directory(struct lister *lister, int directory);

static int list_opened(struct lister *lister, int parent, const char *name) {
  struct stat facts;
  if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed(lister, "look at");
  }
  bool opens = S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode);
  int file = opens ? openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
  if (opens && file < 0) {
    return failed(lister, "open");
  }
  int result = put_entry(lister, parent, name, &facts, file);
  if (result == 0 && S_ISDIR(facts.st_mode)) {
    result = list_directory(lister, file);
  }
  if (file >= 0) {
    close(file);
  }
  return result;
}

static int list_entry(struct lister *lister, int parent, const char *name) {
  size_t before = lister->length;
  int added = snprintf(lister->path + before, PATH_ROOM - before, "%s%s", before == 0 ? "" : "/", name);
  if ((size_t)added >= PATH_ROOM - before) {
    return fail_with(&lister->report->fault, STEP_TREE, ENAMETOOLONG, "a path of the layer is too long");
  }
  lister->length = before + (size_t)added;
  int result = list_opened(lister, parent, name);
  lister->length = before;
  lister->path[before] = 0;
  return result;
}

static int list_directory(struct lister *lister, int directory) {
  int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = own < 0 ? NULL : fdopendir(own);
  if (stream == NULL) {
    return failed(lister, "read");
  }
  int result = 0;
  errno = 0;
  for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL; errno = 0) {
    bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    result = self ? 0 : list_entry(lister, directory, entry->d_name);
  }
  if (result == 0 && errno != 0) {
    result = failed(lister, "read");
  }
  closedir(stream);
  return result;
}

static int list_root(struct lister *lister, int tree) {
  struct stat facts;
  int root = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0 || fstat(root, &facts) != 0) {
    return failed(lister, "open");
  }
  int result = put_entry(lister, root, ".", &facts, root);
  result = result == 0 ? list_directory(lister, root) : result;
  close(root);
  return result;
}

void manifest_make(struct host *host, const void *what, struct report *report) {
  const struct manifest *manifest = what;
  static struct lister lister;
  uint8_t digest[SHA256_BYTES];
  lister.base = host->settings.uid_base;
  lister.report = report;
  lister.list = fdopen(manifest->list, "w");
  sha256_init(&lister.all);
  if (lister.list == NULL || list_root(&lister, manifest->tree) != 0) {
    if (report->fault.step == 0) {
      failed(&lister, "open the list for");
    }
    return;
  }
  sha256_end(&lister.all, digest);
  memcpy(report->digest, "sha256:", 7);
  hex(report->digest + 7, digest, sizeof digest);
  if (fclose(lister.list) != 0) {
    failed(&lister, "write the list for");
  }
}
