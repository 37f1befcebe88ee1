// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.snapshots;

import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.tool.Child;
import dev.sandgate.load.tool.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * podman with its storage in a directory of its own, driven by one shell a round, in a mount namespace where cgroup2 is mounted where
 * podman wants it; without cgroups and network of its own, which favours it.
 */
final class Podman implements AutoCloseable {

  /** $1 the directory, $2 what to write, $3 how often; prints NAME MICROSECONDS lines. */
  private static final String ROUND =
      """
      mount -t cgroup2 none /sys/fs/cgroup
      files=$(ulimit -Hn)
      podman() {
        command podman --root "$1/root" --runroot "$1/run" --tmpdir "$1/tmp" --storage-driver overlay \
          --cgroup-manager cgroupfs "${@:2}"
      }
      run() {
        podman "$1" run -d --cgroups=disabled --network=none --ulimit "nofile=$files:$files" \
          --ulimit nproc=10000:10000 --name "$2" "$3" /bin/busybox sleep 100000 >&2
      }
      timed() {
        local begun=${EPOCHREALTIME/./}
        "${@:2}"
        echo "$1 $((${EPOCHREALTIME/./} - begun))"
      }
      commit() { podman "$1" commit -q work snapshot:1 >&2; }
      recreate() { podman "$1" rm -f -t 0 work >&2; run "$1" work base:1; }
      trap 'podman "$1" rm -f -t 0 -a >&2' EXIT
      for i in $(seq "$3"); do
        run "$1" work base:1
        podman "$1" exec work /bin/busybox sh -c "$2" >&2
        timed commit commit "$1"
        timed recreate recreate "$1"
        timed restore run "$1" restored snapshot:1
        podman "$1" rm -f -t 0 work restored >&2
        podman "$1" rmi -f snapshot:1 >&2
      done
      """;

  private static final String IMPORT =
      """
      mkdir -p "$1/tree/bin" "$1/tree/proc" "$1/tree/dev" "$1/tree/sys" "$1/tree/etc" "$1/tree/run"
      cp /bin/busybox "$1/tree/bin/"
      tar -C "$1/tree" -cf "$1/tree.tar" .
      podman --root "$1/root" --runroot "$1/run" --tmpdir "$1/tmp" --storage-driver overlay import -q "$1/tree.tar" base:1
      """;

  private final Tools tools;
  private final Path directory;

  /** Makes an image with busybox alone. */
  Podman(Tools tools, Path directory) throws IOException, InterruptedException {
    this.tools = tools;
    this.directory = Files.createDirectories(directory);
    shell(IMPORT, directory.toString());
  }

  /** What each of so many rounds took, by name: commit, recreate, restore. */
  Map<String, Samples> round(String write, int count) throws IOException, InterruptedException {
    Map<String, List<Double>> found = new HashMap<>();
    for (String line : shell(ROUND, directory.toString(), write, Integer.toString(count))) {
      String[] parts = line.split(" ", -1);
      found
          .computeIfAbsent("podman_" + parts[0], _ -> new ArrayList<>())
          .add(Double.parseDouble(parts[1]));
    }
    Map<String, Samples> samples = new HashMap<>();
    found.forEach(
        (name, values) ->
            samples.put(
                name, Samples.of(values.stream().mapToDouble(Double::doubleValue).toArray())));
    return samples;
  }

  private List<String> shell(String script, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "bash", "-ec", script, "bash"));
    command.addAll(List.of(arguments));
    try (Child child = Child.start(tools.log("podman"), command)) {
      return child.lines();
    }
  }

  /** What a round that was broken off left. */
  @Override
  public void close() throws IOException {
    try {
      shell(
          "podman --root \"$1/root\" --runroot \"$1/run\" --tmpdir \"$1/tmp\" --storage-driver overlay"
              + " rm -f -t 0 -a >&2",
          directory.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("a container of podman may be left in " + directory, e);
    }
  }
}
