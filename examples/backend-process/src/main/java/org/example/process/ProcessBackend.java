// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Probe.Finding;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Sandboxes that are process trees of the host: for trusted code, and as an example. They run as the node's
 * own user and see the host's files; nothing is limited.
 */
final class ProcessBackend implements Backend {

  private final Path sandboxes;

  ProcessBackend(Path stateDirectory) {
    this.sandboxes = stateDirectory.toAbsolutePath().resolve("sandboxes");
  }

  @Override
  public Isolation isolation() {
    return Isolation.PROCESS;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(Capability.FILES);
  }

  @Override
  public Probe probe() {
    return new Probe(
        List.of(
            tool("env", "coreutils"),
            tool("setsid", "util-linux"),
            tool("kill", "procps"),
            found("/proc", Files.isReadable(Path.of("/proc/self/environ")), "mount procfs"),
            found("UTF-8 names", utf8(), "start the node with LC_ALL=C.UTF-8")));
  }

  private static Finding tool(String name, String debianPackage) {
    return Programs.find(name, Programs.PATH)
        .map(path -> new Finding(name, true, true, path.toString()))
        .orElseGet(
            () -> new Finding(name, true, false, "not in PATH: install " + debianPackage));
  }

  private static Finding found(String subject, boolean available, String fix) {
    return new Finding(subject, true, available, available ? "yes" : fix);
  }

  private static boolean utf8() {
    return "UTF-8".equals(System.getProperty("sun.jnu.encoding"));
  }

  @Override
  public Uni<Sandbox> create(SandboxSpec spec) {
    return Work.of(
        () -> {
          String owner = System.getProperty("user.name");
          if (!spec.user().equals(owner)) {
            throw SandgateException.invalid("user", "this backend runs commands as " + owner);
          }
          Path home = sandboxes.resolve(spec.id());
          Files.createDirectories(home);
          return new ProcessSandbox(spec, home);
        },
        ProcessSandbox::takeBack);
  }

  /** Nothing is taken back: what an earlier node left is removed. */
  @Override
  public Uni<List<Sandbox>> adopt(List<SandboxSpec> known) {
    return Work.of(
        () -> {
          Files.createDirectories(sandboxes);
          try (DirectoryStream<Path> left = Files.newDirectoryStream(sandboxes)) {
            for (Path home : left) {
              remove(home);
            }
          }
          return List.<Sandbox>of();
        },
        nobody -> {});
  }

  /** Kills what runs in a sandbox and removes its directory. */
  static void remove(Path home) throws InterruptedException {
    ProcessTree.ofSandbox(home).kill();
    try {
      Trees.delete(home);
    } catch (IOException e) {
      throw new SandgateException(ErrorCode.INTERNAL, "", "cannot remove " + home, e);
    }
  }

  @Override
  public void close() {}
}
