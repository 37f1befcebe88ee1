// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

// Which sandbox a blank became: an attribute of its v2 directory, out of the sandbox's reach and gone with it.

static const char attribute[] = "trusted.sandgate.sandbox";

int cgroup_set_owner(int directory, const char *owner, struct fault *fault) {
  int result = fsetxattr(directory, attribute, owner, strlen(owner), 0);
  return result == 0 ? 0 : fail(fault, STEP_CGROUP, "write down that this is %s", owner);
}

void cgroup_owner(int directory, char *owner) {
  ssize_t length = fgetxattr(directory, attribute, owner, ID_ROOM - 1);
  owner[length > 0 ? length : 0] = 0;
}
