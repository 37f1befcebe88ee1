// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.proto.v1.Finding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What this host offers, besides what each backend examines by itself. */
final class HostFacts {

  private static final int READ_BYTES = 64 * 1024;
  private static final long MIN_FREE_BYTES = 2L << 30;

  private final Path data;
  private final List<Finding> findings = new ArrayList<>();

  private HostFacts(Path data) {
    this.data = data;
  }

  static List<Finding> examine(Path data) {
    HostFacts facts = new HostFacts(data);
    facts.kernel();
    facts.cgroups();
    facts.resources();
    facts.findings.add(DataDirectory.examine(data));
    facts.tools();
    return facts.findings;
  }

  private void kernel() {
    add("kernel", true, true, read("/proc/sys/kernel/osrelease"));
    boolean kvm = Files.isReadable(Path.of("/dev/kvm")) && Files.isWritable(Path.of("/dev/kvm"));
    add("/dev/kvm", false, kvm, hint(kvm, "no hardware virtualisation: VM backends emulate"));
  }

  private void cgroups() {
    boolean unified = Files.exists(Path.of("/sys/fs/cgroup/cgroup.controllers"));
    boolean hybrid = Files.exists(Path.of("/sys/fs/cgroup/unified/cgroup.controllers"));
    String detail =
        unified
            ? "unified: " + read("/sys/fs/cgroup/cgroup.controllers")
            : "hybrid: controllers on v1, core on v2";
    add(
        "cgroup v2",
        true,
        unified || hybrid,
        unified || hybrid ? detail : "mount cgroup2 at /sys/fs/cgroup");
    boolean pressure = Files.exists(Path.of("/proc/pressure/memory"));
    add("pressure (PSI)", false, pressure, hint(pressure, "boot with psi=1"));
  }

  private void resources() {
    add("CPUs", true, true, String.valueOf(Runtime.getRuntime().availableProcessors()));
    add("memory", true, true, line("/proc/meminfo", "MemTotal"));
    add("descriptors", false, true, line("/proc/self/limits", "Max open files"));
    try {
      FileStore store = Files.getFileStore(DataDirectory.existing(data));
      long free = store.getUsableSpace();
      boolean enough = free >= MIN_FREE_BYTES;
      String space = "%s on %s: %d GiB free".formatted(store.type(), data, free >> 30);
      add("disk", true, enough, enough ? space : space + ", 2 GiB are needed");
    } catch (IOException e) {
      add("disk", true, false, data + ": " + e.getMessage());
    }
  }

  private void tools() {
    tool("mkfs.erofs", "apt-get install erofs-utils (builds layers)");
    tool("skopeo", "apt-get install skopeo (fetches images)");
    tool("debootstrap", "apt-get install debootstrap (the debian environment)");
    tool("busybox", "apt-get install busybox-static (the busybox environment)");
  }

  private void tool(String name, String otherwise) {
    for (String directory : List.of("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin")) {
      Path path = Path.of(directory, name);
      if (Files.isExecutable(path)) {
        add(name, false, true, path.toString());
        return;
      }
    }
    add(name, false, false, otherwise);
  }

  private void add(String subject, boolean required, boolean available, String detail) {
    findings.add(
        Finding.newBuilder()
            .setSubject(subject)
            .setRequired(required)
            .setAvailable(available)
            .setDetail(detail)
            .build());
  }

  private static String hint(boolean available, String otherwise) {
    return available ? "" : otherwise;
  }

  // Files below /proc/sys give what they have to the first read only.
  private static String read(String file) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      return new String(in.readNBytes(READ_BYTES), StandardCharsets.UTF_8).strip();
    } catch (IOException missing) {
      return "";
    }
  }

  private static String line(String file, String name) {
    return read(file)
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).replaceAll("[:\\s]+", " ").strip())
        .findFirst()
        .orElse("unknown");
  }
}
