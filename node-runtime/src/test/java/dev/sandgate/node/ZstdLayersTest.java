// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Images;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images whose layers are compressed with zstd. Needs root and skopeo. */
@Tag("root")
class ZstdLayersTest {

  @TempDir private Path directory;
  private TestNode node;
  private Path tar;

  @BeforeEach
  void begin() throws IOException {
    node = TestNode.start();
    Path tree = Files.createDirectories(directory.resolve("tree"));
    byte[] noise = new byte[3 << 20];
    new Random(5).nextBytes(noise);
    Files.write(tree.resolve("noise"), noise);
    Files.writeString(tree.resolve("text"), "text\n".repeat(100_000));
    tar = directory.resolve("layer.tar");
    Programs.run("tar", "-C", tree.toString(), "-cf", tar.toString(), ".");
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Environment take(String name, Path blob, String kind) {
    String image = Images.ofLayer(directory.resolve(name), blob, kind, tar, "{}");
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(ImportEnvironmentRequest.newBuilder().setName(name).setImage(image).build());
    return call.rest().getLast().getEnvironment();
  }

  /** In several frames, as tools that pack in parallel write it. */
  private byte[] packed() throws IOException {
    byte[] plain = Files.readAllBytes(tar);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int from = 0; from < plain.length; from += 1 << 20) {
      byte[] part = Arrays.copyOfRange(plain, from, Math.min(plain.length, from + (1 << 20)));
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      try (OutputStream zstd = new ZstdCompressorOutputStream(frame)) {
        zstd.write(part);
      }
      all.writeBytes(frame.toByteArray());
    }
    return all.toByteArray();
  }

  @Test
  void shouldTakeThemAsIfTheyWereNotCompressed() throws IOException {
    Path blob = Files.write(directory.resolve("layer.zst"), packed());
    assertEquals(
        take("plain", tar, "layer.v1.tar").getDigest(),
        take("packed", blob, "layer.v1.tar+zstd").getDigest());
  }

  @Test
  void shouldRefuseOneThatIsCutOffOrNone() throws IOException {
    byte[] packed = packed();
    Path cut = Files.write(directory.resolve("cut"), Arrays.copyOf(packed, packed.length / 2));
    Path none = Files.writeString(directory.resolve("none"), "no zstd at all");
    for (Path bad : new Path[] {cut, none}) {
      Failed failed =
          refused(
              GrpcStatus.INVALID_ARGUMENT,
              () -> take("bad-" + bad.getFileName(), bad, "layer.v1.tar+zstd"));
      assertTrue(failed.detail().getField().matches("tar|image"), failed.getMessage());
    }
    try (var left = Files.list(node.directory().resolve("imports"))) {
      assertEquals(0, left.count());
    }
  }
}
