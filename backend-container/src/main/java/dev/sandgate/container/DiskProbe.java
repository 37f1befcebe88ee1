// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Probe.Finding;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.host.ProcFile;
import dev.sandgate.support.spawner.DiskRoom;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** How this host can limit what a sandbox writes: found out by making such a directory and removing it. */
final class DiskProbe {

  private static final String SUBJECT = "disk limits";
  private static final ResourceLimits TRIED = new ResourceLimits(0, 0, 0, 1L << 20, 0);

  private final Host host;

  DiskProbe(Host host) {
    this.host = host;
  }

  Finding finding() {
    String name = "uppers/probe-" + UUID.randomUUID().toString().substring(0, 8);
    try (ImageTemplates.Lease template = host.templates().lease(ImageSize.of(TRIED))) {
      DiskRoom room = host.spawner().tryDisk(name, template.name());
      String detail =
          "an ext4 image on a loop device for each sandbox; one of 1 MiB was made, it has %,d bytes and %,d inodes. %s"
              .formatted(room.mostBytes(), room.mostInodes(), otherWays());
      return new Finding(SUBJECT, false, true, detail);
    } catch (RuntimeException e) {
      SandgateException cause = host.explain(e);
      String detail =
          "limits.disk_bytes is refused: %s. %s".formatted(cause.getMessage(), otherWays());
      return new Finding(SUBJECT, false, false, detail);
    }
  }

  private String otherWays() {
    return projectQuota(ProcFile.lines("/proc/self/mountinfo"))
        + "; not in memory: that would count as the sandbox's memory";
  }

  private String projectQuota(List<String> mounts) {
    Path uppers = host.settings().spawner().state();
    return mounts.stream()
        .map(MountLine::of)
        .filter(mount -> uppers.startsWith(mount.place()))
        .max(Comparator.comparingInt(mount -> mount.place().getNameCount()))
        .map(DiskProbe::whyNoQuota)
        .orElse("Not by project quota: the file system is not known");
  }

  private static String whyNoQuota(MountLine mount) {
    return "Not by project quota: %s is %s %s"
        .formatted(
            mount.place(),
            mount.type(),
            mount.hasProjectQuota()
                ? "with it, which this version does not use"
                : "mounted without it");
  }
}
