// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The sandgate command as a process of its own. */
final class Cli {

  private static final long LIMIT_SECONDS = 100;

  private final Platform platform;

  Cli(Platform platform) {
    this.platform = platform;
  }

  /** How it ended; of stdout its SHA-256 and its first part. */
  record Ended(int code, String stdout, String stdoutSha256, String stderr) {}

  /** The words to start it with; a suite in the background may have been told to ignore Ctrl-C. */
  static List<String> words(String... arguments) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "env",
                "--default-signal=INT,HUP,TERM",
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dsandgate.native=" + System.getProperty("sandgate.native"),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.sandgate.cli.SandgateCommand"));
    words.addAll(List.of(arguments));
    return words;
  }

  /** Starts it, talking to the platform. */
  Process start(String... arguments) throws IOException {
    return started(words(arguments));
  }

  /** Starts it with its stdout in a file. */
  Process startInto(File stdout, String... arguments) throws IOException {
    return builder(words(arguments)).redirectOutput(stdout).start();
  }

  private Process started(List<String> words) throws IOException {
    return builder(words).start();
  }

  private ProcessBuilder builder(List<String> words) {
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("SANDGATE_URL", platform.url());
    builder.environment().put("SANDGATE_API_KEY", platform.key());
    builder.environment().put("SANDGATE_DATA", platform.data().toString());
    return builder;
  }

  /** Runs it to its end with nothing on stdin. */
  Ended run(String... arguments) throws IOException, InterruptedException {
    return run(InputStream.nullInputStream(), arguments);
  }

  /** Runs it to its end. */
  Ended run(InputStream stdin, String... arguments) throws IOException, InterruptedException {
    return ended(start(arguments), stdin);
  }

  /** Starts it in a terminal, whose keys are the process's stdin. */
  Process open(String... arguments) throws IOException {
    String line = String.join(" ", words(arguments));
    return started(List.of("script", "-qec", "stty rows 33 cols 99; " + line, "/dev/null"));
  }

  /** Runs it in a terminal to its end, typing what is given. */
  Ended type(String keys, String... arguments) throws IOException, InterruptedException {
    Process process = open(arguments);
    return ended(process, new java.io.ByteArrayInputStream(keys.getBytes(StandardCharsets.UTF_8)));
  }

  static Ended ended(Process process, InputStream stdin) throws IOException, InterruptedException {
    CompletableFuture<Void> fed = CompletableFuture.runAsync(() -> feed(process, stdin));
    CompletableFuture<String> stderr =
        CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
    MessageDigest digest = sha256();
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    try (InputStream stdout = new DigestInputStream(process.getInputStream(), digest)) {
      byte[] part = new byte[65_536];
      for (int count = stdout.read(part); count >= 0; count = stdout.read(part)) {
        head.write(part, 0, head.size() < 1 << 20 ? count : 0);
      }
    }
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("the process did not end");
    }
    fed.cancel(false);
    return new Ended(
        process.exitValue(),
        head.toString(StandardCharsets.UTF_8),
        HexFormat.of().formatHex(digest.digest()),
        stderr.join());
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  // A process that ends without reading its stdin closes the pipe.
  private static void feed(Process process, InputStream stdin) {
    try (var pipe = process.getOutputStream()) {
      stdin.transferTo(pipe);
    } catch (IOException closed) {
      if (process.isAlive()) {
        throw new UncheckedIOException(closed);
      }
    }
  }

  private static String text(InputStream stream) {
    try {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
