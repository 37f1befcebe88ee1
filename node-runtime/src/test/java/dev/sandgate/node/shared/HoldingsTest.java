// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.shared.LayerParts.Place;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of shared layers, and what goes. */
class HoldingsTest {

  private static final int SIZE = 3 * Sharing.CHUNK / 2;

  @TempDir private Path directory;
  private final Set<String> used = new HashSet<>();
  private long now;
  private LocalLayers local;

  @BeforeEach
  void begin() throws IOException {
    Path layers = Files.createDirectory(directory.resolve("layers"));
    local =
        new LocalLayers() {
          @Override
          public Path image(String digest) {
            return layers.resolve(digest.replace(':', '-'));
          }

          @Override
          public void thrownAway(String digest) {
            TestNode.delete(image(digest));
          }

          @Override
          public void requireRoom(long bytes) {
            // There is enough.
          }

          @Override
          public boolean isUsed(String digest) {
            return used.contains(digest);
          }

          @Override
          public Set<String> needed() {
            return used;
          }
        };
  }

  private Holdings open(long most) {
    return Holdings.open(directory.resolve("shared"), local, most, () -> now);
  }

  private static LayerParts made(Place fresh, Place place, SharedLayer facts, InputStream metadata)
      throws IOException {
    LayerParts.make(fresh, facts, "/none", metadata, Duration.ofSeconds(1));
    return LayerParts.take(fresh, place, facts);
  }

  /** A layer all of which is here. */
  private String held(Holdings holdings, int number) throws IOException {
    byte[] content = new byte[SIZE];
    new java.util.Random(number).nextBytes(content);
    String digest = SealedFile.named(digesting(content));
    SharedLayer facts = facts(digest, content);
    Held one = holdings.add(facts);
    Place place = Place.in(holdings.directory(), digest);
    LayerParts parts = made(place.attempt(), place, facts, InputStream.nullInputStream());
    try (FileChannel out = FileChannel.open(parts.image(), StandardOpenOption.WRITE)) {
      for (int chunk = 0; chunk < parts.chunks(); chunk++) {
        int from = (int) parts.start(chunk);
        parts.put(
            out, chunk, java.util.Arrays.copyOfRange(content, from, from + parts.length(chunk)));
      }
    }
    holdings.begun(one, parts);
    Files.createLink(local.image(digest), parts.image());
    assertEquals(-1, Files.mismatch(local.image(digest), written(content)));
    return digest;
  }

  private Path written(byte[] content) throws IOException {
    return Files.write(directory.resolve("content"), content);
  }

  private static java.security.MessageDigest digesting(byte[] content) {
    java.security.MessageDigest digest = SealedFile.sha256();
    digest.update(content);
    return digest;
  }

  private static SharedLayer facts(String digest, byte[] content) throws IOException {
    ByteString.Output chunks = ByteString.newOutput();
    for (int from = 0; from < content.length; from += Sharing.CHUNK) {
      int end = Math.min(content.length, from + Sharing.CHUNK);
      chunks.write(SealedFile.sha256().digest(java.util.Arrays.copyOfRange(content, from, end)));
    }
    return SharedLayer.newBuilder()
        .setLayer(LayerInfo.newBuilder().setDigest(digest).setSizeBytes(content.length))
        .setChunkBytes(Sharing.CHUNK)
        .setChunkDigests(chunks.toByteString())
        .setMetadataDigest(SealedFile.named(SealedFile.sha256()))
        .build();
  }

  @Test
  void shouldThrowAwayWhatWasNotUsedForLongestAndNobodyUses() throws IOException {
    Holdings holdings = open(2L * SIZE);
    String inUse = held(holdings, 1);
    now += TimeUnit.SECONDS.toNanos(1);
    String cold = held(holdings, 2);
    now += TimeUnit.SECONDS.toNanos(1);
    String warm = held(holdings, 3);
    used.add(inUse);
    holdings.trim();
    assertTrue(holdings.find(cold).isPresent(), "used a moment ago");
    now += TimeUnit.MINUTES.toNanos(2);
    holdings.trim();
    assertFalse(holdings.find(cold).isPresent());
    assertFalse(Files.exists(local.image(cold)));
    assertFalse(Place.in(holdings.directory(), cold).isTaken());
    assertTrue(Files.exists(local.image(inUse)) && Files.exists(local.image(warm)));
    assertEquals(2L * SIZE, holdings.shown().getLocalBytes());
    assertEquals(3L * SIZE, holdings.shown().getInBulk().getBytes(), "counts stay");
  }

  @Test
  void shouldKnowPartsAfterARestartButNotAfterAnotherBoot() throws IOException {
    String digest = held(open(Long.MAX_VALUE), 4);
    Holdings again = open(Long.MAX_VALUE);
    LayerParts parts = again.find(digest).orElseThrow().parts().orElseThrow();
    assertEquals(SIZE, parts.here());
    Files.writeString(directory.resolve("shared/boot"), "another");
    Held known = open(Long.MAX_VALUE).find(digest).orElseThrow();
    assertTrue(known.parts().isEmpty());
    assertFalse(Place.in(directory.resolve("shared"), digest).isTaken());
    assertTrue(Files.exists(local.image(digest)), "a whole image was flushed");
  }

  @Test
  void shouldReadDamagedFactsAnew() throws IOException {
    Holdings holdings = open(Long.MAX_VALUE);
    String digest = held(holdings, 5);
    Path facts = holdings.directory().resolve(digest.replace(':', '-') + ".layer");
    Files.write(facts, new byte[100]);
    assertTrue(open(Long.MAX_VALUE).find(digest).isEmpty());
  }

  @Test
  void shouldLeaveAloneWhatAnotherAttemptMade() throws IOException {
    Holdings holdings = open(Long.MAX_VALUE);
    byte[] content = new byte[SIZE];
    String digest = SealedFile.named(digesting(content));
    SharedLayer facts =
        facts(digest, content).toBuilder().addMetadataRuns(0).addMetadataRuns(1).build();
    Place place = Place.in(holdings.directory(), digest);
    InputStream late =
        new InputStream() {
          @Override
          public int read() throws IOException {
            made(place.attempt(), place, facts(digest, content), InputStream.nullInputStream());
            throw new IOException("it hung, and was given up");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            return read();
          }
        };
    assertThrows(IOException.class, () -> made(place.attempt(), place, facts, late));
    assertTrue(place.isTaken());
    try (var left = Files.list(holdings.directory())) {
      assertEquals(0, left.filter(file -> file.toString().endsWith(".new")).count());
    }
  }
}
