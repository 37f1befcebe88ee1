// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What is refused before it reaches a guest; every message names the field. */
final class GuestChecks {

  private static final int MAX_PATH_BYTES = 4095;
  private static final int MAX_ARGUMENT_BYTES = 60 * 1024;
  private static final int ITEM_HEADER_BYTES = 2;
  private static final int MAX_SCRIPT_BYTES = 60 * 1024;
  private static final Pattern SESSION_ID = Pattern.compile("[A-Za-z0-9._-]{1,60}");
  private static final Pattern EXEC_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private GuestChecks() {}

  /** A command that the guest can take. */
  static void exec(ExecSpec spec) {
    execId(spec.id());
    if (spec.argv().isEmpty() || spec.argv().getFirst().isEmpty()) {
      throw SandgateException.invalid("argv", "must begin with a program");
    }
    spec.argv().forEach(argument -> text("argv", argument));
    text("user", spec.user());
    env(spec.env());
    size(spec.argv(), spec.env());
    cwd(spec.cwd());
    notNegative("open_files", spec.openFiles());
    spec.terminal()
        .ifPresent(
            size -> {
              between("terminal.columns", size.columns(), 1, 0xffff);
              between("terminal.rows", size.rows(), 1, 0xffff);
            });
  }

  private static void env(Map<String, String> env) {
    env.forEach(
        (name, value) -> {
          if (name.isEmpty() || name.indexOf('=') >= 0) {
            throw SandgateException.invalid("env", "a name must not be empty or hold a =");
          }
          text("env", name);
          text("env", value);
        });
  }

  /** A session that the guest can take. */
  static void session(SessionSpec spec) {
    sessionId(spec.id());
    text("shell", spec.shell());
    text("user", spec.user());
    env(spec.env());
    size(List.of(), spec.env());
    cwd(spec.cwd());
  }

  /** A script that the guest can take. */
  static void script(SessionCommand command) {
    sessionId(command.sessionId());
    execId(command.id());
    text("script", command.script());
    between("script", utf8(command.script()), 0, MAX_SCRIPT_BYTES);
  }

  private static void execId(String id) {
    if (!EXEC_ID.matcher(id).matches()) {
      throw SandgateException.invalid("exec_id", "1 to 64 characters of A-Z a-z 0-9 . _ -");
    }
  }

  private static void sessionId(String id) {
    if (!SESSION_ID.matcher(id).matches()) {
      throw SandgateException.invalid("session_id", "1 to 60 characters of A-Z a-z 0-9 . _ -");
    }
  }

  private static void size(List<String> argv, Map<String, String> env) {
    long bytes = 2L * ITEM_HEADER_BYTES;
    for (String argument : argv) {
      bytes += ITEM_HEADER_BYTES + utf8(argument);
    }
    for (Map.Entry<String, String> entry : env.entrySet()) {
      bytes += ITEM_HEADER_BYTES + utf8(entry.getKey()) + 1 + utf8(entry.getValue());
    }
    if (bytes > MAX_ARGUMENT_BYTES) {
      throw SandgateException.invalid(
          "argv", "together with env " + bytes + " bytes, at most " + MAX_ARGUMENT_BYTES);
    }
  }

  /** A working directory that names no process's or descriptor's place. */
  private static void cwd(String cwd) {
    if (!cwd.isEmpty()) {
      path("cwd", cwd);
      Deque<String> parts = normalized(cwd);
      if (parts.size() > 1 && Set.of("proc", "dev", "sys").contains(parts.getFirst())) {
        throw SandgateException.invalid("cwd", "must not lie below /proc, /dev or /sys: " + cwd);
      }
    }
  }

  private static Deque<String> normalized(String path) {
    Deque<String> parts = new ArrayDeque<>();
    for (String part : path.split("/", -1)) {
      if (part.equals("..")) {
        parts.pollLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return parts;
  }

  static void path(String field, String path) {
    text(field, path);
    if (!path.startsWith("/")) {
      throw SandgateException.invalid(field, "must be absolute: " + path);
    }
    if (utf8(path) > MAX_PATH_BYTES) {
      throw SandgateException.invalid(field, "at most " + MAX_PATH_BYTES + " bytes");
    }
  }

  static void between(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw SandgateException.invalid(field, least + " to " + most + ", not " + value);
    }
  }

  static void notNegative(String field, long value) {
    between(field, value, 0, Long.MAX_VALUE);
  }

  static void text(String field, String value) {
    if (value.indexOf('\0') >= 0) {
      throw SandgateException.invalid(field, "must not hold a NUL");
    }
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
