// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.name;
import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SnapshotNode;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.SessionsGrpcClient;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotRules;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may be sealed of what containers wrote, and what is taken out before. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SnapshotPublishingTest {

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
  void shouldRefuseWhileSomethingRunsUnlessAskedToQuiesce() {
    String name = name();
    try (Box source = host.box("busybox")) {
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
    host.remove(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {".", "..", "sha256", "a:b"})
  void shouldRefuseANameOrTagThatIsNone(String bad) {
    try (Box source = host.box("busybox")) {
      var named = CreateSnapshotRequest.newBuilder().setName(bad);
      var tagged = CreateSnapshotRequest.newBuilder().setName("good").setTag(bad);
      Failed name = refused(GrpcStatus.INVALID_ARGUMENT, () -> source.seal(named));
      Failed tag = refused(GrpcStatus.INVALID_ARGUMENT, () -> source.seal(tagged));
      assertEquals(
          List.of("name", "tag"), List.of(name.detail().getField(), tag.detail().getField()));
    }
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
    try (Box source = host.box("busybox")) {
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
      assertEquals(-1, indexOf(Files.readAllBytes(host.image(made)), canary));
      try (Box copy = host.box(name)) {
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
          indexOf(Files.readAllBytes(host.image(whole)), canary) > 0,
          "the search finds nothing at all");
    }
    host.remove(name);
    host.remove(name + "-whole");
  }

  @Test
  void shouldPublishNothingThatBreaksARule() throws IOException {
    String name = name();
    try (Box source = host.box("busybox")) {
      source.says(
          "mkdir -p /opt/answers; echo 42 > /opt/answers/q1.key; head -c 1000000 /dev/zero > /big");
      Failed forbidden =
          broken(source, name, SnapshotRules.newBuilder().addForbiddenPaths("/opt/**/*.key"));
      assertTrue(
          String.valueOf(forbidden.getMessage()).contains("/opt/answers/q1.key"),
          forbidden.getMessage());
      Failed many = broken(source, name, SnapshotRules.newBuilder().setMaxEntries(3));
      assertEquals("rules.max_entries", many.detail().getField(), many.getMessage());
      source.says("truncate -s 1099511627776 /huge");
      Failed large = broken(source, name, SnapshotRules.newBuilder());
      assertTrue(String.valueOf(large.getMessage()).contains("/huge"), large.getMessage());
      assertEquals("rules.max_bytes", large.detail().getField(), large.getMessage());
      source.says("rm /huge");
      broken(source, name, SnapshotRules.newBuilder().setMaxBytes(999_999));
      source.says("rm -r /etc; ln -s /tmp /etc");
      Failed unsafe = broken(source, name, SnapshotRules.newBuilder());
      assertEquals("ROOTFS_UNSAFE", unsafe.detail().getCode());
    }
    refused(GrpcStatus.NOT_FOUND, () -> host.box(name));
    for (String left : List.of("snapshots", "backends/container/uppers/.staging")) {
      try (var entries = Files.list(host.node().directory().resolve(left))) {
        assertEquals(List.of(), entries.toList());
      }
    }
  }

  @Test
  void shouldRefuseByNameWhatHasALongNameThatIsNoAscii() {
    try (Box source = host.box("busybox")) {
      source.says(
          "cd /root; n=$(for i in $(seq 80); do printf \u4e2d; done);"
              + " for i in $(seq 11); do mkdir $n; cd $n; done; touch bad.key");
      Failed refused =
          broken(source, name(), SnapshotRules.newBuilder().addForbiddenPaths("/**/*.key"));
      assertEquals("rules.forbidden_paths", refused.detail().getField(), refused.getMessage());
      assertTrue(
          String.valueOf(refused.getMessage()).contains("/root/\u4e2d\u4e2d"),
          refused.getMessage());
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
