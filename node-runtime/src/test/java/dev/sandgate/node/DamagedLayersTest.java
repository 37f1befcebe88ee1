// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Images;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.Tars;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is wrong with a layer is told of the image, with the layer's digest. Needs root and skopeo. */
@Tag("root")
class DamagedLayersTest {

  private static final String PLAIN = "layer.v1.tar";

  private static TestNode node;
  @TempDir private Path directory;

  @BeforeAll
  static void begin() {
    node = TestNode.start();
  }

  @AfterAll
  static void end() {
    node.close();
  }

  private static byte[] two() {
    return new Tars().file("etc/first", "1").file("etc/second", "2").bytes();
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    }
    return bytes.toByteArray();
  }

  private static byte[] flipped(byte[] whole, int at) {
    byte[] damaged = whole.clone();
    damaged[at] ^= 1;
    return damaged;
  }

  /** Each name is short enough, what they lead to is not. */
  private static byte[] longWay() {
    String far = "d/".repeat(1_450);
    return new Tars().link("way", far).file("way/" + far + "f", "").bytes();
  }

  static Stream<Arguments> layers() throws IOException {
    byte[] cut = gzip(two());
    byte[] hugeWindow = HexFormat.of().parseHex("28b52ffd00a8010000");
    byte[] text = "no archive, just words\n".repeat(90).getBytes(StandardCharsets.UTF_8);
    return Stream.of(
        Arguments.of("rubbish", text, PLAIN, "no tar"),
        Arguments.of("a bit of a header", flipped(two(), 1024 + 108), PLAIN, "etc/first"),
        Arguments.of("cut tar", Arrays.copyOf(two(), 1024), PLAIN, "etc/first"),
        Arguments.of("cut gzip", Arrays.copyOf(cut, 60), PLAIN + "+gzip", "cut off"),
        Arguments.of("a bit of a gzip", flipped(cut, cut.length - 8), PLAIN + "+gzip", "damaged"),
        Arguments.of("window", hugeWindow, PLAIN + "+zstd", "memory"),
        Arguments.of("device", new Tars().device("etc/null").bytes(), PLAIN, "etc/null"),
        Arguments.of("leaves", new Tars().file("../out", "").bytes(), PLAIN, "../out"),
        Arguments.of("a long way", longWay(), PLAIN, "shorten"),
        Arguments.of("no whiteout", new Tars().file("etc/.wh.", "").bytes(), PLAIN, "etc/.wh."),
        Arguments.of("another", gzip(new Tars().file("a", "").bytes()), PLAIN + "+gzip", "digest"));
  }

  private static String digest(byte[] data) throws NoSuchAlgorithmException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(data);
    return "sha256:" + HexFormat.of().formatHex(digest);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("layers")
  void shouldTellOfTheImageAndItsLayer(String what, byte[] layer, String kind, String why)
      throws Exception {
    Path blob = Files.write(directory.resolve("blob"), layer);
    Path tar = kind.equals(PLAIN) ? blob : Files.write(directory.resolve("tar"), two());
    String image = Images.ofLayer(directory.resolve("layout"), blob, kind, tar, "{}");
    Failed failed = refused(GrpcStatus.INVALID_ARGUMENT, () -> take(image));
    String message = String.valueOf(failed.getMessage());
    assertEquals("image", failed.detail().getField(), message);
    String known = kind.equals(PLAIN) ? "diff_id " + digest(layer) : "layer " + digest(layer);
    assertTrue(message.contains(known), message);
    assertTrue(message.contains(why), message);
    try (Stream<Path> left = Files.list(node.directory().resolve("imports"))) {
      assertEquals(0, left.count(), what);
    }
  }

  private static void take(String image) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(ImportEnvironmentRequest.newBuilder().setName("damaged").setImage(image).build());
    call.rest();
  }
}
