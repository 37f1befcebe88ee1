// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.load.host.Cgroups;
import dev.sandgate.load.host.Scratch;
import dev.sandgate.load.tool.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Idle bwrap sandboxes, each in cgroups of its own beside those of our sandboxes. */
final class BwrapCrowd implements AutoCloseable {

  private static final String START =
      """
      count=$1; shift
      dirs=$1; shift
      i=0
      while [ $i -lt $count ]; do
        ( for d in $dirs; do mkdir $d/$i; echo 0 >$d/$i/cgroup.procs; done; exec "$@" ) &
        i=$((i + 1))
      done
      wait
      """;

  private final int size;
  private final List<Path> cgroups;
  private final Child shell;

  private BwrapCrowd(int size, List<Path> cgroups, Child shell) {
    this.size = size;
    this.cgroups = cgroups;
    this.shell = shell;
  }

  /** Starts them; they are there when this returns. */
  static BwrapCrowd start(int count, Peers peers, Scratch scratch)
      throws IOException, InterruptedException {
    List<Path> cgroups = new ArrayList<>();
    for (Path ours : scratch.cgroups()) {
      if (ours.endsWith(scratch.name())) {
        cgroups.add(beside(ours, cgroup(scratch)));
      }
    }
    List<String> command = new ArrayList<>(List.of("sh", "-ec", START, "sh"));
    command.add(Integer.toString(count));
    command.add(String.join(" ", cgroups.stream().map(Path::toString).toList()));
    command.addAll(peers.idleBwrap());
    BwrapCrowd crowd = new BwrapCrowd(count, cgroups, peers.start(command));
    try {
      for (int i = 0; i < count; i++) {
        crowd.shell.await("up");
      }
      return crowd;
    } catch (IOException e) {
      crowd.close();
      throw e;
    }
  }

  /** The name of the cgroup that holds theirs. */
  static String cgroup(Scratch scratch) {
    return scratch.name() + "-bwrap";
  }

  int size() {
    return size;
  }

  // With the controllers that ours has; a v1 hierarchy has no such file.
  private static Path beside(Path ours, String name) throws IOException {
    Path cgroup = Files.createDirectories(ours.resolveSibling(name));
    Path file = ours.resolve("cgroup.subtree_control");
    if (Files.exists(file)) {
      for (String controller : Files.readString(file).strip().split(" ", -1)) {
        if (!controller.isEmpty()) {
          Files.writeString(cgroup.resolve("cgroup.subtree_control"), "+" + controller);
        }
      }
    }
    return cgroup;
  }

  /** Ends all of them and removes their cgroups. */
  @Override
  public void close() throws IOException {
    shell.close();
    for (Path cgroup : cgroups) {
      Cgroups.remove(cgroup);
    }
  }
}
