// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.name;
import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SnapshotNode;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.GetSnapshotRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.ListSnapshotsRequest;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What containers wrote, sealed and used. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContainerSnapshotsTest {

  private SnapshotNode host;

  @BeforeAll
  void begin() {
    host = new SnapshotNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  @Test
  void shouldNameAnEntryThatNoImageHolds() {
    String name = name();
    try (Box source = host.box("busybox")) {
      source.says("mkdir /w; touch /tmp/$(printf 'n%.0s' $(seq 255))");
      source.seal(name);
      source.says("touch /w/$(printf 'n%.0s' $(seq 255))");
      Failed refused = refused(GrpcStatus.FAILED_PRECONDITION, () -> source.seal(name + "-2"));
      assertTrue(String.valueOf(refused.getMessage()).contains("/w/nnn"), refused.getMessage());
    }
    host.remove(name);
  }

  @Test
  void shouldSealWhatWasWrittenWhileTheSourceGoesOn() throws IOException {
    String name = name();
    try (Box source = host.box("busybox")) {
      source.says(
          "echo 1 > /data; rm /etc/hosts; mkdir -p /work/d; dd if=/dev/zero of=/z bs=1M count=3");
      source.start("ticks", "while :; do echo t >> /ticks; done");
      Snapshot made =
          source.seal(CreateSnapshotRequest.newBuilder().setName(name).setAllowRunning(true));
      assertEquals(LayerKind.LAYER_KIND_SNAPSHOT, made.getEnvironment().getLayers(1).getKind());
      assertEquals(source.id(), made.getSandboxId());
      assertEquals("busybox:latest", made.getParentName());
      assertTrue(Files.size(host.image(made)) < 8 << 20, "more than the difference was kept");
      assertNotEquals(source.says("wc -c < /ticks"), source.says("sleep 0.1; wc -c < /ticks"));
      try (Box one = host.box(name);
          Box other = host.box(name + ":latest")) {
        assertEquals("1", one.says("cat /data; test ! -e /etc/hosts; test -d /work/d"));
        one.says("echo one > /data; rm -r /work");
        other.says("test -d /work/d; echo other >> /data");
        source.says("echo source > /data");
        assertEquals("one", one.says("cat /data"));
        assertEquals("1\nother", other.says("cat /data"));
      }
      try (Box later = host.box(name)) {
        assertEquals("1", later.says("cat /data"));
      }
    }
    host.remove(name);
    refused(GrpcStatus.NOT_FOUND, () -> host.box(name));
  }

  @Test
  void shouldKeepWhatAnEntryIs() {
    String name = name();
    String look =
        "cd /k; stat -c '%n %F %a %u %g %s %h %Y' f g l p sparse; stat -c '%F %a %u %g %Y' d .; readlink l; du -k sparse | cut -f1; sha256sum < sparse";
    try (Box source = host.box("busybox")) {
      source.says(
          """
          mkdir -m 2750 /k; cd /k; echo 1 > f; chmod 4711 f; chown 1000:65534 f; ln f g; ln -s /nowhere l; mkfifo p
          mkdir -m 1777 d; touch -d @1234567 f; truncate -s 5M sparse; echo end >> sparse; chown -h 7:8 l""");
      source.seal(CreateSnapshotRequest.newBuilder().setName(name));
      try (Box copy = host.box(name)) {
        assertEquals(
            source.says(look).replaceAll("(?m)^\\d+$", ""),
            copy.says(look).replaceAll("(?m)^\\d+$", ""));
      }
    }
    host.remove(name);
  }

  @Test
  void shouldChainAndTellTheHistory() {
    String base = name();
    String last = "busybox";
    for (int depth = 1; depth <= 4; depth++) {
      try (Box box = host.box(last)) {
        box.says(
            "echo %d >> /steps; echo %d > /only; rm -f /gone%d; touch /gone%d"
                .formatted(depth, depth, depth - 1, depth));
        last = base + "-" + depth;
        box.seal(last);
      }
    }
    try (Box box = host.box(last)) {
      assertEquals("1\n2\n3\n4\n4\n/gone4", box.says("cat /steps /only; ls /gone*"));
    }
    List<Snapshot> line =
        host.rpc()
            .unary(
                SnapshotsGrpcClient.History,
                GetSnapshotRequest.newBuilder().setReference(last).build())
            .getSnapshotsList();
    assertEquals(
        List.of(base + "-3:latest", base + "-2:latest", base + "-1:latest", "busybox:latest"),
        line.stream().map(Snapshot::getParentName).toList());
    for (int depth = 1; depth < 4; depth++) {
      String parent = base + "-" + depth;
      Failed kept = refused(GrpcStatus.FAILED_PRECONDITION, () -> host.remove(parent));
      assertTrue(String.valueOf(kept.getMessage()).contains(base + "-4:latest"), kept.getMessage());
      refused(
          GrpcStatus.FAILED_PRECONDITION,
          () ->
              host.rpc()
                  .unary(
                      EnvironmentsGrpcClient.Remove,
                      RemoveEnvironmentRequest.newBuilder().setReference(parent).build()));
    }
    for (int depth = 4; depth > 0; depth--) {
      host.remove(base + "-" + depth);
    }
  }

  @Test
  void shouldGoBackToWhatALayerBelowHadAndStillBeAnotherLayer() {
    String base = name();
    try (Box box = host.box("busybox")) {
      box.says("echo a > /f; touch -d @1000 /f /");
      box.seal(base + "-1");
    }
    try (Box box = host.box(base + "-1")) {
      box.says("rm /f; touch -d @1000 /");
      box.seal(base + "-2");
    }
    try (Box box = host.box(base + "-2")) {
      box.says("echo a > /f; touch -d @1000 /f /");
      box.seal(base + "-3");
    }
    try (Box box = host.box(base + "-3")) {
      assertEquals("a", box.says("cat /f"));
    }
    for (int depth = 3; depth > 0; depth--) {
      host.remove(base + "-" + depth);
    }
  }

  @Test
  void shouldNotRemoveWhatSandboxesUseAndNameThem() {
    String name = name();
    try (Box source = host.box("busybox")) {
      source.says("echo 1 > /f");
      source.seal(name);
    }
    try (Box user = host.box(name)) {
      Failed used = refused(GrpcStatus.FAILED_PRECONDITION, () -> host.remove(name));
      assertTrue(String.valueOf(used.getMessage()).contains(user.id()), used.getMessage());
    }
    host.remove(name);
  }

  @Test
  void shouldRefuseADamagedLayerAndMakeNothing() throws IOException {
    String name = name();
    Snapshot made;
    try (Box source = host.box("busybox")) {
      source.says("head -c 100000 /dev/urandom > /f; echo canary-of-the-test > /c");
      made = source.seal(name);
    }
    host.box(name).close();
    long at = indexOf(Files.readAllBytes(host.image(made)), "canary-of-the-test");
    flip(host.image(made), at);
    Failed refused = refused(GrpcStatus.FAILED_PRECONDITION, () -> host.box(name));
    assertTrue(
        String.valueOf(refused.getMessage())
            .contains(made.getEnvironment().getLayers(1).getDigest()));
    assertEquals(0, users(name));
    flip(host.image(made), at);
    host.box(name).close();
    host.node().restart();
    flip(host.image(made), at);
    refused(GrpcStatus.FAILED_PRECONDITION, () -> host.box(name));
    host.remove(name);
  }

  @Test
  void shouldRefuseADamagedLayerThatIsNoSnapshotByItsName(@TempDir Path directory)
      throws IOException {
    String name = name();
    Path tree = Files.createDirectory(directory.resolve("tree"));
    Files.writeString(tree.resolve("canary"), "canary-of-" + name);
    Environment made = imported(name, tree);
    String digest = made.getLayers(1).getDigest();
    Path image =
        host.node().directory().resolve("layers").resolve(digest.replace(':', '-') + ".erofs");
    long at = indexOf(Files.readAllBytes(image), "canary-of-" + name);
    host.box(name).close();
    flip(image, at);
    Failed refused = refused(GrpcStatus.FAILED_PRECONDITION, () -> host.box(name));
    assertTrue(String.valueOf(refused.getMessage()).contains(digest), refused.getMessage());
    assertEquals("environment", refused.detail().getField());
    assertEquals(0, users(name));
    flip(image, at);
    host.box(name).close();
    host.node().restart();
    flip(image, at);
    refused(GrpcStatus.FAILED_PRECONDITION, () -> host.box(name));
  }

  private Environment imported(String name, Path tree) {
    var call = host.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(
        ImportEnvironmentRequest.newBuilder()
            .setName(name)
            .setKind(LayerKind.LAYER_KIND_WORKSPACE)
            .addOn("busybox")
            .setDirectory(tree.toString())
            .build());
    return call.rest().getLast().getEnvironment();
  }

  private int users(String name) {
    return host.rpc()
        .unary(
            EnvironmentsGrpcClient.Get,
            GetEnvironmentRequest.newBuilder().setReference(name).build())
        .getSandboxes();
  }

  private static void flip(Path image, long at) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.seek(at);
      int old = file.read();
      file.seek(at);
      file.write(old ^ 1);
    }
  }

  private static int indexOf(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
  }

  @Test
  void shouldGiveManySandboxesOfOneSnapshotTheSameManifest() {
    String name = name();
    String expected;
    try (Box source = host.box("busybox")) {
      source.says(
          "cd /home; for i in $(seq 50); do echo $i > f$i; done; rm -r /var/log; mkdir -p a/b/c; ln -s f1 l");
      source.seal(name);
      expected = source.says(Box.MANIFEST);
    }
    List<Box> boxes =
        host.rpc().stream(
                SandboxesGrpcClient.CreateBatch,
                CreateSandboxBatchRequest.newBuilder()
                    .setCount(20)
                    .setSpec(SandboxSpec.newBuilder().setEnvironment(name).setUser("root"))
                    .build())
            .rest()
            .stream()
            .map(item -> new Box(host.rpc(), item.getSandbox().getSandboxId()))
            .toList();
    Set<String> seen = new HashSet<>();
    boxes.forEach(box -> seen.add(box.says(Box.MANIFEST)));
    boxes.getFirst().says("echo 2 > /home/f1");
    assertEquals(Set.of(expected), seen);
    assertNotEquals(expected, boxes.getFirst().says(Box.MANIFEST));
    boxes.forEach(Box::close);
    host.remove(name);
  }

  @Test
  void shouldRefuseATakenNameAndMoveItWhenAsked() {
    String name = name();
    try (Box source = host.box("busybox")) {
      source.says("echo 1 > /f");
      String first = source.seal(name).getEnvironment().getDigest();
      refused(GrpcStatus.ALREADY_EXISTS, () -> source.seal(name));
      try (Box old = host.box(name)) {
        source.says("echo 2 > /f");
        String second =
            source
                .seal(CreateSnapshotRequest.newBuilder().setName(name).setReplace(true))
                .getEnvironment()
                .getDigest();
        assertNotEquals(first, second);
        assertEquals("1", old.says("cat /f"));
        try (Box young = host.box(name)) {
          assertEquals("2", young.says("cat /f"));
        }
      }
      GetSnapshotRequest before =
          GetSnapshotRequest.newBuilder().setReference(name + "@" + first).build();
      assertEquals(
          first, host.rpc().unary(SnapshotsGrpcClient.Get, before).getEnvironment().getDigest());
    }
    host.remove(name);
  }

  @Test
  void shouldKeepSnapshotsOverARestartOfTheNode() {
    String name = name();
    Snapshot made;
    try (Box source = host.box("busybox")) {
      source.says("echo 1 > /f");
      made = source.seal(name);
    }
    host.node().restart();
    Snapshot found =
        host.rpc()
            .unary(
                SnapshotsGrpcClient.Get,
                GetSnapshotRequest.newBuilder().setReference(name).build());
    assertEquals(made.getManifestDigest(), found.getManifestDigest());
    assertTrue(
        host.rpc()
            .unary(SnapshotsGrpcClient.List, ListSnapshotsRequest.getDefaultInstance())
            .getSnapshotsList()
            .contains(found));
    try (Box copy = host.box(name)) {
      assertEquals("1", copy.says("cat /f"));
    }
    host.remove(name);
    assertFalse(Files.exists(host.image(made)));
  }

  @Test
  void shouldSayThatAnEnvironmentIsNoSnapshot() {
    refused(GrpcStatus.NOT_FOUND, () -> host.remove("busybox"));
    refused(
        GrpcStatus.NOT_FOUND,
        () ->
            host.rpc()
                .unary(
                    SnapshotsGrpcClient.Get,
                    GetSnapshotRequest.newBuilder().setReference("busybox").build()));
  }
}
