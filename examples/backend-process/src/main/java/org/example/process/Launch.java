// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Starts a command in a session of its own, with a mark in its environment. */
final class Launch {

  private Launch() {}

  static Process start(SandboxSpec sandbox, ExecSpec command, Path home) throws IOException {
    Path cwd = command.cwd().isEmpty() ? home : Path.of(command.cwd());
    if (!cwd.isAbsolute() || !Files.isDirectory(cwd)) {
      throw new SandgateException(ErrorCode.EXEC_FAILED, cwd + ": no such directory");
    }
    ProcessBuilder builder = new ProcessBuilder().directory(cwd.toFile());
    Map<String, String> env = builder.environment();
    env.clear();
    env.putAll(Map.of("PATH", Programs.PATH, "HOME", home.toString(), "USER", sandbox.user()));
    env.putAll(sandbox.env());
    env.putAll(command.env());
    env.put(ProcessTree.VARIABLE, home + "/" + command.id());
    builder.command(argv(command, cwd, env.getOrDefault("PATH", Programs.PATH)));
    if (!command.stdin()) {
      builder.redirectInput(Redirect.from(new File("/dev/null")));
    }
    return builder.start();
  }

  private static List<String> argv(ExecSpec command, Path cwd, String path) {
    List<String> argv = new ArrayList<>();
    // The node may ignore signals, and a child inherits that.
    argv.add(Programs.resolve("env", cwd, Programs.PATH).toString());
    argv.add("--default-signal");
    argv.add(Programs.resolve("setsid", cwd, Programs.PATH).toString());
    argv.add(Programs.resolve(command.argv().getFirst(), cwd, path).toString());
    argv.addAll(command.argv().subList(1, command.argv().size()));
    return argv;
  }
}
