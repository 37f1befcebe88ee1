// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
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
    " \"rlimits\": [{\"type\": \"RLIMIT_CORE\", \"hard\": 0, \"soft\": 0}],\n"
    " \"capabilities\": {\"bounding\": %s, \"effective\": %s, \"permitted\": %s}},\n"
    "\"root\": {\"path\": \"" OCI_WORLD "/root\", \"readonly\": true}, \"hostname\": \"%s\",\n";

static const char capabilities[] =
    "[\"CAP_CHOWN\", \"CAP_DAC_OVERRIDE\", \"CAP_FOWNER\", \"CAP_FSETID\", \"CAP_KILL\", \"CAP_SETGID\", \"CAP_SETUID\","
    " \"CAP_NET_BIND_SERVICE\"]";

static const char mounts[] =
    "\"mounts\": [\n"
    " {\"destination\": \"/proc\", \"type\": \"proc\", \"source\": \"proc\", \"options\": [\"nosuid\", \"nodev\", \"noexec\"]},\n"
    " {\"destination\": \"/sys\", \"type\": \"bind\", \"source\": \"" OCI_WORLD "/sys\", \"options\": [\"rbind\", \"ro\", \"nosuid\", \"nodev\", \"noexec\"]},\n"
    " {\"destination\": \"/dev\", \"type\": \"bind\", \"source\": \"" OCI_WORLD "/dev\", \"options\": [\"bind\", \"ro\", \"nosuid\", \"noexec\"]},\n"
    " {\"destination\": \"/dev/pts\", \"type\": \"devpts\", \"source\": \"devpts\", \"options\": [\"nosuid\", \"noexec\", \"newinstance\", \"ptmxmode=0666\", \"mode=0620\", \"gid=5\"]},\n"
    " {\"destination\": \"/dev/shm\", \"type\": \"tmpfs\", \"source\": \"tmpfs\", \"options\": [\"nosuid\", \"nodev\", \"noexec\", \"mode=1777\", \"size=67108864\"]},\n"
    " {\"destination\": \"/dev/mqueue\", \"type\": \"mqueue\", \"source\": \"mqueue\", \"options\": [\"nosuid\", \"nodev\", \"noexec\"]}";

/// Some versions of crun bind without what is mounted below, so the parts of the world's /sys are named one by one.
static void write_bind(FILE *file, const char *from, const char *to) {
    fprintf(file, ",\n {\"destination\": \"%s\", \"type\": \"bind\", \"source\": \"" OCI_WORLD "%s\","
            " \"options\": [\"rbind\", \"ro\", \"nosuid\", \"nodev\", \"noexec\"]}", to, from);
}

static void write_cgroup_mount(FILE *file, const char *tree, const char *below, const struct oci_blank *blank) {
    char from[ID_ROOM + 32];
    char to[40];
    snprintf(from, sizeof from, "/cgroup/%s/%s/%s", tree, class_names[blank->class], blank->id);
    snprintf(to, sizeof to, "/sys/fs/cgroup%s", below);
    write_bind(file, from, to);
}

static void write_mounts(FILE *file, const struct cgroups *cgroups, const struct oci_blank *blank) {
    fputs(mounts, file);
    if (cgroups_hybrid(cgroups)) {
        write_bind(file, "/sys/fs/cgroup", "/sys/fs/cgroup");
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
    fprintf(file, process, capabilities, capabilities, capabilities, blank->id);
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
