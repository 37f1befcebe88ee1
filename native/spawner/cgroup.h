// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { ID_ROOM = 64, CGROUP_NAME_ROOM = 64, CGROUP_PATH_ROOM = 512 };

/// The two classes; the names of their directories are `ls` and `be`.
enum class { LATENCY_SENSITIVE = 0, BEST_EFFORT = 1, CLASSES = 2 };

enum controller { CPU = 0, MEMORY = 1, PIDS = 2, CONTROLLERS = 3 };

/// Where one controller is mounted.
enum place { ABSENT = 0, IN_V1 = 1, IN_V2 = 2 };

/// The cgroup directories of this node. `v2` is where sandboxes live; a controller that this host has bound to v1
/// gets a directory of the same name in its own hierarchy. Paths are the host's, descriptors are of `<base>/<name>`.
struct cgroups {
  char name[CGROUP_NAME_ROOM];
  char v2_path[CGROUP_PATH_ROOM];
  int v2;
  enum place place[CONTROLLERS];
  char v1_path[CONTROLLERS][CGROUP_PATH_ROOM];
  int v1[CONTROLLERS];
};

/// Limits of one sandbox; 0 is none.
struct limits {
  uint32_t cpu_millis;
  uint64_t memory_bytes;
  uint32_t pids;
};

/// What a sandbox used.
struct usage {
  uint64_t cpu_micros;
  uint64_t memory_bytes;
  uint64_t peak_bytes;
  uint32_t processes;
  uint64_t oom_kills;
  bool io_known;          ///< whether the two below were counted
  uint64_t read_bytes;    ///< from storage
  uint64_t written_bytes; ///< to what belongs on storage
};

extern const char *const class_names[CLASSES];
extern const char *const controller_names[CONTROLLERS];

/// Finds (or finds again, from `run_fd/cgroups`) and makes the directories of this node.
int cgroups_open(struct cgroups *cgroups, const char *name, int run_fd, struct fault *fault);

/// True when some controller is bound to v1.
bool cgroups_hybrid(const struct cgroups *cgroups);

/// Removes the class directories when nothing lives in them any more.
void cgroups_remove_empty(const struct cgroups *cgroups);

/// Fills the paths and places from /proc/self; no directory is made.
int cgroups_discover(struct cgroups *cgroups, struct fault *fault);

/// Makes the directories of one sandbox with its limits, owned by `owner` as far as delegation needs it.
int cgroup_create(const struct cgroups *cgroups, enum class class, const char *id, const struct limits *limits,
                  uid_t owner, struct fault *fault);

/// Puts a process into the v1 directories of a sandbox.
int cgroup_attach_v1(const struct cgroups *cgroups, enum class class, const char *id, pid_t pid, struct fault *fault);

/// Puts a process into every directory of a sandbox.
int cgroup_attach(const struct cgroups *cgroups, enum class class, const char *id, pid_t pid, struct fault *fault);

/// Sets every limit; on a `fresh` directory those that are none already are left out.
int cgroup_set_limits(const struct cgroups *cgroups, enum class class, const char *id, const struct limits *limits,
                      bool fresh, struct fault *fault);

/// Gives a sandbox that is being killed the CPU before all others of its class: each of its processes has to run once more
/// to end. Without effect where it fails.
void cgroup_hurry(const struct cgroups *cgroups, enum class class, const char *id);

/// The v2 directory of a sandbox, whichever its class; -1 and ENOENT when there is none.
int cgroup_find(const struct cgroups *cgroups, const char *id, enum class *class);

/// The host pid of the sandbox's PID 1, found from the kernel; 0 when it is dead.
pid_t cgroup_agent(int directory);

/// True when `pid` is in the cgroup itself, where the agent stays; its sub-cgroups are not looked at.
bool cgroup_holds(int directory, pid_t pid);

/// Writes down which sandbox a blank of another name is from now on.
int cgroup_set_owner(int directory, const char *owner, struct fault *fault);

/// Reads it into `owner`, which has ID_ROOM; empty when the directory has the sandbox's own name, or is a blank.
void cgroup_owner(int directory, char *owner);

int cgroup_usage(const struct cgroups *cgroups, enum class class, const char *id, struct usage *usage,
                 struct fault *fault);

/// Counts what a sandbox read and wrote, all of it as long as its agent lives; not known of one with very many processes.
void cgroup_io(int directory, struct usage *usage);

/// Calls `visit` for every process of a cgroup and of those below it.
void cgroup_each_process(int directory, void (*visit)(pid_t, void *), void *what);

/// Lets a sandbox's memory go to swap, or keeps a limited sandbox from using more of it: a limit of memory is none when
/// swap comes on top. Where the kernel cannot do either nothing happens.
void cgroup_allow_swap(const struct cgroups *cgroups, enum class class, const char *id, bool allow);

/// Frees pages that were written to swap on a disk: they stay charged until somebody looks for memory. v1 only, as
/// `memory.reclaim` does it by itself. Waits for the disk; pages of files that are charged to the sandbox go too.
void cgroup_free_written(const struct cgroups *cgroups, enum class class, const char *id);

/// A number from a line `key value` of a flat keyed file; 0 when it is absent.
uint64_t cgroup_keyed(int directory, const char *file, const char *key);

/// The same from an open file.
uint64_t cgroup_keyed_in(int file, const char *key);

/// Removes every directory of a sandbox; -1 with EBUSY while a process is left.
int cgroup_remove(const struct cgroups *cgroups, enum class class, const char *id, struct fault *fault);
