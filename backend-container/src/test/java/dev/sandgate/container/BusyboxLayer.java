// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Layer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** A root file system of one static busybox, as an EROFS image. */
final class BusyboxLayer {

  private static final List<String> DIRECTORIES =
      List.of("bin", "proc", "sys", "dev", "etc", "tmp", "run", "var", "root", "work");

  private BusyboxLayer() {}

  static Layer build(Path directory) throws IOException, InterruptedException {
    Path root = Files.createDirectories(directory.resolve("root"));
    for (String name : DIRECTORIES) {
      Files.createDirectories(root.resolve(name));
    }
    Files.copy(Path.of("/bin/busybox"), root.resolve("bin/busybox"));
    for (String applet : tool("/bin/busybox", "--list").lines().toList()) {
      if (!applet.equals("busybox")) {
        Files.createSymbolicLink(root.resolve("bin").resolve(applet), Path.of("busybox"));
      }
    }
    Files.writeString(
        root.resolve("etc/passwd"),
        """
        root:x:0:0:root:/root:/bin/sh
        user:x:1000:1000::/work:/bin/sh
        other:x:1001:1001::/tmp:/bin/sh
        """);
    Files.writeString(root.resolve("etc/group"), "root:x:0:\nuser:x:1000:\nother:x:1001:\n");
    tool("chmod", "1777", root.resolve("tmp").toString());
    tool("chown", "1000:1000", root.resolve("work").toString());
    return image(directory, root);
  }

  static Layer image(Path directory, Path root) throws IOException, InterruptedException {
    Path image = directory.resolve(root.getFileName() + ".erofs");
    tool("mkfs.erofs", "--quiet", image.toString(), root.toString());
    return new Layer("sha256:" + sha256(Files.readAllBytes(image)), image);
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static String tool(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + output);
    }
    return output;
  }
}
