// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.layers;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.client.Sandgate;
import dev.sandgate.load.tool.Tools;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What sandboxes are made of and do.
 *
 * @param archives the base first, then what is stacked on it
 * @param commands lines of shell that print the same each time
 */
record Material(List<Path> archives, List<String> commands) {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  Material {
    archives = List.copyOf(archives);
    commands = List.copyOf(commands);
  }

  /** Trees of the size of real ones, and what was recorded in them. */
  static Material real(LoadArguments arguments) throws IOException, InterruptedException {
    Trees trees = new Trees(new Tools(arguments.directory()));
    return new Material(trees.archives(arguments.progress()), recorded());
  }

  private static List<String> recorded() throws IOException {
    InputStream file = Material.class.getResourceAsStream("recorded-commands.txt");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Objects.requireNonNull(file), StandardCharsets.UTF_8))) {
      return lines.lines().filter(line -> !line.startsWith("#")).toList();
    }
  }

  /** Names of the layers above the base, once {@link #load} made them. */
  List<String> upper() {
    List<String> names = new ArrayList<>();
    for (int i = 1; i < archives.size(); i++) {
      names.add("part" + i);
    }
    return names;
  }

  /** Imports the archives as layers, and once more as plain files in a layer of their own, {@code archives}. */
  void load(Sandgate client, Path place) throws IOException {
    load(client, "base", LayerKind.LAYER_KIND_BASE, archives.getFirst());
    Path files = Files.createDirectories(place.resolve("archives"));
    for (int i = 1; i < archives.size(); i++) {
      load(client, "part" + i, LayerKind.LAYER_KIND_WORKSPACE, archives.get(i));
      Files.copy(archives.get(i), files.resolve("part" + i + ".tar"));
    }
    run(
        client,
        ImportEnvironmentRequest.newBuilder()
            .setName("archives")
            .setKind(LayerKind.LAYER_KIND_WORKSPACE)
            .setDirectory(place.toString()));
  }

  private static void load(Sandgate client, String name, LayerKind kind, Path archive) {
    run(
        client,
        ImportEnvironmentRequest.newBuilder()
            .setName(name)
            .setKind(kind)
            .setTar(archive.toString()));
  }

  private static void run(Sandgate client, ImportEnvironmentRequest.Builder request) {
    client
        .environments()
        .importFrom(request.setReplace(true).build())
        .collect()
        .last()
        .await()
        .atMost(PATIENCE);
  }
}
