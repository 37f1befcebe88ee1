// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "upper.h"
#include "kernel.h"
#include "trash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *upper_name(const char *path) {
    static const char prefix[] = "uppers/";
    const char *name = path + strlen(prefix);
    if (strncmp(path, prefix, strlen(prefix)) != 0 || *name == '.' || *name == 0 || strchr(name, '/') != NULL) {
        return NULL;
    }
    return strlen(name) <= 255 ? name : NULL;
}

static int refuse(const char *path, struct fault *fault) {
    return fail_with(fault, STEP_UPPER, EINVAL, "the upper is uppers/ and one name, not %.100s", path);
}

static int make_inside(int parent, const char *name, uid_t owner, mode_t mode) {
    if (mkdirat(parent, name, mode) != 0) {
        return -1;
    }
    int fd = open_beneath(parent, name, O_RDONLY | O_DIRECTORY);
    // The mask of new files must not narrow what the sandbox sees as the mode of "/".
    if (fd >= 0 && (fchown(fd, owner, owner) != 0 || fchmod(fd, mode) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

int upper_make(struct host *host, const char *path, struct upper *upper, struct fault *fault) {
    const char *name = upper_name(path);
    if (name == NULL) {
        return refuse(path, fault);
    }
    int parent = make_inside(host->uppers, name, 0, 0700);
    if (parent < 0) {
        return fail(fault, STEP_UPPER, "make the upper %s", path);
    }
    upper->upper = make_inside(parent, "upper", host->settings.uid_base, 0755);
    upper->work = upper->upper < 0 ? -1 : make_inside(parent, "work", 0, 0700);
    int result = upper->work >= 0 ? 0 : fail(fault, STEP_UPPER, "make the directories of %s", path);
    if (result != 0 && upper->upper >= 0) {
        close(upper->upper);
    }
    close(parent);
    return result;
}

int upper_discard(struct host *host, const char *path, struct fault *fault) {
    const char *name = upper_name(path);
    return name == NULL ? refuse(path, fault) : trash_put(host, host->uppers, name, fault);
}
