// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "blank.h"
#include "masks.h"
#include "oci.h"

#include <glob.h>
#include <string.h>

// The container's config.json. Every text in it is ours or an id that was checked, so nothing needs escaping. The
// mounts come from the world that host_make_world built: the same that native blanks bind.

static const char process[] =
    "{\"ociVersion\": \"1.0.2\",\n"
    "\"process\": {\"terminal\": false, \"user\": {\"uid\": 0, \"gid\": 0}, \"cwd\": \"/\",\n"
    " \"args\": [\"/init\", \"oci-init\"], \"env\": [], \"noNewPrivileges\": true, \"oomScoreAdj\": 500,\n"
    " \"rlimits\": [{\"type\": \"RLIMIT_CORE\", \"hard\": 0, \"soft\": 0}],\n \"capabilities\": {";

static const char capabilities[] =
    "CAP_CHOWN,CAP_DAC_OVERRIDE,CAP_FOWNER,CAP_FSETID,CAP_KILL,CAP_SETGID,CAP_SETUID,CAP_NET_BIND_SERVICE";

struct container_mount {
  const char *type;
  const char *from;
  const char *to;
  const char *options;
};

static const char locked[] = "rbind,ro,nosuid,nodev,noexec";

static const struct container_mount standard_mounts[] = {
    {"proc", "proc", "/proc", "nosuid,nodev,noexec"},
    {"bind", OCI_WORLD "/sys", "/sys", locked},
    {"bind", OCI_WORLD "/dev", "/dev", "bind,ro,nosuid,noexec"},
    {"devpts", "devpts", "/dev/pts", "nosuid,noexec,newinstance," TERMINALS},
    {"tmpfs", "tmpfs", "/dev/shm", "nosuid,nodev,noexec,mode=1777,size=67108864"},
    {"mqueue", "mqueue", "/dev/mqueue", "nosuid,nodev,noexec"},
};

/// A list of words with commas as a JSON array.
static void write_words(FILE *file, const char *words) {
  fputs("[\"", file);
  for (; *words != 0; words++) {
    if (*words == ',') {
      fputs("\", \"", file);
    } else {
      fputc(*words, file);
    }
  }
  fputs("\"]", file);
}

static void write_capabilities(FILE *file) {
  static const char *const sets[] = {"bounding", "effective", "permitted"};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    fprintf(file, "%s\"%s\": ", i == 0 ? "" : ", ", sets[i]);
    write_words(file, capabilities);
  }
}

static void write_mount(FILE *file, const struct container_mount *mount) {
  fprintf(file, "{\"destination\": \"%s\", \"type\": \"%s\", \"source\": \"%s\", \"options\": ", mount->to, mount->type,
          mount->from);
  write_words(file, mount->options);
  fputs("}", file);
}

static void write_bind(FILE *file, const char *from, const char *to) {
  fputs(",\n ", file);
  write_mount(file, &(struct container_mount){"bind", from, to, locked});
}

static void write_cgroup_mount(FILE *file, const char *tree, const char *below, const struct oci_blank *blank) {
  char from[ID_ROOM + 48];
  char to[40];
  snprintf(from, sizeof from, OCI_WORLD "/cgroup/%s/%s/%s", tree, class_names[blank->class], blank->id);
  snprintf(to, sizeof to, "/sys/fs/cgroup%s", below);
  write_bind(file, from, to);
}

/// crun (seen in 1.8) binds without what is mounted below, so the parts of the world's /sys are named one by one.
static void write_mounts(FILE *file, const struct cgroups *cgroups, const struct oci_blank *blank) {
  for (size_t i = 0; i < sizeof standard_mounts / sizeof *standard_mounts; i++) {
    fputs(i == 0 ? "\"mounts\": [\n " : ",\n ", file);
    write_mount(file, &standard_mounts[i]);
  }
  if (cgroups_hybrid(cgroups)) {
    write_bind(file, OCI_WORLD "/sys/fs/cgroup", "/sys/fs/cgroup");
  }
  write_cgroup_mount(file, "unified", cgroups_hybrid(cgroups) ? "/unified" : "", blank);
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    char to[16];
    snprintf(to, sizeof to, "/%s", controller_names[i]);
    if (cgroups->place[i] == IN_V1) {
      write_cgroup_mount(file, controller_names[i], to, blank);
    }
  }
  fputs("],\n", file);
}

static void write_path(FILE *file, const char *path, const char **separator) {
  fprintf(file, "%s\"%s\"", *separator, path);
  *separator = ", ";
}

static void write_paths(FILE *file, const char *const *paths, const char **separator) {
  char absolute[64];
  for (; *paths != NULL; paths++) {
    snprintf(absolute, sizeof absolute, "/%s", *paths);
    write_path(file, absolute, separator);
  }
}

static void write_throttle_counters(FILE *file, const char **separator) {
  glob_t found;
  if (glob("/sys/devices/system/cpu/cpu*/thermal_throttle", GLOB_NOSORT, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      write_path(file, found.gl_pathv[i], separator);
    }
    globfree(&found);
  }
}

/// The v2 directory as the runtime names it: below the mount that it sees at /sys/fs/cgroup.
static const char *path_in_v2(const struct cgroups *cgroups) {
  static const char *const mounts_known[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
  for (size_t i = 0; i < sizeof mounts_known / sizeof *mounts_known; i++) {
    if (strncmp(cgroups->v2_path, mounts_known[i], strlen(mounts_known[i])) == 0) {
      return cgroups->v2_path + strlen(mounts_known[i]);
    }
  }
  return "";
}

static void write_namespaces(FILE *file) {
  static const char *const namespaces[] = {"pid", "network", "ipc", "uts", "mount", "user", "cgroup"};
  fputs(" \"namespaces\": [", file);
  for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
    fprintf(file, "%s{\"type\": \"%s\"}", i == 0 ? "" : ", ", namespaces[i]);
  }
  fputs("],\n", file);
}

void oci_write_config(FILE *file, const struct host *host, const struct oci_blank *blank) {
  const struct cgroups *cgroups = &host->cgroups;
  uint32_t base = host->settings.uid_base;
  fputs(process, file);
  write_capabilities(file);
  fprintf(file, "}},\n\"root\": {\"path\": \"" OCI_WORLD "/root\", \"readonly\": true}, \"hostname\": \"%s\",\n",
          blank->id);
  write_mounts(file, cgroups, blank);
  fprintf(file, "\"linux\": {\"cgroupsPath\": \"%s/%s/%s/%s\",\n", path_in_v2(cgroups), cgroups->name,
          class_names[blank->class], blank->id);
  fprintf(file, " \"uidMappings\": [{\"containerID\": 0, \"hostID\": %u, \"size\": %d}],\n", base, ID_COUNT);
  fprintf(file, " \"gidMappings\": [{\"containerID\": 0, \"hostID\": %u, \"size\": %d}],\n", base, ID_COUNT);
  write_namespaces(file);
  const char *separator = " \"maskedPaths\": [";
  write_paths(file, masked_files, &separator);
  write_paths(file, masked_directories, &separator);
  write_throttle_counters(file, &separator);
  fputs("],\n", file);
  separator = " \"readonlyPaths\": [";
  write_paths(file, read_only_paths, &separator);
  fputs("]}}\n", file);
}
