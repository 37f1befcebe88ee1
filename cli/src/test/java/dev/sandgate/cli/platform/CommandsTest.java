// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.cli.SandgateCommand;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.ShellSession;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Commands that print and copy, against the real platform. */
@Tag("root")
final class CommandsTest {

  private static Platform platform;

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private int run(String... arguments) {
    return runAs(platform.key(), arguments);
  }

  private int runAs(String key, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = SandgateCommand.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    String[] where = {"--url", platform.url(), "--key", key, "--data", platform.data().toString()};
    return line.execute(
        Stream.concat(Stream.of(where), Stream.of(arguments)).toArray(String[]::new));
  }

  private String done(String... arguments) {
    assertEquals(0, run(arguments), err.toString());
    return out.toString();
  }

  @Test
  void shouldCreateListShowAndRemove() {
    String ids =
        done(
            "create",
            "busybox",
            "-n",
            "3",
            "--label",
            "job=list",
            "--memory",
            "64m",
            "--cpu",
            "0.5",
            "--pids",
            "50");

    assertEquals(3, ids.lines().count());
    assertEquals(
        ids.lines().sorted().toList(),
        done("ls", "-q", "-l", "job=list").lines().sorted().toList());
    assertTrue(done("ls", "--label", "job=list").contains("job=list"));
    assertTrue(done("get", ids.lines().findFirst().orElseThrow()).contains("64.0 MiB"));
    assertEquals(3, done("rm", "-l", "job=list").lines().count());
    assertEquals("[]\n", done("ls", "-l", "job=list", "-o", "json"));
  }

