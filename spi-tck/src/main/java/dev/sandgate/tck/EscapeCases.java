// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.Termination;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks that must fail where isolation is claimed: {@link Isolation#CONTAINER} and {@link Isolation#VM}. */
interface EscapeCases {

  Fixture fixture();

  private Sandbox isolated() {
    assumeTrue(!fixture().plainProcesses(), "the backend claims no isolation");
    return fixture().shared();
  }

  private Result sh(String script) {
    return Fixture.run(isolated(), Command.sh(script));
  }

  private static String host(String path) {
    try {
      return Files.readString(Path.of(path)).strip();
    } catch (IOException e) {
      throw new AssertionError(path, e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pid", "mnt", "net", "ipc", "uts", "user", "cgroup"})
  default void shouldHaveItsOwnNamespaces(String namespace) throws IOException {
    isolated();
    assumeTrue(
        fixture().backend().isolation() == Isolation.CONTAINER, "a VM has a kernel of its own");
    String inside = sh("readlink /proc/self/ns/" + namespace).line();
    assertTrue(inside.startsWith(namespace + ":["), inside);
    assertNotEquals(
        Files.readSymbolicLink(Path.of("/proc/self/ns/" + namespace)).toString(), inside);
    String other =
        Fixture.run(fixture().fresh(), Command.of("readlink", "/proc/self/ns/" + namespace)).line();
    assertNotEquals(other, inside, "two sandboxes share it");
  }

  @Test
  default void shouldHaveAKernelOfItsOwnInAMachine() {
    isolated();
    assumeTrue(fixture().backend().isolation() == Isolation.VM, "only a VM has one");
    assertNotEquals(
        host("/proc/sys/kernel/random/boot_id"), sh("cat /proc/sys/kernel/random/boot_id").line());
  }

  @Test
  default void shouldRunWithoutPrivileges() {
    String status = sh("cat /proc/self/status").line();
    assertTrue(status.contains("NoNewPrivs:\t1"), status);
    assertTrue(status.contains("CapEff:\t0000000000000000"), status);
    assertTrue(status.contains("CapPrm:\t0000000000000000"), status);
    assertTrue(status.contains("CapAmb:\t0000000000000000"), status);
    if (fixture().backend().isolation() == Isolation.CONTAINER) {
      assertTrue(status.contains("Seccomp:\t2"), status);
    }
  }

  @Test
  default void shouldBeNoPrivilegedUserOfTheHost() {
    isolated();
    assumeTrue(fixture().backend().isolation() == Isolation.CONTAINER, "a VM has users of its own");
    String[] map = sh("cat /proc/self/uid_map").line().split("\\s+", -1);
    assertNotEquals("0", map[1], "uid 0 inside is uid 0 outside");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mknod k c 1 11",
        "mknod b b 254 0",
        "mount -t tmpfs x /mnt",
        "mount -t proc x /mnt",
        "mount -t cgroup -o memory x /mnt",
        "mount --bind / /mnt",
        "unshare -U true",
        "unshare -m true",
        "echo b > /proc/sysrq-trigger",
        "echo x > /proc/sys/kernel/core_pattern",
        "echo x > /proc/sys/kernel/hostname",
        "echo -1000 > /proc/self/oom_score_adj",
        "cat /proc/1/environ",
        "cat /dev/kmsg",
        "head -c1 /proc/kcore",
        "head -c1 /dev/mem",
        "ls /proc/1/root/",
        "ls /proc/1/fd/",
        "cat /proc/1/mem",
        "date -s 2020-01-01 >/dev/null 2>&1; [ $(date +%Y) = 2020 ]",
        "ulimit -n 100000000",
        "nice -n -20 true || exit 1; [ $(nice -n -5 nice) -ge 0 ] && exit 1"
      })
  default void shouldRefuse(String attack) {
    Result result = sh("cd " + fixture().scratch() + "; " + attack);
    assertNotEquals(0, result.exit().exitCode(), () -> attack + " worked: " + result.stdout());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/proc/kcore",
        "/proc/keys",
        "/proc/latency_stats",
        "/proc/timer_list",
        "/proc/sched_debug",
        "/proc/interrupts",
        "/sys/firmware",
        "/proc/acpi",
        "/proc/scsi"
      })
  default void shouldShowNothingOfTheHostIn(String path) {
    isolated();
    assumeTrue(
        fixture().backend().isolation() == Isolation.CONTAINER, "a VM has a kernel of its own");
    Result result =
        sh("if [ -d " + path + " ]; then ls -A " + path + "; else head -c 64 " + path + "; fi");
    assertEquals(0, result.out().count(), () -> path + " shows " + result.stdout());
  }

  @Test
  default void shouldNotChangeItsOwnLimits() {
    Result result =
        sh(
            "find /sys/fs/cgroup -name '*.max' -o -name 'release_agent' -o -name 'cgroup.procs' 2>/dev/null"
                + " | while read f; do echo 1 2>/dev/null > $f && echo WROTE $f; done");
    assertFalse(result.stdout().contains("WROTE"), result::stdout);
  }

  @Test
  default void shouldInheritNoDescriptor() {
    String open = sh("ls /proc/self/fd").line();
    assertEquals("0 1 2 3", open.replace('\n', ' '), "3 is the directory itself");
    assertEquals("", sh("ls -l /proc/self/fd | grep socket:").stdout());
  }

  @Test
  default void shouldSeeOnlyItsOwnProcesses() {
    isolated();
    String commands = sh("cat /proc/[0-9]*/cmdline | tr '\\000' ' '").stdout();
    assertFalse(commands.contains("java"), commands);
    assertFalse(commands.contains("spawner"), commands);
  }

  @Test
  default void shouldOfferNoSocketOfThePlatform() {
    isolated();
    Result sockets =
        sh("tail -n +2 /proc/net/unix; cat /proc/net/tcp /proc/net/tcp6 | grep ' 0A '");
    assertEquals("", sockets.stdout(), "a socket that listens");
    Result paths = sh("find / -xdev -type s 2>/dev/null");
    assertEquals("", paths.stdout());
  }

  @Test
  default void shouldReachNothingBeyondItsLoopback() {
    String routes = sh("tail -n +2 /proc/net/route").stdout();
    assertEquals("", routes, "an IPv4 route");
    String devices = sh("tail -n +3 /proc/net/dev | cut -d: -f1").stdout().replace(" ", "");
    assertEquals("lo\n", devices);
  }

  @Test
  default void shouldEndTheMachineWhenItsGuestPowersOff() {
    isolated();
    assumeTrue(fixture().backend().isolation() == Isolation.VM, "only a machine powers off");
    Sandbox sandbox = fixture().fresh();
    Fixture.start(sandbox, Command.sh("poweroff -f").user("root"));
    assertEquals(
        Termination.Reason.GUEST,
        Waiting.on(sandbox.terminated(), java.time.Duration.ofSeconds(5)).reason());
  }

  @Test
  default void shouldSurviveAttacksOnItsInit() {
    isolated();
    assumeTrue(fixture().backend().isolation() == Isolation.CONTAINER, "a machine may power off");
    sh("kill -9 1; kill -15 1; kill -9 -1; true");
    Result reboot = sh("reboot -f; halt -f; poweroff -f; kill -STOP 1; echo still here");
    assertTrue(reboot.stdout().contains("still here"), reboot::stdout);
    assertEquals("alive", fixture().run(Command.of("echo", "alive")).line());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../..",
        "relative",
        "/proc/self/fd/3",
        "/proc/self/fd/7",
        "/proc/1/root",
        "/proc/1/cwd"
      })
  default void shouldRefuseADirectoryThatLeadsOut(String cwd) {
    ErrorCode code =
        Waiting.codeOf(isolated().exec(Command.of("cat", "etc/hostname").cwd(cwd).spec()));
    assertTrue(code == ErrorCode.EXEC_FAILED || code == ErrorCode.INVALID_ARGUMENT, code::toString);
  }

  @Test
  default void shouldWorkWhateverHappensToTheShell() {
    Sandbox sandbox = fixture().fresh();
    assumeTrue(!fixture().plainProcesses(), "the backend claims no isolation");
    String scratch = fixture().scratch();
    Command trap = Command.sh("echo never").env("LD_PRELOAD", scratch + "/none.so");
    Result result = Fixture.run(sandbox, trap);
    assertEquals("never", result.line());
    Result forged =
        Fixture.run(
            sandbox, Command.sh("printf '{\"exit\":0}\\n\\000\\000\\000\\010\\050'; exit 7"));
    assertEquals(7, forged.exit().exitCode());
  }

  @Test
  default void shouldReapOrphans() {
    isolated();
    sh("i=0; while [ $i -lt 100 ]; do (setsid true &); i=$((i+1)); done");
    fixture().awaitQuiet();
    Eventually.value(
        "no zombies", () -> sh("cat /proc/[0-9]*/stat").stdout(), stats -> !stats.contains(") Z "));
  }
}
