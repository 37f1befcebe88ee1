// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Probe.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes tell the truth about programs: there, missing, or there without what is needed. */
final class HostToolTest {

  @TempDir Path directory;

  private HostTool tool(String script) throws IOException {
    Path file = directory.resolve("tool");
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new HostTool("tool", List.of(Path.of("/nonexistent"), directory));
  }

  @Test
  void shouldFindTheLineAskedFor() throws IOException {
    HostTool tool = tool("echo first; echo \"version $1 \" >&2");
    assertEquals(Optional.of("version 7.2"), tool.line("version", "7.2"));
    assertEquals(
        new Finding("tool", true, true, "first"), tool.finding(true, "first", "install it"));
  }

  @Test
  void shouldSayWhatIsMissingAndTheFix() throws IOException {
    Finding lacking = tool("echo other").finding(true, "microvm", "upgrade it");
    assertFalse(lacking.available());
    assertTrue(lacking.detail().endsWith("does not offer microvm: upgrade it"), lacking.detail());
    HostTool absent = new HostTool("no-such-tool", List.of(directory));
    assertEquals(
        new Finding("no-such-tool", false, false, "not in PATH: install it"),
        absent.finding(false, "x", "install it"));
  }

  @Test
  void shouldNotTakeADirectoryOrAPlainFileForAProgram() throws IOException {
    Files.createDirectory(directory.resolve("d"));
    Files.createFile(directory.resolve("f"));
    assertEquals(Optional.empty(), new HostTool("d", List.of(directory)).path());
    assertEquals(Optional.empty(), new HostTool("f", List.of(directory)).path());
  }
}
