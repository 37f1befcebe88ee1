// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.support.agent.Chunks.Chunk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Bytes that wait. */
final class ChunksTest {

  private final Chunks chunks = new Chunks();

  private void add(int stream, long offset, String text) {
    chunks.add(stream, offset, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String text(Chunk chunk) {
    return StandardCharsets.UTF_8.decode(chunk.bytes()).toString();
  }

  @Test
  void shouldJoinWhatFollows() {
    add(1, 0, "one ");
    add(1, 4, "two");
    Chunk first = chunks.poll();
    assertEquals("one two", text(first));
    assertEquals(0, first.offset);
    assertTrue(chunks.isEmpty());
  }

  @Test
  void shouldKeepTheOrderOfTwoStreams() {
    add(1, 0, "out");
    add(2, 0, "err");
    add(1, 3, "more");
    assertEquals("out", text(chunks.poll()));
    assertEquals("err", text(chunks.poll()));
    assertEquals("more", text(chunks.poll()));
  }

  @Test
  void shouldNotTouchWhatWasTaken() {
    add(1, 0, "taken");
    Chunk taken = chunks.poll();
    add(1, 5, "next");
    assertEquals("taken", text(taken));
    assertEquals("next", text(chunks.poll()));
  }

  @Test
  void shouldHoldManySinglesInFewItems() {
    int bytes = 2 * 256 * 1024;
    for (int i = 0; i < bytes / 2; i++) {
      add(1, i, "a");
      add(2, i, "b");
    }
    int items = 0;
    int total = 0;
    for (Chunk chunk = chunks.poll(); chunk != null; chunk = chunks.poll()) {
      items++;
      total += chunk.length();
      assertTrue(chunk.length() <= Frame.MAX_DATA_BYTES);
    }
    assertEquals(bytes, total);
    assertTrue(items < 200, items + " items");
  }
}
