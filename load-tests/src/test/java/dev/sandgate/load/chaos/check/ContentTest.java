// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Content is told apart from other content at any offset. */
class ContentTest {

  @Test
  void shouldHaveNumbersOfTheirLength() {
    for (int count : new int[] {1, 9, 10, 11, 99, 100, 12_345}) {
      assertEquals(Content.lines("", count).length(), Content.numbers(count).length());
    }
    assertEquals(0, Content.numbers(0).length());
  }

  @Test
  void shouldMatchItsPartsAtTheirPlacesOnly() {
    Content content = Content.numbers(1_000);
    ByteBuffer part = content.slice(100, 130);
    assertTrue(content.matches(100, part));
    assertFalse(content.matches(101, part));
    assertFalse(content.matches(-1, part));
    assertFalse(content.matches(content.length() - 3, part));
  }

  @Test
  void shouldEndWhereItEnds() {
    Content content = Content.numbers(9);
    assertEquals(18, content.length());
    assertFalse(content.matches(18, ByteBuffer.wrap(new byte[] {'1'})));
  }
}
