// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "layers.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Each image is mounted once: a detached EROFS mount read from the file itself, and of it one clone whose ids are
// shifted into the sandboxes' range. Detached, because mounts in the table would be copied for every blank.

enum { CACHE_MOST = 4096 };

struct layer {
  char *path;
  int mount;
  unsigned long used;
};

static struct layer cache[CACHE_MOST];
static size_t cached;
static unsigned long uses;

static const char *below(const char *prefix, const char *path) {
  return strncmp(path, prefix, strlen(prefix)) == 0 ? path + strlen(prefix) : NULL;
}

/// An image that is partly here is a file of another file system.
static bool is_partial(const char *path) {
  return below("parts/", path) != NULL;
}

static const char *relative(const char *path) {
  return below(is_partial(path) ? "parts/" : "layers/", path);
}

static int refuse(const char *path, struct fault *fault) {
  return fail_with(fault, STEP_LAYER, EINVAL, "a layer is a path below layers/ or parts/, not %.100s", path);
}

static struct layer *find(const char *path) {
  for (size_t i = 0; i < cached; i++) {
    if (strcmp(cache[i].path, path) == 0) {
      return &cache[i];
    }
  }
  return NULL;
}

static void drop(struct layer *layer) {
  close(layer->mount);
  free(layer->path);
  *layer = cache[--cached];
}

/// A free slot; the layer that was not used for longest goes when all are taken.
static struct layer *take_slot(void) {
  if (cached == CACHE_MOST) {
    struct layer *oldest = cache;
    for (size_t i = 1; i < cached; i++) {
      oldest = cache[i].used < oldest->used ? &cache[i] : oldest;
    }
    drop(oldest);
  }
  return &cache[cached];
}

/// The kernel's own words about a failed mount, without its level prefix.
static void explain(int context, char *to, size_t room) {
  ssize_t count = read(context, to, room - 1);
  to[count > 0 ? count : 0] = 0;
  to[strcspn(to, "\n")] = 0;
}

static int mount_image(int image, const char *path, struct fault *fault) {
  char source[40];
  char reason[120];
  snprintf(source, sizeof source, "/proc/self/fd/%d", image);
  int context = filesystem_open("erofs");
  if (context < 0) {
    return fail(fault, STEP_LAYER, "this kernel has no EROFS");
  }
  int mount = -1;
  if (filesystem_string(context, "source", source) == 0 && filesystem_flag(context, "ro") == 0) {
    mount = filesystem_mount(context, MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_DEV);
  }
  if (mount < 0) {
    int error = errno;
    explain(context, reason, sizeof reason);
    fail_with(fault, STEP_LAYER, error, "mount the layer %.80s: %s", path, reason);
  }
  close(context);
  return mount;
}

static int map_ids(struct host *host, int mount, const char *path, struct fault *fault) {
  int clone = tree_clone(mount, "", TREE_OF_DESCRIPTOR);
  if (clone < 0 || mount_attributes(clone, "", MOUNT_ID_MAPPED, host->user_ids) != 0) {
    fail(fault, STEP_LAYER, "map the ids of the layer %.80s", path);
    if (clone >= 0) {
      close(clone);
    }
    return -1;
  }
  return clone;
}

static int open_image(struct host *host, const char *path, struct fault *fault) {
  const char *name = relative(path);
  if (name == NULL) {
    return refuse(path, fault);
  }
  if (is_partial(path) && host->parts < 0) {
    return fail_with(fault, STEP_LAYER, host->no_parts.error, "images are not read on demand: %s", host->no_parts.text);
  }
  struct stat facts;
  int image = open_beneath(is_partial(path) ? host->parts : host->layers, name, O_RDONLY | O_NONBLOCK);
  if (image < 0) {
    return fail(fault, STEP_LAYER, "open the layer %.100s", path);
  }
  if (fstat(image, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    close(image);
    return fail_with(fault, STEP_LAYER, EINVAL, "the layer %.100s is not a file", path);
  }
  return image;
}

int layer_mount(struct host *host, const char *path, struct fault *fault) {
  struct layer *known = find(path);
  if (known != NULL) {
    known->used = ++uses;
    return known->mount;
  }
  int image = open_image(host, path, fault);
  if (image < 0) {
    return -1;
  }
  int mount = mount_image(image, path, fault);
  close(image);
  int mapped = mount < 0 ? -1 : map_ids(host, mount, path, fault);
  if (mount >= 0) {
    close(mount);
  }
  char *copy = mapped < 0 ? NULL : strdup(path);
  if (copy == NULL) {
    return -1;
  }
  struct layer *slot = take_slot();
  *slot = (struct layer){.path = copy, .mount = mapped, .used = ++uses};
  cached++;
  return mapped;
}

int layer_forget(const char *path, struct fault *fault) {
  if (relative(path) == NULL) {
    return refuse(path, fault);
  }
  struct layer *known = find(path);
  if (known != NULL) {
    drop(known);
  }
  return 0;
}
