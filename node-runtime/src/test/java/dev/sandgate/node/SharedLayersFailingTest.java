// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SharingNodes.figures;
import static dev.sandgate.node.support.SharingNodes.get;
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
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SharingNodes;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.ShareEnvironmentRequest;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A shared directory that is damaged, away, full of others' names, or hangs. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedLayersFailingTest {

  private final SharingNodes nodes = new SharingNodes();
  private ContainerNode maker;
  private ContainerNode user;
  private Path tree;
  private long seed;

  @BeforeAll
  void begin() {
    maker = nodes.node();
    user = nodes.node(Map.of("node.shared-layers-timeout-ms", "1500"));
    tree = nodes.beside("small");
  }

  @AfterAll
  void end() {
    nodes.close();
  }

  /** Shares an environment that nothing else is like; the digest of its layer. */
  private String shared(String name) throws IOException {
    Files.createDirectories(tree);
    byte[] content = new byte[3 << 20];
    new java.util.Random(++seed).nextBytes(content);
    Files.write(tree.resolve("payload"), content);
    imported(maker, name, tree);
    share(maker, name);
    return top(maker, name).getDigest();
  }

  @Test
  void shouldRefuseATruncatedImageByItsNameAndMakeNothing() throws IOException {
    String name = name();
    String digest = shared(name);
    try (RandomAccessFile file =
        new RandomAccessFile(nodes.file(digest, ".erofs").toFile(), "rw")) {
      file.setLength(file.length() - 4096);
    }
    refusedByName(name, digest);
    share(maker, name);
    try (Box box = Box.of(user.rpc(), name)) {
      assertEquals(String.valueOf(3 << 20), box.says("wc -c < /payload"));
    }
  }

  @Test
  void shouldListWhatIsSharedWhateverElseIsThere() throws IOException {
    String name = name();
    Path names = nodes.file(shared(name), ".erofs").resolve("../../environments").normalize();
    Path own = names.resolve(".snapshot");
    Path snapshots = Files.createDirectories(own.resolve("a:b"));
    Path removed = Files.writeString(names.resolve(".nfs0001"), "rubbish");
    Path stray = Files.writeString(names.resolve("stray"), "rubbish");
    try {
      assertTrue(
          user
              .rpc()
              .unary(EnvironmentsGrpcClient.List, ListEnvironmentsRequest.getDefaultInstance())
              .getEnvironmentsList()
              .stream()
              .anyMatch(one -> one.getName().equals(name)));
    } finally {
      for (Path path : List.of(snapshots, own, removed, stray)) {
        Files.delete(path);
      }
    }
  }

  @Test
  void shouldRefuseDamagedFactsAndMetadataByTheLayersName() throws IOException {
    for (String suffix : new String[] {".layer", ".metadata"}) {
      String name = name();
      String digest = shared(name);
      flip(nodes.file(digest, suffix), 40);
      refusedByName(name, digest);
    }
  }

  @Test
  void shouldFindAChangedByteOnDemandAndInBulkAndRefuseTheLayerUntilItIsSharedAgain()
      throws IOException {
    String name = name();
    String digest = shared(name);
    Path image = nodes.file(digest, ".erofs");
    byte[] good = Files.readAllBytes(image);
    flip(image, good.length - (1 << 20));
    try (Box box = Box.of(user.rpc(), name)) {
      assertNotEquals(0, box.run("cat /payload > /dev/null").getExitCode());
      assertEquals("ok", box.says("echo ok"));
    }
    assertTrue(figures(user).getOnDemand().getDamaged() > 0);
    refusedByName(name, digest);
    Failed pulled = refused(GrpcStatus.FAILED_PRECONDITION, () -> pull(user, name));
    assertTrue(String.valueOf(pulled.getMessage()).contains(digest), pulled.getMessage());
    Files.delete(image);
    share(maker, name);
    try (Box box = Box.of(user.rpc(), name)) {
      box.says("cat /payload > /dev/null");
    }
    assertEquals(top(user, name).getSizeBytes(), pull(user, name).getLayers(1).getLocalBytes());
  }

  @Test
  void shouldFindAChangedByteInBulk() throws IOException {
    String name = name();
    String digest = shared(name);
    Path image = nodes.file(digest, ".erofs");
    flip(image, Files.size(image) - (1 << 20));
    Failed pulled = refused(GrpcStatus.FAILED_PRECONDITION, () -> pull(user, name));
    assertTrue(String.valueOf(pulled.getMessage()).contains(digest), pulled.getMessage());
    refusedByName(name, digest);
  }

  private void refusedByName(String name, String digest) {
    Failed failed = refused(GrpcStatus.FAILED_PRECONDITION, () -> Box.of(user.rpc(), name));
    assertTrue(String.valueOf(failed.getMessage()).contains(digest), failed.getMessage());
    assertEquals("FAILED_PRECONDITION", failed.detail().getCode());
    assertEquals(0, living(user));
  }

  private static int living(ContainerNode node) {
    return (int)
        node
            .rpc()
            .unary(SandboxesGrpcClient.List, ListSandboxesRequest.getDefaultInstance())
            .getSandboxesList()
            .stream()
            .filter(box -> box.getState().name().endsWith("RUNNING"))
            .count();
  }

  @Test
  void shouldNameTheSettingWhenTheDirectoryIsAwayAndGoOnWithWhatIsHere() throws IOException {
    String name = name();
    shared(name);
    String other = name();
    shared(other);
    try (Box living = Box.of(user.rpc(), name)) {
      living.says("head -c 1000000 /payload > /dev/null");
      Files.move(nodes.shared(), nodes.beside("away"));
      try {
        unavailable(() -> Box.of(user.rpc(), other));
        unavailable(() -> share(maker, name));
        assertEquals("0", living.says("head -c 1000000 /payload > /dev/null; echo $?"));
        assertNotEquals(0, living.run("cat /payload > /dev/null").getExitCode());
        assertTrue(figures(user).getFailure().contains("is not there"), figures(user).toString());
        assertTrue(
            user
                .rpc()
                .unary(EnvironmentsGrpcClient.List, ListEnvironmentsRequest.getDefaultInstance())
                .getEnvironmentsList()
                .stream()
                .anyMatch(one -> one.getName().equals("busybox")));
        Box.of(user.rpc(), "busybox").close();
      } finally {
        Files.move(nodes.beside("away"), nodes.shared());
      }
      living.says("cat /payload > /dev/null");
    }
    Box.of(user.rpc(), other).close();
  }

  private static void unavailable(Runnable call) {
    Failed failed = refused(GrpcStatus.UNAVAILABLE, call);
    assertEquals("LAYERS_UNAVAILABLE", failed.detail().getCode());
    assertEquals("node.shared-layers", failed.detail().getField());
    assertTrue(String.valueOf(failed.getMessage()).contains("node.shared-layers"));
  }

  @Test
  void shouldFailInTimeWhenTheDirectoryHangs() throws Exception {
    String name = name();
    String digest = shared(name);
    Path facts = nodes.file(digest, ".layer");
    Path kept = nodes.beside("kept");
    Files.move(facts, kept);
    fifo(facts);
    long begun = System.nanoTime();
    try {
      unavailable(() -> Box.of(user.rpc(), name));
      assertTrue(System.nanoTime() - begun < 10_000_000_000L, "it was waited for too long");
      Box.of(user.rpc(), "busybox").close();
    } finally {
      // Whoever waits for a writer gets one.
      try (RandomAccessFile writer = new RandomAccessFile(facts.toFile(), "rw")) {
        Files.delete(facts);
        writer.writeByte(0);
      }
      Files.move(kept, facts);
    }
    Box.of(user.rpc(), name).close();
  }

  private static void fifo(Path path) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder("mkfifo", path.toString()).start().waitFor());
  }

  @Test
  void shouldNameTheSettingWhenNothingCanBeWritten() throws IOException {
    String name = name();
    imported(maker, name, someTree());
    Path layers = nodes.shared().resolve("incoming");
    Path kept = nodes.beside("incoming");
    boolean there = Files.exists(layers);
    if (there) {
      Files.move(layers, kept);
    }
    Files.createFile(layers); // root may write anywhere but below a file
    try {
      unavailable(() -> share(maker, name));
    } finally {
      Files.delete(layers);
      if (there) {
        Files.move(kept, layers);
      }
    }
    share(maker, name);
    try (Stream<Path> left = Files.list(nodes.shared().resolve("incoming"))) {
      assertEquals(0, left.count());
    }
  }

  private Path someTree() throws IOException {
    Path some = Files.createDirectories(nodes.beside("some"));
    Files.writeString(some.resolve("word"), "w" + ++seed);
    return some;
  }

  @Test
  void shouldShareOneFileWhenTwoNodesMakeTheSameAtOnce() throws IOException {
    ContainerNode other = nodes.node();
    Path same = nodes.tree("same", 77);
    String name = name();
    CompletableFuture<?> first = CompletableFuture.runAsync(() -> makeAndShare(maker, name, same));
    CompletableFuture<?> second = CompletableFuture.runAsync(() -> makeAndShare(other, name, same));
    CompletableFuture.allOf(first, second).join();
    String digest = top(maker, name).getDigest();
    assertEquals(digest, top(other, name).getDigest());
    try (Stream<Path> files = Files.list(nodes.shared().resolve("layers"))) {
      String plain = digest.replace(':', '-');
      assertEquals(3, files.filter(f -> f.getFileName().toString().startsWith(plain)).count());
    }
    long before = figures(other).getWrittenBytes();
    share(other, name);
    assertEquals(before, figures(other).getWrittenBytes());
    try (Box box = Box.of(user.rpc(), name)) {
      assertEquals("1201", box.says("find /w -type f | wc -l"));
    }
    assertEquals(get(user, name).getDigest(), get(maker, name).getDigest());
  }

  private static void makeAndShare(ContainerNode node, String name, Path tree) {
    imported(node, name, tree);
    share(node, name);
  }

  @Test
  void shouldMoveASharedNameOnlyWhenToldAndLeaveSandboxesAndDigestsAlone() throws IOException {
    String name = name();
    shared(name);
    String before = get(user, name).getDigest();
    ContainerNode other = nodes.node();
    Path changed = Files.createDirectories(nodes.beside("changed"));
    Files.writeString(changed.resolve("payload"), "new");
    imported(other, name, changed);
    try (Box old = Box.of(user.rpc(), name)) {
      refused(GrpcStatus.ALREADY_EXISTS, () -> share(other, name));
      other
          .rpc()
          .unary(
              EnvironmentsGrpcClient.Share,
              ShareEnvironmentRequest.newBuilder().setReference(name).setReplace(true).build());
      assertNotEquals(before, get(user, name).getDigest());
      assertEquals(String.valueOf(3 << 20), old.says("wc -c < /payload"));
      old.reset();
      assertEquals(String.valueOf(3 << 20), old.says("wc -c < /payload"));
      try (Box young = Box.of(user.rpc(), name)) {
        assertEquals("new", young.says("cat /payload"));
      }
    }
    unshare(name);
    refused(GrpcStatus.NOT_FOUND, () -> get(user, name));
    refused(GrpcStatus.NOT_FOUND, () -> unshare(name));
    refused(GrpcStatus.NOT_FOUND, () -> unshare("../../" + name));
  }

  private void unshare(String name) {
    user.rpc()
        .unary(
            EnvironmentsGrpcClient.Unshare,
            UnshareEnvironmentRequest.newBuilder().setReference(name).build());
  }

  @Test
  void shouldShareASnapshotWithWhatWasSealed() throws IOException {
    String name = name();
    String sealed = name();
    shared(name);
    try (Box box = Box.of(maker.rpc(), name)) {
      box.says("echo deep > /deep; rm /payload");
      box.seal(sealed);
    }
    share(maker, sealed);
    try (Box box = Box.of(user.rpc(), sealed)) {
      assertEquals("deep", box.says("cat /deep; test ! -e /payload"));
      String further = name();
      box.says("echo er > /deeper");
      box.seal(further);
      share(user, further);
      try (Box back = Box.of(maker.rpc(), further)) {
        assertEquals("deep\ner", back.says("cat /deep /deeper"));
      }
    }
    pull(user, sealed);
    try (Box whole = Box.of(user.rpc(), sealed)) {
      assertEquals("deep", whole.says("cat /deep"));
    }
  }

  @Test
  void shouldSayThatANodeSharesNothing() {
    refused(
        GrpcStatus.FAILED_PRECONDITION,
        () -> {
          try (TestNode alone = TestNode.start()) {
            alone
                .rpc()
                .unary(
                    EnvironmentsGrpcClient.Share,
                    ShareEnvironmentRequest.newBuilder().setReference("x").build());
          }
        });
  }

  private static void flip(Path file, long at) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(at);
      int before = open.read();
      open.seek(at);
      open.write(before ^ 1);
    }
  }
}
