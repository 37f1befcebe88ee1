// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SharingNodes.imported;
import static dev.sandgate.node.support.SharingNodes.pull;
import static dev.sandgate.node.support.SharingNodes.share;
import static dev.sandgate.node.support.SharingNodes.top;
import static dev.sandgate.node.support.SnapshotNode.name;
import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SharingNodes;
import dev.sandgate.node.support.StuckDirectory;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A shared directory on a file system whose server answers nothing any more. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedLayersStuckTest {

  private static final long PATIENCE_MILLIS = 3_000;
  private static final int CALLERS = 12;

  private final SharingNodes nodes = new SharingNodes();
  private ContainerNode maker;
  private ContainerNode user;
  private StuckDirectory stuck;
  private long seed;

  @BeforeAll
  void begin() throws IOException {
    stuck = new StuckDirectory(nodes.shared(), nodes.beside("seen"));
    maker = nodes.node();
    user =
        nodes.node(
            Map.of(
                "node.shared-layers",
                stuck.path().toString(),
                "node.shared-layers-timeout-ms",
                String.valueOf(PATIENCE_MILLIS)));
  }

  @AfterAll
  void end() {
    stuck.close();
    nodes.close();
  }

  private String shared() throws IOException {
    String name = name();
    Path tree = Files.createDirectories(nodes.beside("tree"));
    byte[] content = new byte[3 << 20];
    new java.util.Random(++seed).nextBytes(content);
    Files.write(tree.resolve("payload"), content);
    imported(maker, name, tree);
    share(maker, name);
    return name;
  }

  @Test
  void shouldAnswerEveryCallerInTimeAndGoOnWithWhatIsHere() throws IOException {
    String begun = shared();
    String other = shared();
    String sealed = name();
    try (Box living = Box.of(user.rpc(), begun)) {
      living.says("head -c 1000 /payload > /dev/null; echo new > /new");
      living.seal(sealed);
      stuck.stop();
      List<CompletableFuture<Long>> callers = refusedAtOnce(user, other);
      CompletableFuture<Failed> export = CompletableFuture.supplyAsync(() -> export(sealed));
      CompletableFuture<Failed> pulled =
          CompletableFuture.supplyAsync(
              () -> refused(GrpcStatus.UNAVAILABLE, () -> pull(user, sealed)));
      while (!export.isDone()) {
        long before = System.nanoTime();
        Box.of(user.rpc(), "busybox").close();
        assertTrue(millisSince(before) < PATIENCE_MILLIS / 2, "a create waited for the storage");
      }
      assertEquals("LAYERS_UNAVAILABLE", export.join().detail().getCode());
      assertEquals("LAYERS_UNAVAILABLE", pulled.join().detail().getCode());
      for (CompletableFuture<Long> caller : callers) {
        assertTrue(caller.join() < 2 * PATIENCE_MILLIS, "it was waited for " + caller.join());
      }
      coldReadFailsInTime(living);
      stuck.goOn();
      Eventually.holds(
          "all can be read again", () -> living.run("cat /payload").getExitCode() == 0);
    } finally {
      stuck.goOn();
    }
    Box.of(user.rpc(), other).close();
  }

  private static void coldReadFailsInTime(Box living) {
    long before = System.nanoTime();
    assertNotEquals(0, living.run("cat /payload > /dev/null").getExitCode());
    assertTrue(millisSince(before) < 2 * PATIENCE_MILLIS);
    assertEquals("new", living.says("cat /new"));
  }

  private Failed export(String reference) {
    return refused(
        GrpcStatus.UNAVAILABLE,
        () -> {
          var call = user.rpc().open(EnvironmentsGrpcClient.Export, 0);
          call.end(ExportEnvironmentRequest.newBuilder().setReference(reference).build());
          call.rest();
        });
  }

  /** How long each of some creates took to be refused, milliseconds. */
  private List<CompletableFuture<Long>> refusedAtOnce(ContainerNode node, String environment) {
    return IntStream.range(0, CALLERS)
        .mapToObj(
            _ ->
                CompletableFuture.supplyAsync(
                    () -> refusedAfter(node, environment), Thread::startVirtualThread))
        .toList();
  }

  private long refusedAfter(ContainerNode node, String environment) {
    long before = System.nanoTime();
    Failed failed = refused(GrpcStatus.UNAVAILABLE, () -> Box.of(node.rpc(), environment));
    assertEquals("LAYERS_UNAVAILABLE", failed.detail().getCode());
    assertEquals("node.shared-layers", failed.detail().getField());
    return millisSince(before);
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }

  @Test
  void shouldAnswerAllWhoWaitForOneLayerAtOnce() throws IOException {
    ContainerNode direct =
        nodes.node(Map.of("node.shared-layers-timeout-ms", String.valueOf(PATIENCE_MILLIS)));
    String name = shared();
    Path metadata = nodes.file(top(maker, name).getDigest(), ".metadata");
    Path kept = nodes.beside("kept");
    Files.move(metadata, kept);
    Programs.run("mkfifo", metadata.toString());
    try {
      for (CompletableFuture<Long> caller : refusedAtOnce(direct, name)) {
        assertTrue(caller.join() < 2 * PATIENCE_MILLIS, "it was waited for " + caller.join());
      }
    } finally {
      // Whoever waits for a writer gets one.
      try (RandomAccessFile writer = new RandomAccessFile(metadata.toFile(), "rw")) {
        Files.delete(metadata);
        writer.writeByte(0);
      }
      Files.move(kept, metadata);
    }
    Box.of(direct.rpc(), name).close();
  }
}
