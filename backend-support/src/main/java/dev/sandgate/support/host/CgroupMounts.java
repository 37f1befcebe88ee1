// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where cgroup hierarchies are mounted and which controllers each has; v1, v2 and hybrid hosts alike.
 *
 * @param v2 the mount point of cgroup2, if there is one
 * @param controllers name of each controller to {@code v1:} or {@code v2:} and the mount point
 */
public record CgroupMounts(Optional<Path> v2, Map<String, String> controllers) {

  private static final Logger LOG = LoggerFactory.getLogger(CgroupMounts.class);
  private static final Set<String> NAMES =
      Set.of("cpu", "cpuset", "cpuacct", "memory", "pids", "blkio", "io", "freezer", "devices");
  private static final int DEPTH = 2;
  private static final String UNIFIED = "0::";

  /**
   * Where a process is in one controller's hierarchy.
   *
   * @param v2 whether that is the unified hierarchy
   * @param directory as this process sees it
   */
  public record Place(boolean v2, Path directory) {}

  /** The place of a process, when the controller is there. */
  public Optional<Place> ofProcess(int pid, String controller) {
    String mount = controllers.getOrDefault(controller, "");
    if (mount.isEmpty()) {
      return Optional.empty();
    }
    boolean v2 = mount.startsWith("v2:");
    return ProcFile.lines("/proc/" + pid + "/cgroup").stream()
        .map(line -> line.split(":", 3))
        .filter(
            line -> v2 ? line[0].equals("0") : List.of(line[1].split(",", -1)).contains(controller))
        .findFirst()
        .map(line -> new Place(v2, Path.of(mount.substring(3) + line[2])));
  }

  /** The place of a process in the unified hierarchy, if there is one. */
  public Optional<Path> ofProcess(int pid) {
    return v2.flatMap(
        point ->
            ProcFile.lines("/proc/" + pid + "/cgroup").stream()
                .filter(line -> line.startsWith(UNIFIED))
                .findFirst()
                .map(line -> Path.of(point + line.substring(UNIFIED.length()))));
  }

  /** Reads {@code /proc/self/mountinfo}. */
  public static CgroupMounts read() {
    Map<String, String> controllers = new HashMap<>();
    Optional<Path> v2 = Optional.empty();
    for (String line : ProcFile.lines("/proc/self/mountinfo")) {
      String[] halves = line.split(" - ", 2);
      String[] mount = halves[0].split(" ", -1);
      String[] type = halves.length < 2 ? new String[] {""} : halves[1].split(" ", -1);
      String point = mount.length > 4 ? mount[4] : "";
      if (type[0].equals("cgroup")) {
        note(controllers, List.of(type[type.length - 1].split(",", -1)), "v1:" + point);
      } else if (type[0].equals("cgroup2") && v2.isEmpty()) {
        v2 = Optional.of(Path.of(point));
        String list = ProcFile.text(point + "/cgroup.controllers");
        note(controllers, List.of(list.split(" ", -1)), "v2:" + point);
      }
    }
    return new CgroupMounts(v2, controllers);
  }

  private static void note(Map<String, String> controllers, List<String> names, String place) {
    names.stream().filter(NAMES::contains).forEach(name -> controllers.putIfAbsent(name, place));
  }

  /** A place where a file exists, near the top of a hierarchy. */
  public Optional<Path> find(String file) {
    List<Path> points = new ArrayList<>();
    v2.ifPresent(points::add);
    controllers.values().stream()
        .distinct()
        .map(place -> Path.of(place.substring(3)))
        .forEach(points::add);
    return points.stream()
        .flatMap(point -> find(point, file).stream())
        .findFirst()
        .or(() -> v2.flatMap(root -> inNew(root, file)));
  }

  /** A host's first cgroup is perhaps ours, and a hierarchy's root has few of the files. */
  private static Optional<Path> inNew(Path root, String file) {
    Path fresh = root.resolve("sandgate-probe-" + UUID.randomUUID());
    try {
      Files.createDirectory(fresh);
      boolean there = Files.exists(fresh.resolve(file));
      Files.delete(fresh);
      return there ? Optional.of(root) : Optional.empty();
    } catch (IOException e) {
      LOG.debug("{} takes no cgroup", root, e);
      return Optional.empty();
    }
  }

  private static Optional<Path> find(Path point, String file) {
    try (Stream<Path> tree = Files.find(point, DEPTH, (path, facts) -> path.endsWith(file))) {
      return tree.findFirst();
    } catch (IOException | UncheckedIOException e) {
      LOG.debug("{} cannot be searched", point, e);
      return Optional.empty();
    }
  }
}
