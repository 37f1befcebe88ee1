// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Five layers, busybox at the bottom: as an environment of the node, and as directories for the peers. */
final class LayerStack {

  private static final int LAYERS = 5;
  private static final List<String> APPLETS = List.of("true", "sh", "sleep", "echo", "cat");
  private static final List<String> MOUNT_POINTS = List.of("proc", "sys", "dev", "tmp", "etc");

  private final Sandgate client;
  private final Path directory;
  private String environment = "";

  LayerStack(Sandgate client, Path directory) throws IOException {
    this.client = client;
    this.directory = Files.createDirectories(directory);
    for (int i = 1; i <= LAYERS; i++) {
      Path layer = Files.createDirectories(layer(i).resolve("opt/tool" + i));
      Files.writeString(layer.resolve("version"), "tool " + i + "\n");
      add(i);
    }
    fillBottom();
  }

  private void add(int number) {
    String name = "stack" + number;
    ImportEnvironmentRequest.Builder request = ImportEnvironmentRequest.newBuilder().setName(name);
    if (number == 1) {
      request.setKind(LayerKind.LAYER_KIND_BASE).setBuiltin("busybox");
    } else {
      request.setKind(LayerKind.LAYER_KIND_TOOLKIT).setDirectory(layer(number).toString());
      request.addOn(environment);
    }
    client
        .environments()
        .importFrom(request.build())
        .collect()
        .last()
        .await()
        .atMost(Platform.PATIENCE);
    environment = name;
  }

  // The node makes its own busybox layer; the peers get the same program.
  private void fillBottom() throws IOException {
    Path root = layer(1);
    for (String point : MOUNT_POINTS) {
      Files.createDirectories(root.resolve(point));
    }
    Path bin = Files.createDirectories(root.resolve("bin"));
    Files.copy(busybox(), bin.resolve("busybox"));
    for (String applet : APPLETS) {
      Files.createSymbolicLink(bin.resolve(applet), Path.of("busybox"));
    }
  }

  private static Path busybox() throws IOException {
    for (String place : List.of("/bin/busybox", "/usr/bin/busybox")) {
      if (Files.isExecutable(Path.of(place))) {
        return Path.of(place);
      }
    }
    throw new IOException("no busybox; install the package busybox-static");
  }

  private Path layer(int number) {
    return directory.resolve("l" + number);
  }

  /** The environment's name. */
  String environment() {
    return environment;
  }

  /** The peers' layers, top first, as overlayfs wants them. */
  String lowerDirectories() {
    List<String> layers = new ArrayList<>();
    for (int i = LAYERS; i >= 1; i--) {
      layers.add(layer(i).toString());
    }
    return String.join(":", layers);
  }

  /** The program that peers and sandboxes run, on the host. */
  Path trueProgram() {
    return layer(1).resolve("bin/true");
  }
}
