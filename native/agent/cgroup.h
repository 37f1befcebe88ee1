// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The sandbox's own delegated cgroup v2 directory, and the sub-cgroup of each exec in it.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Takes over the directory's descriptor; whether it is one that can be used.
bool cgroup_open(int fd);
bool cgroup_is_there(void);

// For the child before it becomes the command: makes x<number> and moves the caller there. 0 or an errno; errno itself is
// left alone.
int cgroup_enter(uint32_t number);

// SIGKILL to everything in x<number>.
void cgroup_kill(uint32_t number);

// SIGKILL to everything in x<number> but one process.
void cgroup_kill_others(uint32_t number, pid_t keep);

// A signal to everything in x<number> but one process.
void cgroup_signal_others(uint32_t number, pid_t keep, int signal);

// CPU time of everything that ever ran in x<number>; false when that is not known.
bool cgroup_cpu_us(uint32_t number, uint64_t *cpu_us);

// The number of the sub-cgroup that a process, ended or not, is in; 0 for none.
uint32_t cgroup_of(pid_t pid);

// Removes x<number>: 0, or EBUSY while processes live there.
int cgroup_remove(uint32_t number);

// A descriptor that reports EPOLLPRI when x<number> becomes empty, or -1.
int cgroup_events(uint32_t number);

// Processes of the sandbox, the guest not among them.
uint32_t cgroup_processes(void);
