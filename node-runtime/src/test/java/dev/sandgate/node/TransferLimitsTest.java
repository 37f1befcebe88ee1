// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.Tars;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports and exports whose other side stands still. Needs root. */
@Tag("root")
class TransferLimitsTest {

  private static final String STALL = "node.transfer-stall-ms";
  private static final String EXPORTS = "node.exports-at-once";
  private static final String IMPORTS = "node.imports-at-once";
  private static final int WAITING = 4;

  @TempDir private Path directory;
  private TestNode node;

  @BeforeEach
  void begin() {
    node =
        TestNode.start(
            config ->
                TestNode.with(
                    TestNode.with(TestNode.with(config, STALL, "3000"), EXPORTS, "1"),
                    IMPORTS,
                    "1"));
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Answers<ImportEnvironmentRequest, ImportProgress> importing() {
    return node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
  }

  private static ImportEnvironmentRequest.Builder named(String name) {
    return ImportEnvironmentRequest.newBuilder().setName(name);
  }

  /** Large enough to be more than what is sent ahead. */
  private void makeLarge() throws IOException {
    byte[] bytes = new byte[8 << 20];
    new Random(1).nextBytes(bytes);
    Files.write(directory.resolve("random"), bytes);
    Answers<ImportEnvironmentRequest, ImportProgress> call = importing();
    call.end(named("large").setDirectory(directory.toString()).build());
    call.rest();
  }

  private Answers<?, ExportEnvironmentResponse> export() {
    return node.rpc().stream(
        EnvironmentsGrpcClient.Export,
        ExportEnvironmentRequest.newBuilder().setReference("large").build());
  }

  private static void ended(Runnable call, String why) {
    Failed ended = refused(GrpcStatus.DEADLINE_EXCEEDED, call);
    assertEquals(STALL, ended.detail().getField());
    assertTrue(String.valueOf(ended.getMessage()).contains(why), ended.getMessage());
  }

  @Test
  void shouldEndAnExportThatNobodyReadsAndGiveItsPlaceAway() throws IOException {
    makeLarge();
    Answers<?, ExportEnvironmentResponse> stuck = export();
    assertTrue(stuck.next().isPresent(), "it has begun");
    Answers<?, ExportEnvironmentResponse> second = export();
    assertEquals("waiting for one of 1 to end", second.next().orElseThrow().getPhase());
    assertTrue(second.rest().getLast().hasImage(), "it had its turn");
    ended(stuck::rest, "the caller took nothing");
  }

  @Test
  void shouldRefuseMoreExportsThanMayWait() throws IOException {
    makeLarge();
    Answers<?, ExportEnvironmentResponse> stuck = export();
    assertTrue(stuck.next().isPresent(), "it has begun");
    List<Answers<?, ExportEnvironmentResponse>> waiting = new ArrayList<>();
    for (int i = 0; i < WAITING; i++) {
      waiting.add(export());
      assertTrue(waiting.getLast().next().isPresent(), "it waits");
    }
    Failed refused = refused(GrpcStatus.RESOURCE_EXHAUSTED, () -> export().rest());
    assertEquals(EXPORTS, refused.detail().getField());
    assertTrue(String.valueOf(refused.getMessage()).contains("again later"), refused.getMessage());
    stuck.cancel();
    waiting.forEach(Answers::cancel);
    assertTrue(export().rest().getLast().hasImage(), "those that left are in nobody's way");
  }

  @Test
  void shouldEndAnUploadThatStandsStillAndGiveItsPlaceAway() {
    Answers<ImportEnvironmentRequest, ImportProgress> stuck = importing();
    stuck.send(named("stuck").setUpload(true).build());
    assertEquals("unpacking the archive", stuck.next().orElseThrow().getPhase());
    Answers<ImportEnvironmentRequest, ImportProgress> second = importing();
    second.end(named("second").setBuiltin("busybox").build());
    assertEquals("waiting for one of 1 to end", second.next().orElseThrow().getPhase());
    assertTrue(second.rest().getLast().hasEnvironment(), "it had its turn");
    ended(stuck::rest, "the caller sent nothing");
  }

  @Test
  void shouldRefuseMoreImportsThanMayWait() {
    List<Answers<ImportEnvironmentRequest, ImportProgress>> open = new ArrayList<>();
    for (int i = 0; i < 1 + WAITING; i++) {
      open.add(importing());
      open.getLast().send(named("stuck-" + i).setUpload(true).build());
      assertTrue(open.getLast().next().isPresent(), "it runs or waits");
    }
    Answers<ImportEnvironmentRequest, ImportProgress> more = importing();
    more.end(named("more").setBuiltin("busybox").build());
    Failed refused = refused(GrpcStatus.RESOURCE_EXHAUSTED, more::rest);
    assertEquals(IMPORTS, refused.detail().getField());
    open.forEach(Answers::cancel);
  }

  @Test
  void shouldNotCountItsOwnTimeAgainstAnUpload() {
    Answers<ImportEnvironmentRequest, ImportProgress> first = importing();
    first.send(named("first").setUpload(true).build());
    assertTrue(first.next().isPresent(), "it has begun");
    Answers<ImportEnvironmentRequest, ImportProgress> second = importing();
    byte[] tar = new Tars().file("file", "x").bytes();
    second.send(named("second").setUpload(true).build());
    second.end(
        ImportEnvironmentRequest.newBuilder()
            .setData(com.google.protobuf.ByteString.copyFrom(tar))
            .build());
    ended(first::rest, "the caller sent nothing");
    assertTrue(second.rest().getLast().hasEnvironment(), "it waited as long as the stall");
  }

  @Test
  void shouldEndATransferWhoseRegistrySaysNothing() throws IOException {
    makeLarge();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String image = "docker://127.0.0.1:" + silent.getLocalPort() + "/team/image:v1";
      Answers<ImportEnvironmentRequest, ImportProgress> call = importing();
      call.end(named("never").setImage(image).build());
      ended(call::rest, "the other side");
      Answers<?, ExportEnvironmentResponse> push =
          node.rpc().stream(
              EnvironmentsGrpcClient.Export,
              ExportEnvironmentRequest.newBuilder().setReference("large").setPush(image).build());
      ended(push::rest, "the other side");
    }
    Answers<ImportEnvironmentRequest, ImportProgress> next = importing();
    next.end(named("next").setBuiltin("busybox").build());
    assertEquals(Optional.of("next"), last(next));
  }

  private static Optional<String> last(Answers<ImportEnvironmentRequest, ImportProgress> call) {
    return Optional.of(call.rest().getLast().getEnvironment().getName());
  }
}
