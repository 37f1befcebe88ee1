// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Sandbox;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a command is given, how it ends, what it leaves behind, and who may know its id. */
interface ExecCases {

  Fixture fixture();

  @Test
  default void shouldReturnWhatEchoPrints() {
    Result result = fixture().run(Command.of("echo", "hello world"));
    assertEquals("hello world\n", result.stdout());
    assertEquals("", result.stderr());
    assertEquals(0, result.exit().exitCode());
    assertEquals(0, result.exit().signal());
    assertFalse(result.exit().outOfMemory());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 7, 42, 125, 126, 127, 128, 130, 137, 143, 254, 255})
  default void shouldReturnTheExitCode(int code) {
    Result result = fixture().sh("exit " + code);
    assertEquals(code, result.exit().exitCode());
    assertEquals(0, result.exit().signal());
  }

  @Test
  default void shouldSayTheProcessIdThatTheCommandSees() {
    Running running = fixture().start(Command.sh("echo $$"));
    long pid = running.exec().pid();
    assertEquals(Long.toString(pid), running.result().line());
  }

  @Test
  default void shouldPassArgumentsVerbatim() {
    Result result =
        fixture()
            .run(Command.of("printf", "[%s]", "", " a  b ", "$HOME", "\n", "ü€😀", "'\"\\", "*"));
    assertEquals("[][ a  b ][$HOME][\n][ü€😀]['\"\\][*]", result.stdout());
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-such-command", "/no/such/command", "/", "/etc/passwd"})
  default void shouldRefuseWhatCannotBeStarted(String program) {
    Sandbox sandbox = fixture().shared();
    assertEquals(ErrorCode.EXEC_FAILED, Waiting.codeOf(sandbox.exec(Command.of(program).spec())));
    assertEquals("ok", fixture().run(Command.of("echo", "ok")).line());
  }

  @Test
  default void shouldRefuseAnUnknownDirectoryOrUser() {
    Sandbox sandbox = fixture().shared();
    Command command = Command.of("echo", "never");
    assertEquals(
        ErrorCode.EXEC_FAILED, Waiting.codeOf(sandbox.exec(command.cwd("/no/such/dir").spec())));
    assertEquals(
        ErrorCode.EXEC_FAILED, Waiting.codeOf(sandbox.exec(command.user("nobody-knows").spec())));
    assertEquals("", fixture().run(command).stderr());
  }

  @Test
  default void shouldRunInTheDirectory() {
    assertEquals("/", fixture().run(Command.of("pwd").cwd("/")).line());
    assertEquals("/etc", fixture().run(Command.of("pwd").cwd("/etc")).line());
    assertTrue(fixture().run(Command.of("pwd")).line().startsWith("/"));
  }

  @Test
  default void shouldAddTheCommandsEnvironmentToTheSandboxs() {
    Command command = Command.sh("echo \"$TCK_VALUE|$PATH|$HOME\"");
    String[] words = fixture().run(command.env("TCK_VALUE", "a b=c\nd")).line().split("\\|", -1);
    assertEquals("a b=c\nd", words[0]);
    assertFalse(words[1].isEmpty(), "PATH");
    assertTrue(words[2].startsWith("/"), "HOME");
    assertTrue(fixture().run(command).line().startsWith("|"), "another command does not see it");
    for (var entry : fixture().sharedSpec().env().entrySet()) {
      Command show = Command.sh("echo \"$" + entry.getKey() + "\"");
      assertEquals(entry.getValue(), fixture().run(show).line());
      assertEquals("mine", fixture().run(show.env(entry.getKey(), "mine")).line());
    }
  }

  @Test
  default void shouldRunAsTheSandboxsUserOrAnother() {
    String other = fixture().subject().tools().otherUser();
    assumeTrue(!other.isEmpty(), "the environment has no second user");
    String mine = fixture().run(Command.of("id", "-u")).line();
    String theirs = fixture().run(Command.of("id", "-u").user(other)).line();
    assertFalse(mine.equals(theirs), () -> "both " + mine);
    assertEquals(mine, fixture().run(Command.of("id", "-u")).line());
  }

  @Test
  default void shouldLimitDescriptorsWhenAsked() {
    fixture().assumeHas(Capability.LIMITS);
    assertEquals("77", fixture().run(Command.sh("ulimit -n").openFiles(77)).line());
  }

  @Test
  default void shouldKeepFilesAndDaemonsBetweenCommands() {
    String file = fixture().scratch() + "/state";
    String pid =
        fixture().sh("echo kept > " + file + "; sleep 1000 >/dev/null 2>&1 & echo $!").line();
    assertEquals("kept", fixture().run(Command.of("cat", file)).line());
    fixture().sh("kill -0 " + pid).succeeded();
    fixture().sh("kill " + pid + "; rm " + file).succeeded();
  }

  @Test
  default void shouldGiveNoFileOfOneSandboxToAnother() {
    fixture().sh("echo mine > ./only-here").succeeded();
    Result look = Fixture.run(fixture().fresh(), Command.sh("cat ./only-here"));
    fixture().sh("rm ./only-here").succeeded();
    assertEquals(1, look.exit().exitCode());
    assertEquals("", look.stdout());
  }

  @Test
  default void shouldRunAnIdOnlyOnce() {
    String file = fixture().scratch() + "/ran";
    Command command = Command.sh("echo ran >> " + file + "; read line").stdin();
    Running first = fixture().start(command);
    Sandbox sandbox = fixture().shared();
    assertEquals(ErrorCode.ALREADY_EXISTS, Waiting.codeOf(sandbox.exec(command.spec())));
    first.write(0, "go\n", true);
    first.events().result().succeeded();
    assertEquals(ErrorCode.ALREADY_EXISTS, Waiting.codeOf(sandbox.exec(command.spec())));
    Waiting.on(first.exec().release());
    assertEquals("ran", fixture().sh("cat " + file + "; rm " + file).line());
  }

  @Test
  default void shouldForgetAReleasedCommand() {
    Sandbox sandbox = fixture().shared();
    Running running = fixture().start(Command.of("echo", "x"));
    running.events().result();
    Waiting.on(running.exec().release());
    Waiting.on(running.exec().release());
    assertEquals(
        ErrorCode.NOT_FOUND,
        Waiting.codeOf(sandbox.attach(running.exec().id(), OutputOffsets.START)));
    assertEquals(
        ErrorCode.NOT_FOUND, Waiting.codeOf(sandbox.attach("never-started", OutputOffsets.START)));
  }

  @Test
  default void shouldLetAReleasedCommandGoOn() {
    Running running = fixture().start(Command.sh("read line; echo $line").stdin());
    Waiting.on(running.exec().release());
    running.write(0, "on\n", true);
    assertEquals("on", running.events().result().line());
  }

  @Test
  default void shouldAcceptCallsAfterTheExit() {
    Running running = fixture().start(Command.of("true").stdin());
    running.events().result();
    running.signal(15, Exec.SignalTarget.PROCESS);
    running.signal(9, Exec.SignalTarget.TREE);
    Waiting.on(running.exec().resize(new dev.sandgate.spi.TerminalSize(10, 10)));
    assertEquals(
        ErrorCode.FAILED_PRECONDITION,
        Waiting.codeOf(running.exec().write(0, java.nio.ByteBuffer.allocate(1), false)));
    Waiting.on(running.exec().release());
  }

  @Test
  default void shouldMeasureACommand() {
    Result result = fixture().sh("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep 1");
    ExecEvent.ExecUsage usage = result.exit().usage();
    assertTrue(usage.wall().compareTo(Duration.ofSeconds(1)) >= 0, usage::toString);
    assertTrue(usage.wall().compareTo(Duration.ofSeconds(60)) < 0, usage::toString);
    if (fixture().has(Capability.LIMITS)) {
      assertTrue(usage.cpu().toMillis() >= 20, usage::toString);
      assertTrue(usage.cpu().compareTo(usage.wall()) < 0, usage::toString);
      assertTrue(usage.peakMemoryBytes() > 100_000, usage::toString);
    }
  }
}
