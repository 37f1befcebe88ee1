// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "handlers.h"
#include "changes.h"
#include "kernel.h"
#include "layers.h"
#include "upper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// One function per request: read the fields, refuse what makes no sense, do it.

enum { CREATE_MS = 10000, DESTROY_MS = 5000, FREEZE_MS = 5000 };

enum outcome outcome_of(int result) {
  return result == 0 ? DONE : FAILED;
}

enum outcome begun(int result, struct work *work) {
  work->kind = result == 0 ? work->kind : NO_WORK;
  return result == 0 ? WAITING : FAILED;
}

void write_usage(struct writer *answer, const struct usage *usage) {
  write_u64(answer, usage->cpu_micros);
  write_u64(answer, usage->memory_bytes);
  write_u64(answer, usage->peak_bytes);
  write_u32(answer, usage->processes);
  write_u64(answer, usage->oom_kills);
  write_u8(answer, usage->io_known ? 1 : 0);
  write_u64(answer, usage->read_bytes);
  write_u64(answer, usage->written_bytes);
}

bool read_id(struct reader *fields, char *id) {
  read_str(fields, id, ID_ROOM);
  return id_valid(id);
}

enum outcome judge(const struct reader *fields, bool named, struct fault *fault) {
  if (!read_done(fields)) {
    return BROKEN;
  }
  if (!named || fields->too_long) {
    fail_with(fault, STEP_REQUEST, EINVAL, named ? "a text is too long" : "an id is 1 to 63 of a-z, 0-9 and -");
    return FAILED;
  }
  return DONE;
}

static int find(struct host *host, const char *id, enum class *class, struct fault *fault) {
  int cgroup = cgroup_find(&host->cgroups, id, class);
  return cgroup >= 0 ? cgroup : fail(fault, STEP_CGROUP, "find the sandbox %s", id);
}

static enum outcome info(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                         struct fault *fault) {
  (void)work;
  (void)fault;
  if (!read_done(fields)) {
    return BROKEN;
  }
  char text[32];
  write_u32(answer, PROTOCOL_VERSION);
  write_u32(answer, (uint32_t)getpid());
  write_u32(answer, host->settings.uid_base);
  size_t count_at = answer->used;
  uint16_t count = 0;
  write_u16(answer, 0);
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (host->cgroups.place[i] != ABSENT) {
      snprintf(text, sizeof text, "%s:%s", host->cgroups.place[i] == IN_V1 ? "v1" : "v2", controller_names[i]);
      write_str(answer, text);
      count++;
    }
  }
  patch_u16(answer, count_at, count);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)host->build);
  write_str(answer, text);
  return DONE;
}

void read_limits(struct reader *fields, struct limits *limits) {
  limits->cpu_millis = read_u32(fields);
  limits->memory_bytes = read_u64(fields);
  limits->pids = read_u32(fields);
}

static enum outcome create(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                           struct fault *fault) {
  (void)answer;
  struct blank *blank = &work->blank;
  bool named = read_id(fields, blank->id);
  uint8_t class = read_u8(fields);
  read_limits(fields, &blank->limits);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  if (class >= CLASSES) {
    fail_with(fault, STEP_REQUEST, EINVAL, "there is no class %u", class);
    return FAILED;
  }
  blank->class = class;
  if (blank_begin(host, blank, fault) != 0) {
    return FAILED;
  }
  work->kind = CREATING;
  work->deadline_ms = now_ms() + CREATE_MS;
  return WAITING;
}

static enum outcome destroy(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                            struct fault *fault) {
  struct destruction *destruction = &work->destruction;
  bool named = read_id(fields, destruction->id);
  read_str(fields, destruction->upper, sizeof destruction->upper);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  if (destruction->upper[0] != 0 && upper_name(destruction->upper) == NULL) {
    fail_with(fault, STEP_REQUEST, EINVAL, "the upper is uppers/ and one name, not %.100s", destruction->upper);
    return FAILED;
  }
  if (destroy_begin(host, destruction, fault) != 0) {
    return FAILED;
  }
  work->kind = DESTROYING;
  work->deadline_ms = now_ms() + DESTROY_MS;
  return work_continue(host, work, answer, fault);
}

static uint16_t list_class(struct host *host, enum class class, struct writer *answer) {
  uint16_t count = 0;
  int fd = openat(host->cgroups.v2, class_names[class], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  char owner[ID_ROOM];
  for (struct dirent *entry; stream != NULL && count < UINT16_MAX && (entry = readdir(stream)) != NULL;) {
    if (entry->d_type != DT_DIR || !id_valid(entry->d_name)) {
      continue;
    }
    int cgroup = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cgroup < 0) {
      continue;
    }
    write_str(answer, entry->d_name);
    write_u32(answer, (uint32_t)cgroup_agent(cgroup));
    cgroup_owner(cgroup, owner);
    write_str(answer, owner);
    close(cgroup);
    count++;
  }
  if (stream != NULL) {
    closedir(stream);
  }
  return count;
}

static enum outcome list(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                         struct fault *fault) {
  (void)work;
  (void)fault;
  if (!read_done(fields)) {
    return BROKEN;
  }
  size_t count_at = answer->used;
  uint16_t count = 0;
  write_u16(answer, 0);
  for (enum class class = 0; class < CLASSES; class++) {
    count = (uint16_t)(count + list_class(host, class, answer));
  }
  patch_u16(answer, count_at, count);
  return DONE;
}

