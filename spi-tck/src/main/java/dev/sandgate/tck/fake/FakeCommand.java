// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.ExecEvent.Stream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What a fake command does; an interrupt is the signal that ends it. */
interface FakeCommand {

  /** Runs to its exit code. */
  int run(FakeExec exec) throws InterruptedException;

  /**
   * The command of a program and its arguments: {@code echo true false exit sleep cat head seq yes
   * sha256sum env pwd touch sh}.
   *
   * @return empty for a program that is not known
   */
  static Optional<FakeCommand> of(List<String> argv, Map<String, String> env, FakeTree files) {
    String first = argv.size() > 1 ? argv.get(1) : "";
    String last = argv.getLast();
    return Optional.ofNullable(
        switch (argv.getFirst()) {
          case "echo" -> exec -> print(exec, String.join(" ", argv.subList(1, argv.size())) + "\n");
          case "true" -> exec -> 0;
          case "false" -> exec -> 1;
          case "exit" -> exec -> Integer.parseInt(first) & 255;
          case "sleep" -> exec -> sleep(first);
          case "cat" -> first.isEmpty() ? FakeCommand::cat : exec -> catFile(exec, files, first);
          case "head" ->
              exec ->
                  head(
                      exec,
                      Long.parseLong(
                          first.replace("-c", "").isEmpty() ? argv.get(2) : first.substring(2)),
                      last);
          case "seq" -> exec -> seq(exec, Integer.parseInt(first), Integer.parseInt(last));
          case "yes" -> FakeCommand::yes;
          case "sha256sum" -> FakeCommand::sha256sum;
          case "env" -> exec -> print(exec, env.toString() + "\n");
          case "pwd" -> exec -> print(exec, exec.spec().cwd() + "\n");
          case "touch" -> exec -> files.touch(first);
          case "sh" -> exec -> new FakeShell(exec, env, files).run(last);
          default -> null;
        });
  }

  private static int print(FakeExec exec, String text) throws InterruptedException {
    exec.print(Stream.STDOUT, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    return 0;
  }

  private static int sleep(String seconds) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep((long) (Double.parseDouble(seconds) * 1000));
    return 0;
  }

  private static int cat(FakeExec exec) throws InterruptedException {
    for (byte[] data = exec.read(65_536); data.length > 0; data = exec.read(65_536)) {
      exec.print(Stream.STDOUT, ByteBuffer.wrap(data));
    }
    return 0;
  }

  private static int catFile(FakeExec exec, FakeTree files, String path)
      throws InterruptedException {
    Optional<byte[]> content = files.content(path);
    if (content.isEmpty()) {
      String complaint = "cat: " + path + ": No such file or directory\n";
      exec.print(Stream.STDERR, ByteBuffer.wrap(complaint.getBytes(StandardCharsets.UTF_8)));
      return 1;
    }
    exec.print(Stream.STDOUT, ByteBuffer.wrap(content.get()));
    return 0;
  }

  private static int head(FakeExec exec, long count, String source) throws InterruptedException {
    long left = count;
    while (left > 0) {
      int most = (int) Math.min(65_536, left);
      byte[] data = source.equals("/dev/zero") ? new byte[most] : exec.read(most);
      if (data.length == 0) {
        return 0;
      }
      exec.print(Stream.STDOUT, ByteBuffer.wrap(data));
      left -= data.length;
    }
    return 0;
  }

  private static int seq(FakeExec exec, int first, int last) throws InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = first; i <= last; i++) {
      lines.append(i).append('\n');
      if (lines.length() > 60_000 || i == last) {
        print(exec, lines.toString());
        lines.setLength(0);
      }
    }
    return 0;
  }

  private static int yes(FakeExec exec) throws InterruptedException {
    while (true) {
      print(exec, "y\n".repeat(4096));
    }
  }

  private static int sha256sum(FakeExec exec) throws InterruptedException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] data = exec.read(65_536); data.length > 0; data = exec.read(65_536)) {
        digest.update(data);
      }
      return print(exec, HexFormat.of().formatHex(digest.digest()) + "  -\n");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
