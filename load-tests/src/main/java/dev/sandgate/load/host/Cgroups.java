// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.host;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Cgroup directories by name, in every hierarchy of this host. */
public final class Cgroups {

  private static final int DEPTH = 8;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private Cgroups() {}

  /** Those whose path has a part that begins so, inner ones first. */
  static List<Path> named(String beginning) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      if (line.contains(" - cgroup")) {
        Path root = Path.of(line.split(" ", -1)[4]);
        walk(root, path -> path.toString().contains("/" + beginning), found);
      }
    }
    return found;
  }

  private static void walk(Path root, Predicate<Path> wanted, List<Path> found) throws IOException {
    Files.walkFileTree(
        root,
        Set.of(),
        DEPTH,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult postVisitDirectory(Path path, @Nullable IOException failure) {
            if (wanted.test(path)) {
              found.add(path);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path path, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) { // removed meanwhile
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
  }

  /** Kills what lives in one, where the hierarchy knows how. */
  static void kill(Path cgroup) throws IOException {
    Path file = cgroup.resolve("cgroup.kill");
    if (Files.exists(file)) {
      Files.writeString(file, "1");
    }
  }

  /** Removes one with those inside it, once their processes have died. */
  public static void remove(Path cgroup) throws IOException {
    List<Path> all = new ArrayList<>();
    walk(cgroup, path -> true, all);
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (Path path : all) {
      while (!path.toFile().delete() && Files.exists(path)) {
        if (System.nanoTime() > deadline) {
          throw new IOException("cgroup " + path + " cannot be removed, processes live in it");
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
    }
  }
}
