// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "daemon.h"
#include "oci.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_UID_LEAST = 65536 };

static const char usage_text[] =
    "usage: spawner serve --run DIR --state DIR --agent FILE [--uid-base N] [--cgroup-name NAME]\n"
    "       spawner oci --runtime crun|runc --run DIR --id ID --agent FILE [--class ls|be] [--uid-base N]\n"
    "               [--cgroup-name NAME]\n"
    "       spawner oci-delete --runtime crun|runc --run DIR --id ID [--cgroup-name NAME]\n";

static int usage(void) {
  fputs(usage_text, stderr);
  return 2;
}

static bool parse_uid_base(const char *text, uint32_t *base) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  *base = (uint32_t)value;
  bool number = errno == 0 && *text >= '0' && *text <= '9' && *end == 0;
  if (!number || value < FIRST_UID_LEAST || value > UINT32_MAX - ID_COUNT - OWNER_COUNT) {
    fputs("spawner: --uid-base is at least 65536, so that no host user is mapped\n", stderr);
    return false;
  }
  return true;
}

static bool parse_class(const char *text, enum class *class) {
  *class = strcmp(text, class_names[BEST_EFFORT]) == 0 ? BEST_EFFORT : LATENCY_SENSITIVE;
  return strcmp(text, class_names[*class]) == 0;
}

static bool set_option(int option, const char *value, struct settings *settings, struct oci_blank *blank) {
  switch (option) {
  case 'r': settings->run = value; return true;
  case 's': settings->state = value; return true;
  case 'a': settings->agent = value; return true;
  case 'c': settings->cgroup_name = value; return true;
  case 'u': return parse_uid_base(value, &settings->uid_base);
  case 't': blank->runtime = value; return true;
  case 'i': blank->id = value; return true;
  case 'q': return parse_class(value, &blank->class);
  default: return false;
  }
}

static bool parse(int count, char **arguments, struct settings *settings, struct oci_blank *blank) {
  static const struct option options[] = {
      {"run", required_argument, NULL, 'r'},
      {"state", required_argument, NULL, 's'},
      {"agent", required_argument, NULL, 'a'},
      {"uid-base", required_argument, NULL, 'u'},
      {"runtime", required_argument, NULL, 't'},
      {"cgroup-name", required_argument, NULL, 'c'},
      {"id", required_argument, NULL, 'i'},
      {"class", required_argument, NULL, 'q'},
      {NULL, 0, NULL, 0},
  };
  for (int option; (option = getopt_long(count, arguments, "", options, NULL)) != -1;) {
    if (!set_option(option, optarg, settings, blank)) {
      return false;
    }
  }
  const char *name = settings->cgroup_name;
  bool named = name[0] != '.' && name[0] != 0 && strlen(name) < CGROUP_NAME_ROOM && strpbrk(name, "/ \n\"\\") == NULL;
  return named && settings->run != NULL && optind == count;
}

int main(int count, char **arguments) {
  struct settings settings = {.cgroup_name = "sandgate", .uid_base = 100000};
  struct oci_blank blank = {.class = LATENCY_SENSITIVE};
  const char *command = count < 2 ? "" : arguments[1];
  if (strcmp(command, "oci-init") == 0) {
    return oci_init_command();
  }
  if (count < 2 || !parse(count - 1, arguments + 1, &settings, &blank)) {
    return usage();
  }
  bool identified = blank.runtime != NULL && blank.id != NULL;
  if (strcmp(command, "serve") == 0 && settings.state != NULL && settings.agent != NULL) {
    return daemon_start(&settings);
  }
  if (strcmp(command, "oci") == 0 && identified && settings.agent != NULL) {
    return oci_create_command(&settings, &blank);
  }
  if (strcmp(command, "oci-delete") == 0 && identified) {
    return oci_delete_command(&settings, &blank);
  }
  return usage();
}
