// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.container.ImageTemplates.Lease;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.host.ProcFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** File systems that are kept to be copied. */
final class ImageTemplatesTest {

  @TempDir Path directory;

  private static ImageSize size(long mebibytes) {
    return ImageSize.of(new ResourceLimits(0, 0, 0, mebibytes << 20, 0));
  }

  private ImageTemplates templates() {
    return new ImageTemplates(directory, () -> ProcFile.onPath("mkfs.ext4"));
  }

  @Test
  void shouldKeepABoundedNumberAndNoneThatIsInUseIsDropped() throws IOException {
    ImageTemplates templates = templates();
    try (Lease used = templates.lease(size(1))) {
      for (int i = 2; i < 80; i++) {
        templates.lease(size(i)).close();
      }
      assertTrue(Files.exists(directory.resolve(used.name())));
      assertFalse(Files.exists(directory.resolve(size(2).name())));
      assertTrue(Files.exists(directory.resolve(size(79).name())));
      try (var files = Files.list(directory)) {
        assertEquals(64, files.count());
      }
    }
  }

  @Test
  void shouldSweepWhatAnEarlierRunLeft() throws IOException {
    ImageTemplates templates = templates();
    templates.lease(size(1)).close();
    Files.writeString(directory.resolve("v0-old"), "");
    templates.sweep();
    assertFalse(Files.exists(directory.resolve("v0-old")));
    assertTrue(Files.exists(directory.resolve(size(1).name())));
  }

  @Test
  void shouldTakeLittleSpaceHoweverLargeItIs() throws IOException, InterruptedException {
    try (Lease large = templates().lease(size(100 << 10))) {
      String disk =
          BusyboxLayer.tool("stat", "-c", "%b", directory.resolve(large.name()).toString());
      assertTrue(Long.parseLong(disk.strip()) * 512 < 2 << 20, disk);
    }
  }

  @Test
  void shouldSayWhatIsMissing() {
    ImageTemplates none = new ImageTemplates(directory, Optional::empty);
    SandgateException refused = assertThrows(SandgateException.class, () -> none.lease(size(1)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertTrue(refused.getMessage().contains("install e2fsprogs"), refused.getMessage());
    ImageTemplates broken = new ImageTemplates(directory, () -> Optional.of(Path.of("/bin/false")));
    refused = assertThrows(SandgateException.class, () -> broken.lease(size(1)));
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, refused.code());
  }
}
