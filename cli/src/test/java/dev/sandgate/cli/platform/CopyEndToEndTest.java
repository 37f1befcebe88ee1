// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.SandboxHandle;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies that fail or are broken off: what is said, and what is left. */
@Tag("root")
final class CopyEndToEndTest {

  private static Platform platform;
  private static Cli cli;
  private static SandboxHandle box;

  @TempDir Path directory;

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
    cli = new Cli(platform);
    box = platform.box();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private static String inside(String line) {
    return box.run(line).stdoutText();
  }

  private List<String> local() throws IOException {
    try (Stream<Path> entries = Files.walk(directory)) {
      return entries.skip(1).map(directory::relativize).map(Path::toString).sorted().toList();
    }
  }

  private static void shell(String line) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder("sh", "-c", line).start().waitFor());
  }

  private static void await(BooleanSupplier happened) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!happened.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it did not happen in time");
    }
  }

  private void assertFails(String words, String... arguments)
      throws IOException, InterruptedException {
    Cli.Ended ended = cli.run(arguments);
    assertEquals(1, ended.code(), ended.stderr());
    assertTrue(ended.stderr().contains(words), ended.stderr());
    assertFalse(ended.stderr().contains("gateway"), ended.stderr());
    assertFalse(ended.stderr().contains("Exception"), ended.stderr());
    assertEquals(1, ended.stderr().lines().count(), ended.stderr());
  }

  @Test
  void shouldSayWhichLocalFileCannotBeReadAndLeaveNothing()
      throws IOException, InterruptedException {
    Path pipe = directory.resolve("pipe");
    shell("mkfifo " + pipe);
    inside("mkdir /tmp/in");
    assertFails("cannot read " + pipe + ": ", "cp", pipe.toString(), box.id() + ":/tmp/in/");
    assertFails("cannot read /dev/zero: ", "cp", "/dev/zero", box.id() + ":/tmp/in/");
    assertFails("cannot read /proc/self/mem: ", "cp", "/proc/self/mem", box.id() + ":/tmp/in/a");
    assertEquals("", inside("ls -A /tmp/in"));
    assertFails(
        "cannot read " + directory + ": it is a dir",
        "env",
        "import",
        "x",
        "--tar",
        directory + "");
    assertFails("cannot read /no/tar: no such file", "env", "import", "x", "--tar", "/no/tar");
  }

  @Test
  void shouldLeaveNothingLocallyOfADownloadThatIsRefused()
      throws IOException, InterruptedException {
    assertFails("/proc/1/mem", "cp", box.id() + ":/proc/1/mem", directory.toString());
    inside("mkdir /tmp/part; echo a > /tmp/part/a; mkfifo /tmp/part/z");
    assertFails("z", "cp", box.id() + ":/tmp/part", directory.resolve("part").toString());
    assertEquals(List.of(), local());
  }

  @Test
  void shouldRemoveWhatABrokenOffUploadSent() throws IOException, InterruptedException {
    Path big = Files.createDirectory(directory.resolve("big"));
    try (RandomAccessFile file = new RandomAccessFile(big.resolve("file").toFile(), "rw")) {
      file.setLength(4L << 30);
    }
    inside("mkdir /tmp/up");
    for (Path source : List.of(big.resolve("file"), big)) {
      Process process = cli.start("cp", source.toString(), box.id() + ":/tmp/up/final");
      await(() -> !inside("find /tmp/up -type f -size +100k").isEmpty());
      assertEquals("", inside("ls /tmp/up"));

      shell("kill -INT " + process.pid());

      assertEquals(130, Cli.ended(process, InputStream.nullInputStream()).code());
      await(() -> inside("ls -A /tmp/up").isEmpty());
    }
  }

  @Test
  void shouldRemoveWhatABrokenOffDownloadWrote() throws IOException, InterruptedException {
    inside("mkdir /tmp/down && head -c 700000000 /dev/zero > /tmp/down/file");
    for (String source : List.of("/tmp/down/file", "/tmp/down")) {
      Path target = Files.createDirectories(directory.resolve("to"));
      Process process = cli.start("cp", box.id() + ":" + source, target + "/final");
      await(() -> target.toFile().list().length > 0);
      assertFalse(Files.exists(target.resolve("final")));

      shell("kill -TERM " + process.pid());

      assertEquals(143, Cli.ended(process, InputStream.nullInputStream()).code());
      assertEquals(List.of("to"), local());
    }
    inside("rm -r /tmp/down");
  }

  @Test
  void shouldRefuseNamesThatAreNotUtf8BeforeCopying() throws IOException, InterruptedException {
    Path names = Files.createDirectory(directory.resolve("names"));
    shell("cd " + names + " && touch a \"$(printf 'n\\376')\" \"$(printf 'n\\377')\"");
    Cli.Ended in = cli.run("cp", names.toString(), box.id() + ":/tmp/names");
    assertEquals(1, in.code(), in.stderr());
    assertTrue(in.stderr().contains("/names/n%F"), in.stderr());
    assertEquals("", inside("ls -Ad /tmp/names /tmp/.sand*"));

    shell("rm -r " + names);
    inside("mkdir /tmp/n && cd /tmp/n && touch a \"$(printf 'n\\376')\"");
    Files.createDirectory(names);
    assertFails("not UTF-8", "cp", box.id() + ":/tmp/n", names.toString());
    assertEquals(List.of("names"), local());
  }

  @Test
  void shouldMakeMissingParentsAndSayWhatIsInTheWay() throws IOException, InterruptedException {
    Path deep = directory.resolve("x/y/file");
    inside("mkdir -p /tmp/tree/a && echo deep > /tmp/deep");
    assertEquals(0, cli.run("cp", box.id() + ":/tmp/deep", deep.toString()).code());
    assertEquals("deep\n", Files.readString(deep));

    Path taken = Files.createDirectories(directory.resolve("tree")).resolve("a");
    Files.createFile(taken);
    assertFails(taken + ": something else of", "cp", box.id() + ":/tmp/tree", directory.toString());
  }

  @Test
  void shouldReplaceAFileThroughALinkAndKeepItsMode() throws IOException, InterruptedException {
    Path source = Files.writeString(directory.resolve("new"), "new\n");
    inside("mkdir /tmp/l && cd /tmp/l && echo old > real && chmod 640 real && ln -s real link");
    assertEquals(0, cli.run("cp", source.toString(), box.id() + ":/tmp/l/link").code());
    assertEquals(
        "640 new\nreal\n",
        inside("cd /tmp/l; stat -c %a real | tr '\\n' ' '; cat real; readlink link"));
    assertEquals("link\nreal\n", inside("ls -A /tmp/l"));
  }
}
