// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"
#include "host.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { NAMES_ROOM = 65536, VALUE_ROOM = 65536, NOBODY = 65534 };
enum { ACL_HEADER = 4, ACL_ENTRY = 8, ACL_NAMED_USER = 2, ACL_NAMED_GROUP = 8 };
enum { CAPS_V2_SIZE = 20, CAPS_V3_SIZE = 24, CAPS_V2 = 0x02000000, CAPS_V3 = 0x03000000, CAPS_VERSION = 0xff000000 };

static char names[NAMES_ROOM];
static uint8_t value[VALUE_ROOM];

uint32_t inner_id(uint32_t base, uint32_t id) {
  return id >= base && id - base < ID_COUNT ? id - base : NOBODY;
}

static bool begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/// The kernel shows the ids of an access list as they are on the disk.
static void shift_acl(size_t size, uint32_t base) {
  for (size_t at = ACL_HEADER; at + ACL_ENTRY <= size; at += ACL_ENTRY) {
    uint16_t tag;
    uint32_t id;
    memcpy(&tag, value + at, sizeof tag);
    memcpy(&id, value + at + 4, sizeof id);
    if (le16toh(tag) == ACL_NAMED_USER || le16toh(tag) == ACL_NAMED_GROUP) {
      id = htole32(inner_id(base, le32toh(id)));
      memcpy(value + at + 4, &id, sizeof id);
    }
  }
}

/// Capabilities that count for the root of the sandbox's namespace count for the root of a layer's.
static size_t shift_capabilities(size_t size) {
  uint32_t magic;
  memcpy(&magic, value, sizeof magic);
  if (size != CAPS_V3_SIZE || (le32toh(magic) & CAPS_VERSION) != CAPS_V3) {
    return size;
  }
  magic = htole32((le32toh(magic) & ~(uint32_t)CAPS_VERSION) | CAPS_V2);
  memcpy(value, &magic, sizeof magic);
  return CAPS_V2_SIZE;
}

static int copy_one(int from, int to, const char *name, uint32_t base) {
  ssize_t count = fgetxattr(from, name, value, sizeof value);
  if (count < 0) {
    return errno == ENODATA ? 0 : -1;
  }
  size_t size = (size_t)count;
  if (begins(name, "system.posix_acl_")) {
    shift_acl(size, base);
  } else if (strcmp(name, "security.capability") == 0 && size >= sizeof(uint32_t)) {
    size = shift_capabilities(size);
  }
  return fsetxattr(to, name, value, size, 0);
}

/// Of the overlay's own marks only that of an opaque directory means anything in a lower layer.
static int copy_overlay_mark(int from, int to, const char *name, uint32_t base) {
  static const char prefix[] = "trusted.overlay.";
  const char *mark = name + strlen(prefix);
  if (strcmp(mark, "redirect") == 0 || strcmp(mark, "metacopy") == 0) {
    errno = EXDEV;
    return -1;
  }
  return strcmp(mark, "opaque") == 0 ? copy_one(from, to, name, base) : 0;
}

int attributes_copy(int from, int to, uint32_t base) {
  ssize_t count = flistxattr(from, names, sizeof names);
  if (count < 0) {
    return errno == ENOTSUP ? 0 : -1;
  }
  for (const char *name = names; name < names + count; name += strlen(name) + 1) {
    bool mark = begins(name, "trusted.overlay.");
    int result = mark ? copy_overlay_mark(from, to, name, base) : copy_one(from, to, name, base);
    if (result != 0) {
      return -1;
    }
  }
  return 0;
}

int facts_copy(int from, int to, const struct stat *facts, uint32_t base) {
  const struct timespec times[] = {facts->st_atim, facts->st_mtim};
  // The owner first: changing it takes the set-uid bit away.
  if (fchown(to, inner_id(base, facts->st_uid), inner_id(base, facts->st_gid)) != 0 ||
      fchmod(to, facts->st_mode & 07777) != 0 || attributes_copy(from, to, base) != 0) {
    return -1;
  }
  return futimens(to, times);
}
