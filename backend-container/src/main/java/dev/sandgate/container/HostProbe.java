// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Probe.Finding;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.Undo;
import dev.sandgate.support.host.CgroupMounts;
import dev.sandgate.support.host.ProcFile;
import dev.sandgate.support.spawner.Blank;
import dev.sandgate.support.spawner.Spawner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** What this host can do for containers; ends by making one blank sandbox for real. */
final class HostProbe {

  private static final String PROC = "/proc/";
  private static final int CAP_SYS_ADMIN = 21;
  private static final int[] KERNEL = {6, 12};

  private final Host host;
  private final List<Finding> findings = new ArrayList<>();

  HostProbe(Host host) {
    this.host = host;
  }

  Probe run() {
    privileges();
    kernel();
    fileSystem("erofs", "load the erofs module or use a kernel with CONFIG_EROFS_FS");
    fileSystem("overlay", "load the overlay module or use a kernel with CONFIG_OVERLAY_FS");
    userNamespaces();
    seccomp();
    binary("spawner binary", host.settings().spawner().binary());
    binary("guest agent binary", host.settings().spawner().agent());
    cgroups();
    coreScheduling();
    swap();
    runtimes();
    if (new Probe(findings).available()) {
      blank();
      findings.add(new DiskProbe(host).finding());
    }
    return new Probe(findings);
  }

  private void need(String subject, boolean available, String detail) {
    findings.add(new Finding(subject, true, available, detail));
  }

  private void optional(String subject, boolean available, String detail) {
    findings.add(new Finding(subject, false, available, detail));
  }

  private void privileges() {
    String mask =
        ProcFile.lines(PROC + "self/status").stream()
            .filter(line -> line.startsWith("CapEff:"))
            .map(line -> line.substring("CapEff:".length()).strip())
            .findFirst()
            .orElse("0");
    boolean admin = (Long.parseUnsignedLong(mask, 16) >> CAP_SYS_ADMIN & 1) == 1;
    need("root privileges", admin, admin ? "CapEff " + mask : "run the node runtime as root");
  }

  private void kernel() {
    String release = ProcFile.text(PROC + "sys/kernel/osrelease");
    String[] parts = release.split("[^0-9]+", 3);
    boolean recent = parts.length > 1 && atLeast(parts[0], parts[1]);
    need(
        "kernel",
        recent,
        recent ? release : release + ": EROFS images are mounted from files since Linux 6.12");
  }

  private static boolean atLeast(String major, String minor) {
    if (major.isEmpty() || minor.isEmpty()) {
      return false;
    }
    int first = Integer.parseInt(major);
    return first > KERNEL[0] || (first == KERNEL[0] && Integer.parseInt(minor) >= KERNEL[1]);
  }

  private void fileSystem(String name, String fix) {
    boolean there =
        ProcFile.lines(PROC + "filesystems").stream()
            .anyMatch(line -> line.strip().endsWith("\t" + name) || line.strip().equals(name));
    need(name, there, there ? "in /proc/filesystems" : fix);
  }

  private void userNamespaces() {
    String most = ProcFile.text(PROC + "sys/user/max_user_namespaces");
    boolean there = !most.isEmpty() && !most.equals("0");
    need(
        "user namespaces",
        there,
        there ? "at most " + most : "set sysctl user.max_user_namespaces above 0");
  }

  private void seccomp() {
    String actions = ProcFile.text(PROC + "sys/kernel/seccomp/actions_avail");
    boolean there = actions.contains("errno");
    need("seccomp", there, there ? actions : "use a kernel with CONFIG_SECCOMP_FILTER");
  }

  private void binary(String subject, Path file) {
    boolean there = Files.isExecutable(file);
    need(subject, there, there ? file.toString() : file + " is missing: run make -C native all");
  }

  private void cgroups() {
    CgroupMounts mounts = CgroupMounts.read();
    boolean core = mounts.v2().isPresent();
    need(
        "cgroup v2",
        core,
        mounts.v2().map(Path::toString).orElse("mount cgroup2, if only for its core files"));
    Map<String, String> places = new TreeMap<>(mounts.controllers());
    for (String controller : List.of("cpu", "memory", "pids")) {
      String place = places.get(controller);
      need("cgroup " + controller, place != null, place == null ? "not mounted" : place);
    }
    cgroupFile(mounts, "cgroup.kill", "kills by process list", true);
    cgroupFile(mounts, "cpu.idle", "best-effort class without SCHED_IDLE", false);
    cgroupFile(mounts, "memory.reclaim", "pause gives memory back by MADV_PAGEOUT", false);
  }

  private void cgroupFile(CgroupMounts mounts, String file, String without, boolean needed) {
    String where = mounts.find(file).map(Path::toString).orElse("");
    boolean there = !where.isEmpty();
    String detail = there ? where : "this kernel has none where cgroups are mounted; " + without;
    findings.add(new Finding(file, needed, there, detail));
  }

  private void coreScheduling() {
    String failure = CoreScheduling.failure();
    optional(
        "core scheduling", failure.isEmpty(), failure.isEmpty() ? "prctl(PR_SCHED_CORE)" : failure);
  }

  private void swap() {
    boolean zram =
        Files.exists(Path.of("/sys/class/zram-control")) || Files.exists(Path.of("/dev/zram0"));
    optional("zram", zram, zram ? "module present" : "pause keeps memory unless swap is there");
    List<String> swaps = ProcFile.lines(PROC + "swaps");
    optional(
        "swap", swaps.size() > 1, swaps.size() > 1 ? swaps.size() - 1 + " areas" : "none active");
  }

  private void runtimes() {
    boolean used = host.settings().provider() == ContainerSettings.Provider.OCI;
    for (String name : List.of("crun", "runc", "runsc")) {
      String path = ProcFile.onPath(name).map(Path::toString).orElse("");
      boolean needed = used && host.settings().runtime().equals(name);
      String detail = path.isEmpty() ? "not on PATH" : path;
      findings.add(new Finding(name, needed, !path.isEmpty(), detail));
    }
  }

  private void blank() {
    String id = "probe-" + UUID.randomUUID().toString().substring(0, 8);
    try {
      Spawner.Info info = host.spawner().info();
      Undo undo = new Undo();
      int pid = host.blanks().make(new Blank(id, false, 0, 0, 0), undo);
      undo.run();
      need(
          "blank sandbox",
          true,
          "made and removed, agent was "
              + pid
              + "; spawner "
              + info.pid()
              + ", "
              + info.controllers());
    } catch (RuntimeException e) {
      SandgateException cause = host.explain(e);
      need("blank sandbox", false, String.valueOf(cause.getMessage()));
    }
  }
}
