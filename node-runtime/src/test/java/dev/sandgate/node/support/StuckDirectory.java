// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory seen through a FUSE file system whose server can be stopped, as a network file system's can be: whoever looks at
 * anything in it then waits. Needs root.
 */
public final class StuckDirectory implements AutoCloseable {

  private final Path at;
  private final Process server;

  /** Shows a directory at an empty place, read-only. */
  public StuckDirectory(Path under, Path at) throws IOException {
    this.at = Files.createDirectory(at);
    Path script = at.resolveSibling("through.py");
    try (InputStream program = StuckDirectory.class.getResourceAsStream("/through.py")) {
      Files.write(script, java.util.Objects.requireNonNull(program).readAllBytes());
    }
    server =
        new ProcessBuilder("python3", script.toString(), under.toString(), at.toString())
            .inheritIO()
            .start();
    Eventually.holds("it is mounted", this::isMounted);
  }

  private boolean isMounted() {
    try {
      return Files.readString(Path.of("/proc/self/mountinfo")).contains(" " + at + " ");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Where it is. */
  public Path path() {
    return at;
  }

  /** From here on nothing is answered. */
  public void stop() {
    Programs.run("kill", "-STOP", String.valueOf(server.pid()));
  }

  /** From here on everything is answered again. */
  public void goOn() {
    Programs.run("kill", "-CONT", String.valueOf(server.pid()));
  }

  @Override
  public void close() {
    server.destroyForcibly().onExit().join();
    Programs.run("umount", "-l", at.toString());
  }
}
