// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.host;

import java.util.Optional;

/**
 * How many processes of one sandbox the kernel killed for memory, read straight from its memory cgroup: a few microseconds
 * that never wait, so it may be read on an event loop.
 *
 * @param file {@code memory.events} or, on v1, {@code memory.oom_control}
 */
record OomCounter(Optional<String> file) {

  private static final String KEY = "\noom_kill ";

  /** The counter of the sandbox whose agent has this pid on the host. */
  static OomCounter of(CgroupMounts mounts, int pid) {
    return new OomCounter(mounts.ofProcess(pid, "memory").map(OomCounter::fileIn));
  }

  private static String fileIn(CgroupMounts.Place place) {
    return place.directory() + (place.v2() ? "/memory.events" : "/memory.oom_control");
  }

  long read() {
    String text = "\n" + file.map(ProcFile::small).orElse("") + "\n";
    int at = text.indexOf(KEY);
    return at < 0
        ? 0
        : Long.parseLong(text, at + KEY.length(), text.indexOf('\n', at + KEY.length()), 10);
  }
}
