// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The built-in Debian environment: bash, python3 with its library, git and a user {@code user}, made by debootstrap. */
final class DebianTree {

  /** Changes when the recipe does: part of the name of the cached image. */
  static final String RECIPE = "debian-2";

  private static final String SUITE = "bookworm";
  private static final Duration TIMEOUT = Duration.ofMinutes(20);
  private static final Duration QUICK = Duration.ofMinutes(1);
  private static final Pattern MIRROR =
      Pattern.compile("(?m)^(?:URIs:|deb(?:\\s+\\[[^]]*])?)\\s+(https?://\\S*/debian/?)(?:\\s|$)");
  private static final List<Path> SOURCES =
      List.of(Path.of("/etc/apt/sources.list"), Path.of("/etc/apt/sources.list.d"));

  private DebianTree() {}

  static void make(Path root, DiskReserve.Room room, Consumer<String> progress) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "debootstrap",
                "--variant=minbase",
                "--include=python3,git,ca-certificates",
                SUITE,
                root.toString()));
    mirror().ifPresent(command::add);
    new Tool(TIMEOUT, command.toArray(String[]::new))
        .within(room)
        .run(line -> report(line, progress));
    progress.accept("adding the user");
    new Tool(
            QUICK,
            "chroot",
            root.toString(),
            "useradd",
            "--create-home",
            "--uid",
            "1000",
            "--user-group",
            "--shell",
            "/bin/bash",
            "user")
        .run(_ -> {});
    shrink(root);
  }

  /** What only an installation needs, and the devices, which every sandbox gets anew. */
  private static void shrink(Path root) throws IOException {
    for (String directory :
        List.of("dev", "var/cache/apt/archives", "var/lib/apt/lists", "var/log")) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(directory))) {
        for (Path entry : entries) {
          Tree.delete(entry);
        }
      }
    }
    Files.deleteIfExists(root.resolve("etc/resolv.conf"));
    Files.deleteIfExists(root.resolve("etc/hostname"));
  }

  private static void report(String line, Consumer<String> progress) {
    if (line.startsWith("I: ")) {
      progress.accept(line.substring(3));
    }
  }

  /** The mirror that this host's own apt uses, if it is one of Debian. */
  private static Optional<String> mirror() {
    for (Path source : SOURCES) {
      for (Path file : files(source)) {
        Matcher matcher = MIRROR.matcher(read(file));
        if (matcher.find()) {
          return Optional.of(matcher.group(1));
        }
      }
    }
    return Optional.empty();
  }

  private static List<Path> files(Path source) {
    if (!Files.isDirectory(source)) {
      return Files.isRegularFile(source) ? List.of(source) : List.of();
    }
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(source, "*.{list,sources}")) {
      entries.forEach(files::add);
      return files;
    } catch (IOException e) {
      throw unreadable(source, e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static SandgateException unreadable(Path path, IOException cause) {
    return new SandgateException(ErrorCode.INTERNAL, "", "cannot read " + path, cause);
  }
}