  @Test
  void shouldShowNoControlCharacterThatOthersChose() {
    String evil = "a\u001b[31mb\u009b2J\u202ec";
    String id = done("create", "busybox", "--label", "job=" + evil).strip();
    String shown = "a\\x1b[31mb\\x9b2J\\u202ec";
    assertTrue(done("ls").contains("job=" + shown), out.toString());
    assertTrue(done("get", id).contains(shown), out.toString());
    assertFalse(out.toString().contains("\u001b"), out.toString());
    done("rm", id);
    assertEquals(1, run("get", "sb-local-\u001b[2Jx\ny"));
    assertFalse(err.toString().contains("\u001b"), err.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
  }

  @Test
  void shouldKeepASessionAndRenewALease() {
    String id = done("create", "busybox", "--lease", "5m", "--idle", "10m").strip();
    assertTrue(done("get", id).contains("lease until"));
    assertTrue(done("renew", id, "--lease", "1h").startsWith("2"));
    assertEquals("s1\n", done("session", "open", id, "s1", "--cwd", "/tmp"));
    platform.sandgate().sandboxes().handle(id).sessions().handle("s1").run("X=kept; exec 3>&1");
    try (ShellSession own = platform.sandgate().sandboxes().handle(id).session()) {
      assertEquals("[]\n", own.run("echo [$X]").stdoutText());
    }
    assertTrue(done("session", "ls", id).contains("s1"));
    ShellSession session = platform.sandgate().sandboxes().handle(id).sessions().handle("s1");
    assertEquals("/tmp kept\n", session.run("echo $(pwd) $X").stdoutText());
    assertEquals("s1\n", done("session", "close", id, "s1"));
    assertEquals("[]\n", done("session", "ls", id, "-o", "json"));
    done("rm", id);
  }

  @Test
  void shouldRefuseBadInputByNameAndMakeNothing() {
    assertEquals(1, run("create", "nosuch"));
    assertTrue(err.toString().contains("NOT_FOUND"), err.toString());
    assertEquals(1, run("create", "busybox", "--backend", "nosuch"));
    assertTrue(err.toString().contains("nosuch"), err.toString());
    assertEquals(1, run("create", "busybox", "--memory", "1m", "-o", "json"));
    assertTrue(err.toString().contains("\"field\":\"limits.memory_bytes\""), err.toString());
    assertEquals(1, run("get", "sb-local-00000000000000000000"));
    assertEquals(1, run("env", "rm", "nosuch"));
    assertEquals(1, runAs("sgk_wrong", "ls"));
    assertTrue(err.toString().contains("UNAUTHENTICATED"), err.toString());
    for (String cpu : List.of("1e300", "0", "NaN", "-1", "0.0001")) {
      assertEquals(2, run("create", "busybox", "--cpu", cpu, "--label", "bad=1"), cpu);
      assertTrue(err.toString().contains("--cpu: "), err.toString());
    }
    assertEquals(2, run("create", "busybox", "--pids", "0", "--label", "bad=1"));
    assertEquals(1, run("create", "busybox", "--disk", "1k", "--label", "bad=1"));
    assertTrue(err.toString().contains("limits.disk_bytes"), err.toString());
    assertEquals(1, run("create", "busybox", "--inodes", "100", "--label", "bad=1"));
    assertTrue(err.toString().contains("limits.inodes"), err.toString());
    assertEquals(2, run("create", "busybox", "--inodes", "0", "--label", "bad=1"));
    assertEquals(2, runAs("two\nlines", "ls"));
    assertTrue(err.toString().contains("--key: "), err.toString());
    assertFalse(err.toString().contains("lines\n"), err.toString());
    assertEquals("", done("ls", "-q", "-l", "bad=1"));
  }

  @Test
  void shouldLimitTheDiskAndShowHowFullItIs() {
    String id = done("create", "busybox", "--disk", "20m", "--inodes", "500").strip();
    assertEquals(1, run("exec", id, "dd", "if=/dev/zero", "of=/tmp/big", "bs=1M", "count=30"));
    String shown = done("get", id);
    for (String row : List.of("disk limit +20.0 MiB", "inodes limit +500", "disk used +(19|20)")) {
      assertTrue(Pattern.compile(row).matcher(shown).find(), row + ": " + shown);
    }
    done("rm", id);
  }

  @Test
  void shouldNameTheAddressThatIsTakenAndLeaveNothing() throws IOException {
    Path data = directory.resolve("second");
    String listen = platform.url().substring("http://".length());
    err.getBuffer().setLength(0);
    CommandLine line = SandgateCommand.commandLine();
    line.setErr(new PrintWriter(err));

    assertEquals(1, line.execute("up", "--data", data.toString(), "--listen", listen));
    assertTrue(err.toString().contains("--listen: cannot listen on " + listen), err.toString());
    assertFalse(Files.exists(data.resolve("node")));
  }

  @Test
  void shouldImportAnUploadedArchive() throws IOException, InterruptedException {
    Path tree = Files.createDirectories(directory.resolve("tree/opt"));
    Files.writeString(tree.resolve("tool"), "a tool\n");
    Path tar = directory.resolve("tool.tar");
    assertEquals(
        0,
        new ProcessBuilder(
                "tar", "-cf", tar.toString(), "-C", directory.resolve("tree").toString(), ".")
            .start()
            .waitFor());

    done(
        "env", "import", "tooled", "--tar", tar.toString(), "--kind", "toolkit", "--on", "busybox");

    assertTrue(done("env", "ls").contains("tooled"));
    String id = done("create", "tooled").strip();
    assertEquals(
        "a tool\n", platform.sandgate().sandboxes().handle(id).run("cat /opt/tool").stdoutText());
    done("rm", id);
    done("env", "rm", "tooled");
  }

  @Test
  void shouldCopyATreeInAndOutWithOddNamesModesAndLinks() throws IOException, InterruptedException {
    Path source = Files.createDirectories(directory.resolve("source/a b/c\nd"));
    byte[] bytes = new byte[300_000];
    new Random(1).nextBytes(bytes);
    Files.write(source.resolve("-rf ü \"quoted\""), bytes);
    Files.writeString(directory.resolve("source/run.sh"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(
        directory.resolve("source/run.sh"), PosixFilePermissions.fromString("rwxr-x--x"));
    Files.createFile(directory.resolve("source/empty"));
    Files.createSymbolicLink(directory.resolve("source/link"), Path.of("a b/nowhere"));
    try (SandboxHandle box = platform.box()) {
      done("cp", directory.resolve("source").toString(), box.id() + ":/tmp/copied");
      done("cp", box.id() + ":/tmp/copied", directory.resolve("back").toString());

      assertEquals("751\n", box.run("stat -c %a /tmp/copied/run.sh").stdoutText());
    }

    Process diff =
        new ProcessBuilder(
                "diff",
                "-r",
                "--no-dereference",
                directory.resolve("source").toString(),
                directory.resolve("back").toString())
            .redirectErrorStream(true)
            .start();
    assertEquals(
        "",
        new String(diff.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
    assertEquals(
        "rwxr-x--x",
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(directory.resolve("back/run.sh"))));
  }

  @Test
  void shouldNotWriteThroughALinkThatASandboxLeft() throws IOException {
    Path outside = Files.createDirectories(directory.resolve("outside"));
    Path target = Files.createDirectories(directory.resolve("target"));
    try (SandboxHandle box = platform.box()) {
      box.run("mkdir -p /tmp/t && ln -s " + outside + " /tmp/t/d");
      done("cp", box.id() + ":/tmp/t", target.toString());
      box.run("rm /tmp/t/d && mkdir /tmp/t/d && echo gotcha > /tmp/t/d/file");

      assertEquals(1, run("cp", box.id() + ":/tmp/t", target.toString()));
    }

    assertEquals(false, Files.exists(outside.resolve("file")));
  }

  @Test
  void shouldCopyALinkAndReplaceIt() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("one"));
    try (SandboxHandle box = platform.box()) {
      done("cp", link.toString(), box.id() + ":/tmp/l");
      assertEquals("one\n", box.run("readlink /tmp/l").stdoutText());
      Files.delete(link);
      Files.createSymbolicLink(link, Path.of("two"));
      done("cp", link.toString(), box.id() + ":/tmp/l");
      assertEquals("two\n", box.run("readlink /tmp/l").stdoutText());
    }
  }

  @Test
  void shouldShowWhatASandboxChanged() {
    try (SandboxHandle box = platform.box()) {
      assertEquals("", done("diff", box.id()));
      box.run("mkdir /tmp/d; echo hello > /tmp/d/f");
      assertEquals(
          List.of("A /tmp/d/", "A /tmp/d/f"),
          done("diff", box.id()).lines().filter(line -> line.contains("/tmp/d")).toList());
      String json = done("diff", box.id(), "-o", "json");
      assertTrue(
          json.lines().anyMatch(line -> line.contains("/tmp/d/f") && line.contains("ADDED")));
    }
  }

  @Test
  void shouldShowAndExportWhatWasDone() throws IOException {
    String id =
        done("create", "busybox", "--label", "episode=ep-cli", "--label", "job=cli").strip();
    platform.sandgate().sandboxes().handle(id).run("echo héllo; exit 3");
    platform.sandgate().sandboxes().handle(id).run("printf '\\377'");
    done("rm", id);

    String table = done("trajectory", id);
    assertEquals(3, table.lines().count(), table);
    assertTrue(table.contains("echo héllo; exit 3") && table.contains("EXITED"), table);
    String[] lines = done("trajectory", "--episode", "ep-cli", "-o", "json").split("\n", -1);
    JsonNode first = new ObjectMapper().readTree(lines[0]);
    assertEquals("héllo\n", first.get("stdout").asText());
    assertEquals(3, first.get("exit_code").asInt());
    assertEquals("ep-cli", first.get("labels").get("episode").asText());
    assertTrue(first.get("sequence").asLong() < first.get("revision").asLong());
    assertEquals("/w==", new ObjectMapper().readTree(lines[1]).get("stdout_base64").asText());
    String cursor = err.toString().strip().replaceAll("(?s).*--after ", "");
    assertEquals("", done("trajectory", "--job", "cli", "-o", "json", "--after", cursor));

    assertEquals(2, run("trajectory"));
    assertTrue(err.toString().contains("--episode"), err.toString());
    assertEquals(1, run("trajectory", id, "--after", "nonsense!"));
    assertTrue(err.toString().contains("cursor"), err.toString());
  }

  @Test
  void shouldRunAnIdOnceAndShowItsResultAgain() {
    String id = done("create", "busybox").strip();
    String[] once = {
      "exec", id, "--id", "step-1", "-o", "json", "--", "sh", "-c", "echo x >> /tmp/n; cat /tmp/n"
    };
    String first = done(once);
    assertEquals(first, done(once));
    assertTrue(first.contains("\"stdout\":\"x\\n\""), first);
    done("rm", id);
  }

  @Test
  void shouldRunACommandInEachOfMany() {
    List<String> ids = done("create", "busybox", "-n", "3", "-l", "job=each").lines().toList();
    String lines = done("each", "-l", "job=each", "--", "sh", "-c", "echo at $(hostname)");
    assertEquals(
        ids.stream().map(id -> id + "  0  at " + id).sorted().toList(),
        lines.lines().sorted().toList());

    String odd = ids.getFirst();
    String failing = "[ $(hostname) != " + odd + " ] || exit 7";
    assertEquals(1, run("each", "-l", "job=each", "-o", "json", "--", "sh", "-c", failing));
    assertEquals(3, out.toString().lines().count());
    assertTrue(
        out.toString().lines().anyMatch(l -> l.contains(odd) && l.contains("\"exit_code\":7")),
        out.toString());
    assertEquals(1, run("each", "-s", "sb-local-none", "-s", odd, "--", "true"));
    assertTrue(err.toString().contains("sb-local-none: "), err.toString());
    assertEquals(2, run("each", "--", "true"));
    assertTrue(err.toString().contains("--sandbox: nowhere to run"), err.toString());
    assertEquals(1, run("each", "-l", "job=eahc", "--", "true"));
    assertTrue(err.toString().contains("no running sandbox is selected"), err.toString());
    assertEquals(2, run("each", "-l", "job=each", "-s", odd, "--", "true"));
    assertTrue(err.toString().contains("--sandbox: give either"), err.toString());
    assertEquals(
        "{\"exec_id\":\"gone\"}",
        done("exec", "-d", "--id", "gone", "-o", "json", odd, "--", "true").strip());
    done("rm", "-l", "job=each");
  }

  @Test
  void shouldSayWhatTheNodesCanDo() {
    String report = done("doctor");

    assertTrue(
        report.lines().anyMatch(line -> line.contains("container") && line.contains("LAYERS")),
        report);
    assertTrue(
        report.lines().anyMatch(line -> line.startsWith("host") && line.contains("kernel")),
        report);
    assertTrue(done("doctor", "-o", "json").startsWith("{\""));
  }
}
