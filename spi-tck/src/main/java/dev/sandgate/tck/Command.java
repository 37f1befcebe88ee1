// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.TerminalSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A command to be: an {@link ExecSpec} with a fresh id, changed one property at a time. */
record Command(ExecSpec spec) {

  private static final AtomicLong NUMBERS = new AtomicLong();

  static Command of(String... argv) {
    return of(List.of(argv));
  }

  static Command of(List<String> argv) {
    String id = "x-" + NUMBERS.incrementAndGet();
    return new Command(new ExecSpec(id, argv, Map.of(), "", "", false, Optional.empty(), 0));
  }

  static Command sh(String script) {
    return of("sh", "-c", script);
  }

  Command stdin() {
    return with(spec.env(), spec.cwd(), spec.user(), true);
  }

  Command env(String name, String value) {
    return with(Map.of(name, value), spec.cwd(), spec.user(), spec.stdin());
  }

  Command cwd(String cwd) {
    return with(spec.env(), cwd, spec.user(), spec.stdin());
  }

  Command user(String user) {
    return with(spec.env(), spec.cwd(), user, spec.stdin());
  }

  Command id(String id) {
    return new Command(
        new ExecSpec(
            id,
            spec.argv(),
            spec.env(),
            spec.cwd(),
            spec.user(),
            spec.stdin(),
            spec.terminal(),
            spec.openFiles()));
  }

  Command terminal(int columns, int rows) {
    return new Command(
        new ExecSpec(
            spec.id(),
            spec.argv(),
            spec.env(),
            spec.cwd(),
            spec.user(),
            true,
            Optional.of(new TerminalSize(columns, rows)),
            spec.openFiles()));
  }

  Command openFiles(int limit) {
    return new Command(
        new ExecSpec(
            spec.id(),
            spec.argv(),
            spec.env(),
            spec.cwd(),
            spec.user(),
            spec.stdin(),
            spec.terminal(),
            limit));
  }

  private Command with(Map<String, String> env, String cwd, String user, boolean stdin) {
    return new Command(
        new ExecSpec(
            spec.id(), spec.argv(), env, cwd, user, stdin, spec.terminal(), spec.openFiles()));
  }
}
