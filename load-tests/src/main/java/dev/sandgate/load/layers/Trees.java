// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.layers;

import dev.sandgate.client.Sandgate;
import dev.sandgate.load.tool.Tools;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.LayerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Trees of the size of real ones, as tar archives that are kept for the next run: a Debian base with python and git from debootstrap, a
 * workspace with a git repository and its dependencies, and two toolkits.
 */
final class Trees {

  /** Names of the environments, lowest first. */
  static final List<String> NAMES = List.of("base", "workspace", "toolkit1", "toolkit2");

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Map<String, LayerKind> KINDS =
      Map.of(
          "base", LayerKind.LAYER_KIND_BASE,
          "workspace", LayerKind.LAYER_KIND_WORKSPACE,
          "toolkit1", LayerKind.LAYER_KIND_TOOLKIT,
          "toolkit2", LayerKind.LAYER_KIND_TOOLKIT);

  // $1 is the directory to fill; what is in it is the same each time but for git's times.
  private static final Map<String, String> RECIPES =
      Map.of(
          "base",
          "mirror=$(grep -hE '^(URIs:|deb )' /etc/apt/sources.list /etc/apt/sources.list.d/*"
              + " | grep -Eo 'https?://[^ ]*/debian/?( |$)' | head -n 1);"
              + " debootstrap --variant=minbase --include=python3-minimal,git bookworm $1 $mirror"
              + " && rm -rf $1/dev/* $1/var/cache/apt/archives/*.deb $1/var/lib/apt/lists/*",
          "workspace",
          "mkdir -p $1/workspace/repository && cd $1/workspace/repository && git init -q ."
              + " && for d in $(seq 40); do mkdir -p src/part$d; for f in $(seq 25); do"
              + " seq $((d * f)) $((d * f + 600)) > src/part$d/module$f.py; done; done"
              + " && git add . && git -c user.name=a -c user.email=a@example.com commit -qm first"
              + " && mkdir -p $1/workspace/dependencies && cp -r /usr/lib/python3*/[a-m]*"
              + " $1/workspace/dependencies/",
          "toolkit1",
          "mkdir -p $1/usr/local/bin $1/usr/local/share/one && cp /bin/tar $1/usr/local/bin/"
              + " && for f in $(seq 300); do seq 400 > $1/usr/local/share/one/$f; done",
          "toolkit2",
          "mkdir -p $1/usr/local/bin $1/usr/local/share/two && cp /bin/sed $1/usr/local/bin/"
              + " && for f in $(seq 300); do seq 500 > $1/usr/local/share/two/$f; done");

  private final Tools tools;
  private final Path directory;

  Trees(Tools tools) throws IOException {
    this.tools = tools;
    this.directory = Files.createDirectories(tools.directory().resolve("trees"));
  }

  /** The archives in the order of {@link #NAMES}, made unless they are there. */
  List<Path> archives(Consumer<String> progress) throws IOException, InterruptedException {
    List<Path> archives = new ArrayList<>();
    for (String name : NAMES) {
      Path archive = directory.resolve(name + ".tar");
      if (!Files.exists(archive)) {
        progress.accept("making the tree " + name);
        make(name, archive);
      }
      archives.add(archive);
    }
    return archives;
  }

  private void make(String name, Path archive) throws IOException, InterruptedException {
    Path tree = Files.createTempDirectory(directory, name);
    Path partial = directory.resolve(name + ".partial");
    try {
      run("umask 022; set -e; chmod 755 $1; " + RECIPES.get(name), tree.toString());
      run("tar --numeric-owner -C $1 -cf $2 .", tree.toString(), partial.toString());
      Files.move(partial, archive, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      run("rm -rf -- $1", tree.toString());
    }
  }

  /** Runs a script of the shell; its arguments are $1 and so on. */
  void run(String script, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    command.addAll(List.of(arguments));
    int status = tools.run(command);
    if (status != 0) {
      throw new IOException(
          "'" + script + "' ended with " + status + ", see " + tools.log("tools"));
    }
  }

  /** Makes an environment of an archive. */
  static Environment load(Sandgate client, String name, Path archive) {
    ImportEnvironmentRequest request =
        ImportEnvironmentRequest.newBuilder()
            .setName(name)
            .setKind(Objects.requireNonNull(KINDS.get(name)))
            .setTar(archive.toString())
            .setReplace(true)
            .build();
    return client
        .environments()
        .importFrom(request)
        .collect()
        .last()
        .map(ImportProgress::getEnvironment)
        .await()
        .atMost(PATIENCE);
  }
}
