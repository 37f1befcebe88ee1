// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The small built-in environment: one static busybox with a link for each of its applets. */
final class BusyboxTree {

  private static final List<String> PLACES = List.of("/usr/bin/busybox", "/bin/busybox");
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final FileTime TIME = FileTime.fromMillis(0);
  private static final int USER = 1000;

  private BusyboxTree() {}

  static void make(Path root) throws IOException {
    for (String directory :
        List.of(
            "bin",
            "dev",
            "etc",
            "home",
            "proc",
            "root",
            "run",
            "sbin",
            "sys",
            "usr",
            "usr/bin",
            "usr/sbin",
            "var",
            "var/log")) {
      directory(root.resolve(directory), 0755);
    }
    directory(root.resolve("tmp"), 01777);
    directory(root.resolve("var/tmp"), 01777);
    Files.setAttribute(root.resolve("root"), "unix:mode", 0700);
    users(root);
    busybox(root);
    try (Stream<Path> entries = Files.walk(root)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        Files.getFileAttributeView(entry, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .setTimes(TIME, TIME, null);
      }
    }
  }

  /** Writes the users root, user and nobody, and a home for user. */
  static void users(Path root) throws IOException {
    file(
        root.resolve("etc/passwd"),
        """
        root:x:0:0:root:/root:/bin/sh
        user:x:1000:1000:user:/home/user:/bin/sh
        nobody:x:65534:65534:nobody:/nonexistent:/bin/false
        """);
    file(root.resolve("etc/group"), "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n");
    file(root.resolve("etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n");
    file(root.resolve("etc/nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files\n");
    Path home = root.resolve("home/user");
    directory(home, 0755);
    Files.setAttribute(home, "unix:uid", USER);
    Files.setAttribute(home, "unix:gid", USER);
  }

  private static void busybox(Path root) throws IOException {
    Path binary =
        PLACES.stream()
            .map(Path::of)
            .filter(Files::isRegularFile)
            .findFirst()
            .orElseThrow(
                () ->
                    new SandgateException(
                        ErrorCode.FAILED_PRECONDITION,
                        "busybox is not on the node; install the package busybox-static"));
    Path target = root.resolve("bin/busybox");
    Files.copy(binary, target);
    Files.setAttribute(target, "unix:mode", 0755);
    List<String> applets = new ArrayList<>();
    new Tool(TIMEOUT, binary.toString(), "--list-full").run(applets::add);
    for (String applet : applets) {
      Path link = root.resolve(applet).normalize();
      if (link.startsWith(root) && !link.equals(target)) {
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of("/bin/busybox"));
      }
    }
    // Where the applets live in /usr/bin, scripts still say /bin/sh.
    for (String applet : List.of("sh", "ls", "cat", "echo", "true", "false", "sleep")) {
      Path link = root.resolve("bin").resolve(applet);
      if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
        Files.createSymbolicLink(link, Path.of("busybox"));
      }
    }
  }

  private static void directory(Path directory, int mode) throws IOException {
    Files.createDirectories(directory);
    Files.setAttribute(directory, "unix:mode", mode);
  }

  private static void file(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setAttribute(file, "unix:mode", 0644);
  }
}