static enum outcome set_limits(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                               struct fault *fault) {
  (void)work;
  (void)answer;
  char id[ID_ROOM];
  struct limits limits;
  enum class class;
  bool named = read_id(fields, id);
  read_limits(fields, &limits);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  int cgroup = find(host, id, &class, fault);
  if (cgroup < 0) {
    return FAILED;
  }
  close(cgroup);
  return outcome_of(cgroup_set_limits(&host->cgroups, class, id, &limits, false, fault));
}

static enum outcome tell_usage(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                               struct fault *fault) {
  (void)work;
  char id[ID_ROOM];
  struct usage usage;
  enum class class;
  bool named = read_id(fields, id);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  int cgroup = find(host, id, &class, fault);
  if (cgroup < 0) {
    return FAILED;
  }
  int result = cgroup_usage(&host->cgroups, class, id, &usage, fault);
  if (result == 0) {
    cgroup_io(cgroup, &usage);
    write_usage(answer, &usage);
  }
  close(cgroup);
  return outcome_of(result);
}

static enum outcome freeze(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                           struct fault *fault) {
  enum class class;
  bool named = read_id(fields, work->freeze.id);
  work->freeze.on = read_u8(fields) != 0;
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  int cgroup = find(host, work->freeze.id, &class, fault);
  if (cgroup < 0) {
    return FAILED;
  }
  if (!work->freeze.on) {
    cgroup_allow_swap(&host->cgroups, class, work->freeze.id, false);
  }
  work->freeze.events = openat(cgroup, "cgroup.events", O_RDONLY | O_CLOEXEC);
  int result = work->freeze.events < 0 ? -1 : write_file(cgroup, "cgroup.freeze", work->freeze.on ? "1" : "0");
  if (result != 0) {
    fail(fault, STEP_CGROUP, "freeze or thaw %s", work->freeze.id);
    if (work->freeze.events >= 0) {
      close(work->freeze.events);
    }
  }
  close(cgroup);
  if (result != 0) {
    return FAILED;
  }
  work->kind = FREEZING;
  work->deadline_ms = now_ms() + FREEZE_MS;
  return work_continue(host, work, answer, fault);
}

static enum outcome forget_layer(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                                 struct fault *fault) {
  (void)host;
  (void)work;
  (void)answer;
  char path[LAYER_PATH_ROOM];
  read_str(fields, path, sizeof path);
  enum outcome judged = judge(fields, true, fault);
  return judged == DONE ? outcome_of(layer_forget(path, fault)) : judged;
}

/// The runtime's process was started inside the v2 cgroup already; only a process that lives there is adopted.
static enum outcome adopt(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                          struct fault *fault) {
  (void)work;
  (void)answer;
  char id[ID_ROOM];
  enum class class;
  bool named = read_id(fields, id);
  pid_t pid = (pid_t)read_u32(fields);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  int cgroup = find(host, id, &class, fault);
  if (cgroup < 0) {
    return FAILED;
  }
  bool inside = cgroup_holds(cgroup, pid);
  close(cgroup);
  if (!inside) {
    fail_with(fault, STEP_CGROUP, ESRCH, "process %d is not in %s", pid, id);
    return FAILED;
  }
  return outcome_of(cgroup_attach_v1(&host->cgroups, class, id, pid, fault));
}

static enum outcome tell_changes(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                                 struct fault *fault) {
  (void)work;
  static struct changes changes;
  read_str(fields, changes.upper, sizeof changes.upper);
  read_str(fields, changes.directory, sizeof changes.directory);
  changes.position = read_u64(fields);
  changes.layer_count = read_u16(fields);
  for (size_t i = 0; i < changes.layer_count && i < LAYERS_MOST; i++) {
    read_str(fields, changes.layers[i], LAYER_PATH_ROOM);
  }
  if (changes.layer_count > LAYERS_MOST && !fields->broken) {
    fail_with(fault, STEP_REQUEST, EINVAL, "a root has at most %d layers", LAYERS_MOST);
    return FAILED;
  }
  enum outcome judged = judge(fields, true, fault);
  return judged == DONE ? outcome_of(changes_page(host, &changes, answer, fault)) : judged;
}

static enum outcome stop(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                         struct fault *fault) {
  (void)host;
  (void)work;
  (void)answer;
  (void)fault;
  return read_done(fields) ? STOPPING : BROKEN;
}

enum outcome request_handle(struct host *host, enum request_type type, struct reader *fields, struct work *work,
                            struct writer *answer, struct fault *fault) {
  static handler *const handlers[] = {
      [REQUEST_INFO] = info,         [REQUEST_CREATE] = create, [REQUEST_ACTIVATE] = activate_blank,
      [REQUEST_DESTROY] = destroy,   [REQUEST_LIST] = list,     [REQUEST_LIMITS] = set_limits,
      [REQUEST_USAGE] = tell_usage,  [REQUEST_FREEZE] = freeze, [REQUEST_FORGET_LAYER] = forget_layer,
      [REQUEST_ADOPT_BLANK] = adopt, [REQUEST_STOP] = stop,     [REQUEST_CHANGES] = tell_changes,
      [REQUEST_STAGE] = stage,       [REQUEST_DISCARD] = discard, [REQUEST_LIST_LAYER] = list_layer,
      [REQUEST_DISK] = tell_disk,    [REQUEST_TRY_DISK] = try_disk, [REQUEST_RECLAIM] = reclaim,
  };
  if (type >= sizeof handlers / sizeof *handlers || handlers[type] == NULL) {
    return BROKEN;
  }
  return handlers[type](host, fields, work, answer, fault);
}
