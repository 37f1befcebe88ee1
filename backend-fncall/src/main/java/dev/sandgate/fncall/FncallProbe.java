// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Probe.Finding;
import dev.sandgate.support.spawner.SpawnerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** What function calls need of this host: the means of a container, whose workers they run in. */
final class FncallProbe {

  private FncallProbe() {}

  static Probe run(SpawnerSettings spawner) {
    return new Probe(
        List.of(
            found(
                "user namespaces",
                "/proc/sys/user/max_user_namespaces",
                text -> Long.parseLong(text.strip()) > 0,
                "set sysctl user.max_user_namespaces above 0"),
            found(
                "cgroup v2",
                "/proc/self/mountinfo",
                text -> text.contains(" - cgroup2 "),
                "mount cgroup2"),
            found(
                "overlay",
                "/proc/filesystems",
                text -> text.contains("\toverlay\n"),
                "modprobe overlay"),
            found(
                "erofs", "/proc/filesystems", text -> text.contains("\terofs\n"), "modprobe erofs"),
            program("spawner", spawner.binary()),
            program("agent", spawner.agent()),
            root(),
            new Finding("gpu", false, false, "none is looked for in this version")));
  }

  private static Finding program(String subject, Path binary) {
    boolean there = Files.isExecutable(binary);
    String detail = binary + (there ? "" : " is no program; build native/, or name it in settings");
    return new Finding(subject, true, there, detail);
  }

  private static Finding root() {
    boolean root = "root".equals(System.getProperty("user.name"));
    return new Finding("root", true, root, root ? "yes" : "run the node as root");
  }

  private static Finding found(String subject, String file, Predicate<String> good, String fix) {
    try {
      boolean available = good.test(Files.readString(Path.of(file)));
      return new Finding(subject, true, available, available ? "in " + file : fix);
    } catch (IOException e) {
      return new Finding(subject, true, false, file + " cannot be read: " + e.getMessage());
    }
  }
}
