// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import com.google.protobuf.Message;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where a command writes: results to stdout, everything else to stderr; colours only to a terminal. */
public final class Console {

  private final Output output;
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean colours;
  private final boolean terminal;
  private final Set<String> painted = new HashSet<>();

  /** Writes to these, in this form; colours also need a terminal and an environment without NO_COLOR. */
  public Console(Output output, PrintWriter out, PrintWriter err, boolean colours) {
    this.output = output;
    this.out = out;
    this.err = err;
    this.terminal = isTerminal(2);
    this.colours = colours && isTerminal(1) && System.getenv("NO_COLOR") == null;
  }

  /** Whether a descriptor of this process is a terminal. */
  public static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (java.io.IOException | InvalidPathException closed) {
      return false;
    }
  }

  /** Whether results are JSON. */
  public boolean json() {
    return output == Output.JSON;
  }

  /** A line of result. */
  public void line(String text) {
    out.println(text);
    out.flush();
  }

  /** Rows under a header; nothing but the header when there are none. */
  public void table(List<String> header, List<List<String>> rows) {
    List<List<String>> shown =
        rows.stream().map(row -> row.stream().map(this::cell).toList()).toList();
    Table.format(header, shown).forEach(out::println);
    out.flush();
  }

  private String cell(String text) {
    return painted.contains(text) ? text : Printable.of(text);
  }

  private String paint(String code, String text) {
    if (!colours) {
      return text;
    }
    String paint = "\u001b[" + code + "m" + Printable.of(text) + "\u001b[0m";
    painted.add(paint);
    return paint;
  }

  /** A message as one line of JSON. */
  public void json(Message message) {
    line(Json.text(Json.of(message)));
  }

  /** Messages as one JSON array on one line. */
  public void json(List<? extends Message> messages) {
    line(Json.text(Json.of(messages)));
  }

  /** Values as one line of JSON. */
  public void json(Map<String, ?> values) {
    line(Json.text(Json.of(values)));
  }

  /** A remark for a human, on stderr, on one line. */
  public void note(String text) {
    err.println(Printable.of(text));
    err.flush();
  }

  /** A green text where colours are wanted. */
  public String good(String text) {
    return paint("32", text);
  }

  /** A red text where colours are wanted. */
  public String bad(String text) {
    return paint("31", text);
  }

  /** A bold text where colours are wanted. */
  public String bold(String text) {
    return paint("1", text);
  }

  /** Progress on stderr: one line that is redrawn on a terminal, few lines otherwise, none with JSON. */
  public Progress progress() {
    return new Progress(err, terminal, json());
  }
}
