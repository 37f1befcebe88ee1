// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.cli.connection.CommandFailure;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Which side of a copy is inside a sandbox. */
final class PlaceTest {

  @Test
  void shouldTellSandboxPathsFromLocalOnes() {
    assertEquals(new Place.Inside("sb-a-1", "/x:y"), Place.parse("sb-a-1:/x:y"));
    assertEquals(new Place.Local(Path.of("./sb-a-1:/x")), Place.parse("./sb-a-1:/x"));
    assertEquals(new Place.Local(Path.of("plain")), Place.parse("plain"));
  }

  @Test
  void shouldRefuseARelativePathInside() {
    assertThrows(CommandFailure.class, () -> Place.parse("sb-a-1:x"));
  }
}
