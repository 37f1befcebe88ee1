// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a create says when the disk is full: needs root. */
final class ContainerDiskTest {

  @Test
  void shouldSayThatTheDiskIsFull() throws Exception {
    ContainerFixture fixture = new ContainerFixture(Map.of());
    Path uppers = Files.createDirectories(fixture.context.stateDirectory().resolve("uppers"));
    BusyboxLayer.tool("mount", "-t", "tmpfs", "-o", "size=8m", "small", uppers.toString());
    try {
      Sandbox fits = fixture.create(fixture.spec());
      fits.destroy().await().atMost(ContainerFixture.PATIENCE);
      long used = inodes(uppers, "%c") - inodes(uppers, "%d");
      BusyboxLayer.tool("mount", "-o", "remount,nr_inodes=" + used, uppers.toString());
      SandgateException full = assertThrows(SandgateException.class, () -> fill(fixture));
      assertEquals(ErrorCode.RESOURCE_EXHAUSTED, full.code(), full.getMessage());
      String message = String.valueOf(full.getMessage());
      assertTrue(message.contains("no space left on " + uppers), message);
    } finally {
      BusyboxLayer.tool("umount", "-l", uppers.toString());
      fixture.close();
    }
  }

  private static long inodes(Path place, String format) throws Exception {
    return Long.parseLong(BusyboxLayer.tool("stat", "-f", "-c", format, place.toString()).strip());
  }

  // A sandbox that is removed gives its files back: a few may fit.
  private static void fill(ContainerFixture fixture) {
    for (int i = 0; i < 64; i++) {
      fixture.create(fixture.spec());
    }
  }
}
