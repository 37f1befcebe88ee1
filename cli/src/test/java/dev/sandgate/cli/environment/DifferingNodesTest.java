// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.proto.v1.Environment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A list of environments of which some are not what they should be. */
final class DifferingNodesTest {

  private static Environment environment(String name, String digest) {
    return Environment.newBuilder().setName(name).setTag("v1").setDigest(digest).build();
  }

  @Test
  void shouldSayWhichNamesStandForDifferentContents() {
    Environment damaged = environment("bad", "").toBuilder().setDamaged("torn").build();
    List<Environment> all =
        List.of(
            environment("a", "sha256:1"),
            damaged,
            environment("b", "sha256:1"),
            environment("b", "sha256:2"));
    assertEquals(
        List.of(
            "bad:v1: torn",
            "b:v1: nodes have different contents of it; import it again with --replace"),
        ListEnvironments.notes(all));
  }
}
