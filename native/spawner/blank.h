// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cgroup.h"
#include "fault.h"
#include "host.h"

#include <sys/types.h>

/// A blank being made: what was asked for, and the descriptors of the parent while the child prepares itself.
struct blank {
  char id[ID_ROOM];
  enum class class;
  struct limits limits;
  int listener; ///< the agent's socket
  int cgroup;   ///< the sandbox's cgroup as the root of a mount, for the agent
  int devices;  ///< its /dev, a mount that is attached nowhere yet
  int channel;  ///< our end: we release the child, it answers with a fault or closes it by executing the agent
  int process;  ///< a descriptor of the child
  pid_t pid;
};

enum { SHARED_MEMORY_ROOM = 64 };

/// The mount options of a sandbox's terminals. The kernel has a few thousand (kernel.pty.max) for all; one sandbox gets few
/// of them.
#define TERMINALS "ptmxmode=0666,mode=0620,gid=5,max=256"

/// The mount options of /dev/shm: half of what the sandbox may use, but not little.
void shared_memory_options(const struct limits *limits, char *options);

/// True for 1 to 63 characters of a-z, 0-9 and '-'.
bool id_valid(const char *id);

/// Begins a blank: socket, cgroups, namespaces. Ends with the child on its way, `channel` to be watched for its end; on
/// failure nothing is left.
int blank_begin(struct host *host, struct blank *blank, struct fault *fault);

/// Reads the child's words from `channel`, which it has closed: 0 when it has become the agent. On failure
/// nothing is left.
int blank_finish(struct host *host, struct blank *blank, struct fault *fault);

/// Drops a blank whose child did not answer in time.
void blank_abandon(struct host *host, struct blank *blank);

/// Runs in the new namespaces and becomes the agent; returns only a failure, to be told on `channel`, which it moves.
int blank_become(const struct host *host, const struct blank *blank, int *channel, struct fault *fault);

/// A sandbox's own cgroup as a mount of its own, so that no ".." leads from it to a neighbour's; `world` is where
/// host_make_world was told to build ("" for the resident spawner, which lives there).
int cgroup_mount(const char *world, enum class class, const char *id, struct fault *fault);

/// Binds the agent's socket `<run>/a/<id>.sock`; the listening descriptor.
int socket_listen(const struct host *host, const char *id, struct fault *fault);
