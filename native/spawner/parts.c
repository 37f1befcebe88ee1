// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "parts.h"
#include "../agent/sha256.h"
#include "ask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ASK[] = "ask:";

static uint64_t divided(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit;
}

/// Whether a map is whole, so that nothing is read beyond its end.
static bool is_sound(const struct parts_header *header, size_t length) {
  if (length < sizeof *header || memcmp(header->magic, "SGPARTS1", 8) != 0 || header->size == 0) {
    return false;
  }
  bool units = header->chunk >= PARTS_BLOCK && header->chunk <= PARTS_CHUNK_MOST && header->chunk % PARTS_BLOCK == 0;
  if (!units || header->size > INT64_MAX || memchr(header->remote, 0, PARTS_REMOTE_ROOM) == NULL) {
    return false;
  }
  uint64_t digests = divided(header->size, header->chunk) * SHA256_BYTES;
  uint64_t blocks = divided(header->size, PARTS_BLOCK);
  return header->digests >= sizeof *header && header->digests <= length && digests <= length - header->digests &&
         header->blocks >= sizeof *header && header->blocks <= length && blocks <= length - header->blocks;
}

static int map_in(struct parts *parts, int map) {
  struct stat facts;
  if (fstat(map, &facts) != 0) {
    return -1;
  }
  parts->identity = facts.st_ino;
  parts->map_length = (size_t)facts.st_size;
  void *bytes = mmap(NULL, parts->map_length, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  if (bytes == MAP_FAILED) {
    return -1;
  }
  parts->header = bytes;
  if (!is_sound(parts->header, parts->map_length)) {
    errno = EUCLEAN;
    return -1;
  }
  parts->size = parts->header->size;
  parts->chunk = parts->header->chunk;
  parts->timeout_ms = parts->header->timeout_ms;
  parts->digests = (uint8_t *)bytes + parts->header->digests;
  parts->blocks = (uint8_t *)bytes + parts->header->blocks;
  return 0;
}

static int open_part(int directory, const char *name, const char *suffix) {
  char path[96];
  snprintf(path, sizeof path, "%s%s", name, suffix);
  return openat(directory, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

struct parts *parts_open(int directory, const char *name) {
  struct parts *parts = calloc(1, sizeof *parts);
  int map = open_part(directory, name, ".map");
  if (parts == NULL || map < 0) {
    free(parts);
    return NULL;
  }
  snprintf(parts->name, sizeof parts->name, "%s", name);
  parts->image = open_part(directory, name, ".image");
  int result = parts->image < 0 ? -1 : map_in(parts, map);
  int error = errno;
  close(map);
  if (result != 0) {
    parts_close(parts);
    errno = error;
    return NULL;
  }
  return parts;
}

void parts_close(struct parts *parts) {
  if (parts->header != NULL) {
    munmap(parts->header, parts->map_length);
  }
  if (parts->image >= 0) {
    close(parts->image);
  }
  free(parts);
}

bool parts_here(const struct parts *parts, uint64_t from, size_t length) {
  for (uint64_t block = from / PARTS_BLOCK; block < divided(from + length, PARTS_BLOCK); block++) {
    if (__atomic_load_n(&parts->blocks[block], __ATOMIC_ACQUIRE) != 1) {
      return false;
    }
  }
  return true;
}

static void count(uint64_t *counter, uint64_t added) {
  __atomic_fetch_add(counter, added, __ATOMIC_RELAXED);
}

static void count_read(struct parts_counters *counters, size_t length) {
  size_t slot = 0;
  for (size_t most = 4096; length > most && slot < 5; most *= 4) {
    slot++;
  }
  count(&counters->reads, 1);
  count(&counters->bytes, length);
  count(&counters->sizes[slot], 1);
}

static int read_whole(int fd, void *to, size_t length, uint64_t from) {
  for (size_t have = 0; have < length;) {
    ssize_t got = pread(fd, (char *)to + have, length - have, (off_t)(from + have));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got == 0 ? ENODATA : errno;
    }
    have += (size_t)got;
  }
  return 0;
}

/// Opened each time: what is there may have been replaced, or mounted again.
static int read_remote(const struct parts *parts, void *room, size_t length, uint64_t from) {
  if (strncmp(parts->header->remote, ASK, strlen(ASK)) == 0) {
    return ask(parts->header->remote + strlen(ASK), parts->name, room, length, from, parts->timeout_ms);
  }
  int remote = open(parts->header->remote, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (remote < 0) {
    return errno;
  }
  int error = read_whole(remote, room, length, from);
  close(remote);
  return error;
}

static int write_whole(int fd, const void *bytes, size_t length, uint64_t at) {
  for (size_t done = 0; done < length;) {
    ssize_t put = pwrite(fd, (const char *)bytes + done, length - done, (off_t)(at + done));
    if (put < 0 && errno != EINTR) {
      return errno;
    }
    done += put > 0 ? (size_t)put : 0;
  }
  return 0;
}

static bool is_sealed(const struct parts *parts, uint64_t chunk, const void *bytes, size_t length) {
  struct sha256 hash;
  uint8_t digest[SHA256_BYTES];
  sha256_init(&hash);
  sha256_add(&hash, bytes, length);
  sha256_end(&hash, digest);
  return memcmp(digest, parts->digests + chunk * SHA256_BYTES, SHA256_BYTES) == 0;
}

int parts_fetch(struct parts *parts, uint64_t chunk, void *room) {
  uint64_t from = chunk * parts->chunk;
  size_t length = parts->size - from < parts->chunk ? (size_t)(parts->size - from) : parts->chunk;
  int error = read_remote(parts, room, length, from);
  if (error != 0) {
    count(&parts->header->counters.failures, 1);
    return error;
  }
  count_read(&parts->header->counters, length);
  if (!is_sealed(parts, chunk, room, length)) {
    count(&parts->header->counters.damaged, 1);
    return EUCLEAN;
  }
  error = write_whole(parts->image, room, length, from);
  for (uint64_t block = from / PARTS_BLOCK; error == 0 && block < divided(from + length, PARTS_BLOCK); block++) {
    __atomic_store_n(&parts->blocks[block], 1, __ATOMIC_RELEASE);
  }
  return error;
}
