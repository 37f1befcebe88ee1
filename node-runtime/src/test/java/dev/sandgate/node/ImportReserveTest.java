// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Images;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SharingNodes;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What imports leave of a small disk, which is a file system of the test's own. Needs root. */
@Tag("root")
class ImportReserveTest {

  private static final String SETTING = "node.disk-reserve-bytes";
  private static final long MIB = 1 << 20;
  private static final long DISK = 192 * MIB;
  private static final long RESERVE = 64 * MIB;

  @TempDir private Path directory;
  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start(this::onItsOwnDisk);
  }

  private NodeConfig onItsOwnDisk(NodeConfig config) {
    Programs.run(
        "mount", "-t", "tmpfs", "-o", "size=" + DISK, "tmpfs", config.dataDirectory().toString());
    return TestNode.with(config, SETTING, Long.toString(RESERVE));
  }

  @AfterEach
  void end() {
    Programs.run("umount", "-l", node.directory().toString());
    node.close();
  }

  private static ImportEnvironmentRequest.Builder named(String name) {
    return ImportEnvironmentRequest.newBuilder().setName(name);
  }

  private void take(ImportEnvironmentRequest.Builder request) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(request.build());
    call.rest();
  }

  /** Two GiB of zeros in a file of two MiB. */
  private Path bomb() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    TarArchiveEntry entry = new TarArchiveEntry("zeros");
    entry.setSize(2048 * MIB);
    try (OutputStream gzip = new GZIPOutputStream(head)) {
      // Its content comes in members of their own.
      new TarArchiveOutputStream(gzip).putArchiveEntry(entry);
    }
    ByteArrayOutputStream member = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(member)) {
      gzip.write(new byte[(int) (64 * MIB)]);
    }
    Path file = directory.resolve("bomb.tar.gz");
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(head.toByteArray());
      for (int i = 0; i < 2048 / 64; i++) {
        out.write(member.toByteArray());
      }
    }
    return file;
  }

  private void assertStops(ImportEnvironmentRequest.Builder request) throws IOException {
    long free = Files.getFileStore(node.directory()).getUsableSpace();
    List<Path> before = kept();

    Failed failed = refused(GrpcStatus.RESOURCE_EXHAUSTED, () -> take(request));

    assertEquals(SETTING, failed.detail().getField(), failed.getMessage());
    assertEquals(before, kept());
    long left = Files.getFileStore(node.directory()).getUsableSpace();
    assertTrue(free - left < 4 * MIB, free + " free, afterwards " + left);
  }

  private List<Path> kept() throws IOException {
    try (Stream<Path> imports = Files.list(node.directory().resolve("imports"));
        Stream<Path> layers = Files.list(node.directory().resolve("layers"))) {
      return Stream.concat(imports, layers).sorted().toList();
    }
  }

  @Test
  void shouldStopAnArchiveThatGrowsIntoTheReserve() throws IOException {
    take(named("small").setBuiltin("busybox"));
    assertStops(named("bomb").setTar(bomb().toString()));
    take(named("other").setBuiltin("busybox"));
  }

  @Test
  void shouldRefuseATreeWhoseImageWouldReachIntoTheReserve() throws IOException {
    Path tree = Files.createDirectory(directory.resolve("tree"));
    try (RandomAccessFile large = new RandomAccessFile(tree.resolve("large").toFile(), "rw")) {
      large.setLength(130 * MIB);
    }
    assertStops(named("large").setDirectory(tree.toString()));
  }

  @Test
  void shouldStopAnImageWhoseLayersGrowIntoTheReserve() throws IOException {
    Path layer = bomb();
    String image =
        Images.ofLayer(directory.resolve("layout"), layer, "layer.v1.tar+gzip", layer, "{}");
    assertStops(named("image").setImage(image));
  }

  @Test
  void shouldBringNoSharedLayersIntoTheReserve() {
    try (SharingNodes sharing = new SharingNodes()) {
      ContainerNode maker = sharing.node();
      SharingNodes.imported(maker, "shared", sharing.tree("tree", 7));
      SharingNodes.share(maker, "shared");
      Map<String, String> settings = new HashMap<>();
      ContainerNode other = sharing.node(settings);
      settings.put(SETTING, Long.toString(1L << 55));
      other.node().restart();
      Failed failed =
          refused(GrpcStatus.RESOURCE_EXHAUSTED, () -> SharingNodes.pull(other, "shared"));
      assertEquals(SETTING, failed.detail().getField(), failed.getMessage());
      assertEquals(0, SharingNodes.figures(other).getInBulk().getBytes());
      assertEquals(0, SharingNodes.figures(other).getLocalBytes());
      settings.remove(SETTING);
      other.node().restart();
      SharingNodes.pull(other, "shared");
      assertEquals(
          SharingNodes.top(other, "shared").getSizeBytes(),
          SharingNodes.top(other, "shared").getLocalBytes());
    }
  }
}
