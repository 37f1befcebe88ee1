// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.RemoveSnapshotRequest;
import dev.sandgate.proto.v1.SessionsGrpcClient;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotRules;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What may be sealed of what containers wrote, and what is taken out before. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SnapshotPublishingTest {

  private ContainerNode host;

  @BeforeAll
  void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  private Box box(String environment) {
    return Box.of(host.rpc(), environment);
  }

  private static String name() {
    return "s-" + UUID.randomUUID().toString().substring(0, 8);
  }

  private Path image(Snapshot snapshot) {
    var layers = snapshot.getEnvironment().getLayersList();
    return host.node()
        .directory()
        .resolve("layers")
        .resolve(layers.getLast().getDigest().replace(':', '-') + ".erofs");
  }

  private void remove(String name) {
    host.rpc()
        .unary(
            SnapshotsGrpcClient.Remove,
            RemoveSnapshotRequest.newBuilder().setReference(name).build());
  }

  private static Failed refused(GrpcStatus status, Runnable call) {
    Failed failed = assertThrows(Failed.class, call::run);
    assertEquals(status, failed.status(), failed.getMessage());
    return failed;
  }

  @Test
  void shouldRefuseWhileSomethingRunsUnlessAskedToQuiesce() {
    String name = name();
    try (Box source = box("busybox")) {
      source.start("busy-one", "sleep 1000");
      source.says("true");
      Failed busy = refused(GrpcStatus.FAILED_PRECONDITION, () -> source.seal(name));
      assertTrue(String.valueOf(busy.getMessage()).contains("command busy-one"), busy.getMessage());
      source.reset();
      host.rpc()
          .unary(
              SessionsGrpcClient.Open,
              OpenSessionRequest.newBuilder()
                  .setSandboxId(source.id())
                  .setSessionId("open-one")
                  .build());
      Failed open = refused(GrpcStatus.FAILED_PRECONDITION, () -> source.seal(name));
      assertTrue(String.valueOf(open.getMessage()).contains("session open-one"), open.getMessage());
      source.seal(CreateSnapshotRequest.newBuilder().setName(name).setAllowRunning(true));
    }
    remove(name);
  }

  @Test
  void shouldTakeOutResidueEvenFromTheRawImage() throws IOException {
    String name = name();
    String canary = "canary-" + UUID.randomUUID();
    List<String> places =
        List.of(
            "/root/.bash_history",
            "/home/user/.python_history",
            "/root/.ssh/id_ed25519",
            "/home/user/.netrc",
            "/root/.git-credentials",
            "/root/.aws/credentials",
            "/root/.docker/config.json",
            "/tmp/deep/er/x",
            "/var/tmp/x",
            "/var/log/app/app.log",
            "/var/cache/apt/archives/x.deb",
            "/root/.cache/pip/x",
            "/answers/solution.txt",
            "/root/.pgpass",
            "/run/secret");
    try (Box source = box("busybox")) {
      places.forEach(
          place ->
              source.says("mkdir -p $(dirname %1$s); echo %2$s > %1$s".formatted(place, canary)));
      source.says(
          "echo //registry.npmjs.org/:_authToken=%s > /root/.npmrc; mkdir /srv".formatted(canary));
      source.says(
          "echo registry=https://npm.example > /srv/.npmrc; echo %s > /gone; rm /gone"
              .formatted(canary));
      source.says(
          "echo kept > /root/kept; echo h > /root/.ssh/x; head -c 3000000 /dev/urandom > /srv/big");
      Snapshot made =
          source.seal(
              CreateSnapshotRequest.newBuilder()
                  .setName(name)
                  .setRules(SnapshotRules.newBuilder().addScrubPaths("/answers")));
      assertTrue(made.getScrubbed() >= places.size(), made.toString());
      assertEquals(-1, indexOf(Files.readAllBytes(image(made)), canary));
      try (Box copy = box(name)) {
        for (String place : places) {
          copy.says("test ! -e " + place);
        }
        assertEquals(
            "kept",
            copy.says(
                "cat /root/kept; test -d /var/log/app; test -f /srv/.npmrc; test ! -e /root/.npmrc"));
      }
      Snapshot whole =
          source.seal(
              CreateSnapshotRequest.newBuilder()
                  .setName(name + "-whole")
                  .setRules(SnapshotRules.newBuilder().setKeepResidue(true)));
      assertTrue(
          indexOf(Files.readAllBytes(image(whole)), canary) > 0, "the search finds nothing at all");
    }
    remove(name);
    remove(name + "-whole");
  }

  @Test
  void shouldPublishNothingThatBreaksARule() throws IOException {
    String name = name();
    try (Box source = box("busybox")) {
      source.says(
          "mkdir -p /opt/answers; echo 42 > /opt/answers/q1.key; head -c 1000000 /dev/zero > /big");
      Failed forbidden =
          broken(source, name, SnapshotRules.newBuilder().addForbiddenPaths("/opt/**/*.key"));
      assertTrue(
          String.valueOf(forbidden.getMessage()).contains("/opt/answers/q1.key"),
          forbidden.getMessage());
      broken(source, name, SnapshotRules.newBuilder().setMaxEntries(3));
      source.says("truncate -s 1099511627776 /huge");
      Failed large = broken(source, name, SnapshotRules.newBuilder());
      assertTrue(String.valueOf(large.getMessage()).contains("/huge"), large.getMessage());
      source.says("rm /huge");
      broken(source, name, SnapshotRules.newBuilder().setMaxBytes(999_999));
      source.says("rm -r /etc; ln -s /tmp /etc");
      Failed unsafe = broken(source, name, SnapshotRules.newBuilder());
      assertEquals("ROOTFS_UNSAFE", unsafe.detail().getCode());
    }
    refused(GrpcStatus.NOT_FOUND, () -> box(name));
    for (String left : List.of("snapshots", "backends/container/uppers/.staging")) {
      try (var entries = Files.list(host.node().directory().resolve(left))) {
        assertEquals(List.of(), entries.toList());
      }
    }
  }

  private static Failed broken(Box source, String name, SnapshotRules.Builder rules) {
    return refused(
        GrpcStatus.FAILED_PRECONDITION,
        () -> source.seal(CreateSnapshotRequest.newBuilder().setName(name).setRules(rules)));
  }

  private static int indexOf(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
  }
}
