// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a density run looks for on the host is seen when it is there. */
@Tag("root")
class HostStateTest {

  private final Scratch scratch;
  private final HostState before;

  HostStateTest() throws IOException {
    scratch = new Scratch("sgload-" + UUID.randomUUID().toString().substring(0, 8));
    before = HostState.of(scratch);
  }

  @AfterEach
  void close() throws Exception {
    scratch.close();
  }

  @Test
  void shouldSeeNothingWhenNothingCame() throws IOException {
    assertEquals(List.of(), HostState.of(scratch).moreThan(before));
  }

  @Test
  void shouldSeeADirectoryThatASandboxWroteTo() throws IOException {
    Files.createDirectories(scratch.directory().resolve("data/container/uppers/sb-load-x"));
    assertSeen("writable directories: 0 before, 1 after");
  }

  @Test
  void shouldSeeACgroupAndTheProcessInIt() throws IOException, InterruptedException {
    Path cgroup = Files.createDirectory(root().resolve(scratch.name()));
    Process process = new ProcessBuilder("sleep", "60").start();
    Files.writeString(cgroup.resolve("cgroup.procs"), Long.toString(process.pid()));
    assertSeen("cgroups: 0 before, 1 after");
    assertSeen("processes in cgroups: 0 before, 1 after");
    process.destroyForcibly().waitFor();
  }

  private static Path root() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
        .filter(line -> line.contains(" - cgroup2 "))
        .map(line -> Path.of(line.split(" ", -1)[4]))
        .findFirst()
        .orElseThrow();
  }

  private void assertSeen(String line) throws IOException {
    List<String> more = HostState.of(scratch).moreThan(before);
    assertTrue(more.contains(line), more::toString);
  }
}
