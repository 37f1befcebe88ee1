// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.host;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A directory, and cgroups that begin with its name; closing ends the processes that name it and removes both. */
public final class Scratch implements AutoCloseable {

  private static final long GRACE_SECONDS = 10;

  private final Path directory;

  /** Makes the directory under /tmp, so that the path of a Unix socket in it stays short enough. */
  public Scratch(String name) throws IOException {
    this.directory = Files.createDirectory(Path.of("/tmp", name));
  }

  public Path directory() {
    return directory;
  }

  /** The name that its cgroups begin with. */
  public String name() {
    return directory.toFile().getName();
  }

  /** Processes whose command line names something in the directory: the spawner. */
  public List<ProcessHandle> processes() {
    return ProcessHandle.allProcesses().filter(this::isOurs).toList();
  }

  private boolean isOurs(ProcessHandle process) {
    return process.info().commandLine().orElse("").contains(directory + "/");
  }

  public List<Path> cgroups() throws IOException {
    return Cgroups.named(name());
  }

  @Override
  public void close() throws IOException {
    for (ProcessHandle process : processes()) {
      end(process);
    }
    for (Path cgroup : cgroups()) {
      Cgroups.kill(cgroup);
    }
    for (Path cgroup : cgroups()) {
      Cgroups.remove(cgroup);
    }
    delete();
  }

  private static void end(ProcessHandle process) throws IOException {
    process.destroy();
    try {
      process.onExit().get(GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      process.destroyForcibly();
    } catch (ExecutionException e) {
      throw new IOException("process " + process.pid() + " cannot be ended", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  private void delete() throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes facts)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path path, @Nullable IOException failure)
              throws IOException {
            Files.delete(path);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
