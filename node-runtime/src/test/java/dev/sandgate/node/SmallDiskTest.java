// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.Tars;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What imports and exports leave of a small ext4, which is the test's own. Needs root and a loop device. */
@Tag("root")
class SmallDiskTest {

  private static final String SETTING = "node.disk-reserve-bytes";
  private static final long MIB = 1 << 20;
  private static final int FILES = 3_000;

  @TempDir private Path directory;
  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start(this::onItsOwnDisk);
  }

  private NodeConfig onItsOwnDisk(NodeConfig config) {
    Path image = directory.resolve("disk");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(48 * MIB);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    Programs.run("mkfs.ext4", "-q", "-F", "-b", "4096", "-N", "16000", image.toString());
    Programs.run("mount", "-o", "loop", image.toString(), config.dataDirectory().toString());
    return TestNode.with(config, SETTING, Long.toString(16 * MIB));
  }

  @AfterEach
  void end() {
    Programs.run("umount", "-l", node.directory().toString());
    node.close();
  }

  /** Of names so long that an archive is several times as large as its image. */
  private Path manySmallFiles() throws IOException {
    Path tree = Files.createDirectories(directory.resolve("tree"));
    for (int i = 0; i < FILES; i++) {
      Files.writeString(tree.resolve("x".repeat(200) + i), "x");
    }
    return tree;
  }

  private void take(ImportEnvironmentRequest.Builder request) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(request.setName("taken").build());
    call.rest();
  }

  private void assertLeavesNothing(String place) throws IOException {
    try (var left = Files.list(node.directory().resolve(place))) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void shouldStopAnArchiveOfManyDirectoriesThatNoEntryDescribes() throws IOException {
    Tars tar = new Tars();
    for (int i = 0; i < 90; i++) {
      tar.file(i + "/d".repeat(100), "");
    }
    Path file = Files.write(directory.resolve("deep.tar"), tar.bytes());

    Failed failed =
        refused(
            GrpcStatus.RESOURCE_EXHAUSTED,
            () -> take(ImportEnvironmentRequest.newBuilder().setTar(file.toString())));

    assertEquals(SETTING, failed.detail().getField(), failed.getMessage());
    assertLeavesNothing("imports");
  }

  @Test
  void shouldSendNoImageWhoseArchivesWouldReachIntoTheReserve() throws IOException {
    take(ImportEnvironmentRequest.newBuilder().setDirectory(manySmallFiles().toString()));
    long left = Files.getFileStore(node.directory()).getUsableSpace() - (16 + 4) * MIB;
    Files.write(node.directory().resolve("filler"), new byte[(int) left]);
    ExportEnvironmentRequest push =
        ExportEnvironmentRequest.newBuilder()
            .setReference("taken")
            .setPush("docker://127.0.0.1:1/nobody/listens:there")
            .build();

    Failed failed =
        refused(
            GrpcStatus.RESOURCE_EXHAUSTED,
            () -> node.rpc().stream(EnvironmentsGrpcClient.Export, push).rest());

    assertEquals(SETTING, failed.detail().getField(), failed.getMessage());
    assertLeavesNothing("exports");
  }
}
