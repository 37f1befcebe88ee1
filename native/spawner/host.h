// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cgroup.h"
#include "fault.h"

#include <stdint.h>
#include <sys/types.h>

/// What the command line says.
struct settings {
  const char *run;
  const char *state;
  const char *agent;
  const char *cgroup_name;
  uint32_t uid_base;
};

/// The ids of a sandbox, and of the owners of their namespaces above them.
enum { ID_COUNT = 65536, OWNER_COUNT = 1 << 24 };

/// Everything a spawner holds open for its whole life. None of it belongs to one sandbox.
struct host {
  struct settings settings;
  struct cgroups cgroups;
  int run;        ///< <run>
  int sockets;    ///< <run>/a
  int layers;     ///< <state>/layers
  int parts;      ///< the file system of images that are partly here, -1 when there can be none
  struct fault no_parts; ///< why
  int uppers;     ///< <state>/uppers, a detached mount of its own: overlayfs takes no other
  int trash;      ///< <state>/uppers/.trash, in the same mount
  int devices;    ///< the host's /dev, for loop devices; -1 when it has none
  int staging;    ///< <state>/uppers/.staging, copies that are to become layers
  int agent;      ///< the sealed memory file with the agent's program
  int keeper;     ///< of the latency-sensitive class's core scheduling cookie, -1 before there is one
  int own_mounts; ///< our mount namespace, to come back to
  int user_ids;   ///< a user namespace with the sandboxes' id map, for idmapped layers
  uint64_t build; ///< a hash of our own program
};

/// Makes a private mount namespace and opens <run> and the cgroups; enough for the short-lived commands.
int host_open_run(struct host *host, const struct settings *settings, struct fault *fault);

/// The same and everything else that a resident spawner holds, while the host's mounts are in sight.
int host_open(struct host *host, const struct settings *settings, struct fault *fault);

/// Makes an empty network namespace and, on the directory `place`, what blanks are made from. See host_mounts.c.
int host_make_world(const struct host *host, const char *place, struct fault *fault);

/// Moves this process into such a world: it then sees nothing else of the host's files.
int host_isolate(struct host *host, struct fault *fault);
