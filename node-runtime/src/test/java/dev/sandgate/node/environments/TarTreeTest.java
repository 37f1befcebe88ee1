// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Tars;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept in memory of an archive while it is unpacked. */
@Tag("root")
class TarTreeTest {

  private static final int ENOUGH = 1_000_000;

  @TempDir private Path directory;

  private long unpack(int archives, long mostKept) throws Exception {
    Tars tar = new Tars();
    for (int i = 0; i < archives; i++) {
      tar.file(i + ("/" + "d".repeat(50)).repeat(58), "");
    }
    return new TarTree(directory, new Placement.Alone(), _ -> {}, mostKept)
        .unpack(new ByteArrayInputStream(tar.bytes()));
  }

  @Test
  void shouldCountDirectoriesThatNoEntryDescribes() throws Exception {
    assertEquals(2 * (58 + 1), unpack(2, ENOUGH));
  }

  @Test
  void shouldRefuseDirectoriesWhosePathsAreTooMuchToKeep() {
    SandgateException refused = assertThrows(SandgateException.class, () -> unpack(10, ENOUGH));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertTrue(String.valueOf(refused.getMessage()).contains("too many"), refused.getMessage());
  }

  @Test
  void shouldKnowWhichPathsALayerWroteHoweverMany() {
    WrittenPaths written = new WrittenPaths();
    for (int i = 0; i < 10_000; i++) {
      assertTrue(written.add(Path.of("/a/" + i)));
      assertFalse(written.add(Path.of("/a/" + i)));
    }
    for (int i = 0; i < 10_000; i++) {
      assertTrue(written.contains(Path.of("/a/" + i)));
      assertFalse(written.contains(Path.of("/b/" + i)));
    }
  }
}
