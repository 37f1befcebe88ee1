// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.connection.Reasons;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the command line says without a gateway. */
final class CommandLineTest {

  @TempDir Path data;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = SandgateCommand.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  private static String deadPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "http://127.0.0.1:" + socket.getLocalPort();
    }
  }

  @Test
  void shouldListEveryCommandInTheHelp() {
    assertEquals(0, run("--help"));
    for (String name :
        "demo up doctor create ls get exec sh session cp trajectory usage top diff renew rm env load test version completion"
            .split(" ", -1)) {
      assertTrue(out.toString().contains("\n  " + name + " "), name);
    }
    assertTrue(out.toString().contains("Exit codes:"));
  }

  @Test
  void shouldShowHelpForEveryCommand() {
    for (String name : SandgateCommand.commandLine().getSubcommands().keySet()) {
      assertEquals(0, name.equals("help") ? 0 : run(name, "--help"), name);
    }
  }

  @Test
  void shouldPrintTheVersionAsTextAndJson() {
    assertEquals(0, run("version"));
    assertEquals(0, run("version", "--output", "json"));
    assertTrue(out.toString().startsWith("sandgate "));
    assertTrue(out.toString().contains("{\"version\":") || out.toString().contains("\"version\":"));
  }

  @Test
  void shouldEndWithThreeWhenNobodyListens() throws IOException {
    assertEquals(3, run("--url", deadPort(), "--key", "k", "ls"));
    assertTrue(err.toString().contains("sandgate up"), err.toString());
    assertEquals(1, err.toString().lines().count());
  }

  @Test
  void shouldEndExecWithThreeWhenNobodyListens() throws IOException {
    assertEquals(3, run("exec", "--url", deadPort(), "--key", "k", "sb-local-x", "true"));
    assertTrue(err.toString().contains("sandgate up"), err.toString());
  }

  @Test
  void shouldShowHelpOfACommandOfACommand() {
    assertEquals(0, run("help", "env", "import"));
    assertTrue(out.toString().contains("--builtin"), out.toString());
    assertEquals(2, run("help", "env", "nosuch"));
    assertTrue(err.toString().contains("'nosuch'"), err.toString());
  }

  @Test
  void shouldSayWhatWasMeantByAWrongCommandLine() {
    assertEquals(2, run("exce"));
    assertTrue(err.toString().contains("did you mean exec?"), err.toString());
    assertEquals(2, run("create", "--key", "k"));
    assertTrue(err.toString().contains("ENVIRONMENT: "), err.toString());
    assertEquals(2, run("create", "busybox", "-n", "0", "--key", "k"));
    assertTrue(err.toString().contains("--count: "), err.toString());
  }

  @Test
  void shouldSayInPlainWordsWhatIsWrongWithLocalFiles() {
    assertEquals(1, run("up", "--config", "/no/such/file"));
    assertTrue(err.toString().contains("/no/such/file: no such file"), err.toString());
    assertEquals(1, run("up", "--data", "/etc/passwd", "--listen", "127.0.0.1:0"));
    assertTrue(err.toString().contains("/etc/passwd"), err.toString());
    assertFalse(err.toString().contains("Exception"), err.toString());
    AccessDeniedException denied = new AccessDeniedException("/root/x");
    assertEquals("/root/x: permission denied", Reasons.of(denied));
  }

  @Test
  void shouldTellFailuresAsJsonWhenAsked() throws IOException {
    assertEquals(3, run("ls", "--url", deadPort(), "--key", "k", "-o", "json"));
    assertTrue(err.toString().startsWith("{\"error\":{\"code\":\"UNAVAILABLE\""), err.toString());
    assertEquals("", out.toString());
  }

  @Test
  void shouldEndWithTwoAndNameTheOptionOfAWrongCommandLine() {
    assertEquals(2, run("--data", data.toString(), "ls"));
    assertTrue(err.toString().contains("--key:"), err.toString());
    assertEquals(2, run("get"));
    assertTrue(err.toString().contains("SANDBOX"), err.toString());
    assertEquals(2, run("ls", "--state", "sleeping", "--key", "k"));
    assertTrue(err.toString().contains("--state:"), err.toString());
    assertEquals(2, run("create", "e", "--memory", "lots", "--key", "k"));
    assertTrue(err.toString().contains("'lots'"), err.toString());
    assertEquals(2, run("ls", "--url", "nonsense", "--key", "k"));
    assertTrue(err.toString().contains("--url:"), err.toString());
    assertEquals(2, run("nosuch"));
    assertFalse(err.toString().contains("Exception"), err.toString());
  }

  @Test
  void shouldPrintCompletionScripts() {
    assertEquals(0, run("completion", "bash"));
    assertTrue(out.toString().contains("complete -F"));
    assertEquals(2, run("completion", "fish"));
  }

  @Test
  void shouldRefuseALoadScenarioThatIsNotThere() {
    assertEquals(2, run("load", "nosuch"));
    assertTrue(err.toString().contains("SCENARIO:"), err.toString());
  }
}
