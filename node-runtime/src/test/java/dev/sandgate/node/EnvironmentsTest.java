// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.TestNode.request;
import static dev.sandgate.node.support.TestNode.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.MemoryBackend;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.Tars;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.ListEnvironmentsResponse;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.spi.Layer;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Importing environments with the real tools, stacking and removing them. */
@Tag("root")
class EnvironmentsTest {

  @TempDir private Path directory;
  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start(config -> TestNode.with(config, "backend.memory.layered", "true"));
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Environment importing(ImportEnvironmentRequest.Builder first, byte[] data) {
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.send(first.build());
    for (int i = 0; i < data.length; i += 60_000) {
      ByteString part = ByteString.copyFrom(data, i, Math.min(60_000, data.length - i));
      call.send(ImportEnvironmentRequest.newBuilder().setData(part).build());
    }
    call.end();
    List<ImportProgress> progress = call.rest();
    assertEquals(100, progress.getLast().getPercent());
    return progress.getLast().getEnvironment();
  }

  private Environment importing(ImportEnvironmentRequest.Builder first) {
    return importing(first, new byte[0]);
  }

  private static ImportEnvironmentRequest.Builder named(String name) {
    return ImportEnvironmentRequest.newBuilder().setName(name);
  }

  private Path tree(String... files) throws IOException {
    Path root = Files.createTempDirectory(directory, "tree");
    for (String file : files) {
      Path path = root.resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, file);
    }
    return root;
  }

  private long images() throws IOException {
    try (Stream<Path> files = Files.list(node.directory().resolve("layers"))) {
      return files.count();
    }
  }

  @Test
  void shouldMakeTheSameBusyboxEnvironmentEachTime() throws IOException {
    Environment first = importing(named("tiny").setBuiltin("busybox"));
    assertEquals("latest", first.getTag());
    assertEquals("user", first.getUser());
    assertEquals("builtin:busybox", first.getLayers(0).getSource());
    assertTrue(first.getLayers(0).getSizeBytes() > 500_000);
    Environment second = importing(named("tiny2").setBuiltin("busybox"));
    assertEquals(first.getLayers(0).getDigest(), second.getLayers(0).getDigest());
    assertEquals(1, images());
    assertEquals(first, importing(named("tiny").setBuiltin("busybox")));
    for (ImportEnvironmentRequest.Builder other :
        List.of(
            named("tiny").setBuiltin("busybox").setUser("root"),
            named("tiny").setDirectory(tree("etc/os").toString()))) {
      Failed taken = assertThrows(Failed.class, () -> importing(other));
      assertEquals(GrpcStatus.ALREADY_EXISTS, taken.status());
    }
    assertEquals(1, images());
    importing(named("tiny").setBuiltin("busybox").setReplace(true));
    assertEquals(
        2,
        node.rpc()
            .unary(EnvironmentsGrpcClient.List, ListEnvironmentsRequest.getDefaultInstance())
            .getEnvironmentsCount());
  }

  @Test
  void shouldStackBaseThenWorkspaceThenToolkits() throws IOException {
    importing(named("base").setDirectory(tree("etc/os").toString()));
    importing(
        named("tool")
            .setKind(LayerKind.LAYER_KIND_TOOLKIT)
            .setDirectory(tree("usr/local/bin/tool").toString()));
    Environment work =
        importing(
            named("work")
                .setKind(LayerKind.LAYER_KIND_WORKSPACE)
                .addOn("base")
                .addOn("tool")
                .setDirectory(tree("srv/code").toString()));
    assertEquals(
        List.of("base", "work", "tool"),
        work.getLayersList().stream().map(layer -> layer.getName()).toList());
    importing(
        named("more")
            .setKind(LayerKind.LAYER_KIND_TOOLKIT)
            .addOn("base")
            .setDirectory(tree("usr/local/bin/more").toString()));
    Sandbox made =
        node.rpc()
            .unary(
                SandboxesGrpcClient.Create,
                request().setSpec(spec().setEnvironment("work").addLayers("more")).build());
    List<Layer> layers =
        Objects.requireNonNull(MemoryBackend.SPECS.get(made.getSandboxId())).layers();
    assertEquals(4, layers.size());
    assertEquals(layers.stream().map(Layer::digest).toList(), made.getLayerDigestsList());
    assertTrue(layers.stream().allMatch(layer -> Files.exists(layer.image())));
    assertEquals("root", made.getSpec().getUser());
  }

  @Test
  void shouldFindByNameTagAndDigestAndNameWhatIsMissing() throws IOException {
    Environment made =
        importing(named("base").setTag("v1").setDirectory(tree("etc/os").toString()));
    for (String reference : List.of("base:v1", "base@" + made.getDigest())) {
      assertEquals(made, get(reference));
    }
    Failed missing =
        assertThrows(
            Failed.class,
            () ->
                node.rpc()
                    .unary(
                        SandboxesGrpcClient.Create,
                        request().setSpec(spec().setEnvironment("base")).build()));
    assertEquals(GrpcStatus.NOT_FOUND, missing.status());
    assertEquals("environment", missing.detail().getField());
    assertTrue(String.valueOf(missing.getMessage()).contains("base:v1"));
  }

  private Environment get(String reference) {
    return node.rpc()
        .unary(
            EnvironmentsGrpcClient.Get,
            GetEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  private void remove(String reference) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Remove,
            RemoveEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  @Test
  void shouldRemoveOnlyWhatNothingUses() throws IOException {
    importing(named("a").setDirectory(tree("etc/a").toString()));
    importing(
        named("b")
            .setKind(LayerKind.LAYER_KIND_TOOLKIT)
            .addOn("a")
            .setDirectory(tree("etc/b").toString()));
    String id =
        node.rpc()
            .unary(
                SandboxesGrpcClient.Create, request().setSpec(spec().setEnvironment("a")).build())
            .getSandboxId();
    assertEquals(1, get("a").getSandboxes());
    Failed used = assertThrows(Failed.class, () -> remove("a"));
    assertEquals(GrpcStatus.FAILED_PRECONDITION, used.status());
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete, DeleteSandboxRequest.newBuilder().setSandboxId(id).build());
    remove("a");
    assertEquals(2, images(), "b still stands on a's layer");
    remove("b");
    assertEquals(0, images());
  }

  @Test
  void shouldCountUseByNameAlsoOverARestart() throws IOException {
    Path same = tree("etc/same");
    Environment first = importing(named("one").setDirectory(same.toString()));
    Environment twin = importing(named("two").setDirectory(same.toString()));
    assertEquals(first.getDigest(), twin.getDigest());
    List<String> ids =
        Stream.of("one", "one:latest", "one@" + first.getDigest())
            .map(name -> request().setSpec(spec().setEnvironment(name)).build())
            .map(wanted -> node.rpc().unary(SandboxesGrpcClient.Create, wanted).getSandboxId())
            .toList();
    node.restart();
    assertEquals(3, get("one").getSandboxes());
    assertEquals(0, get("two").getSandboxes());
    remove("two");
    assertEquals(1, images());
    Failed used = assertThrows(Failed.class, () -> remove("one"));
    assertTrue(String.valueOf(used.getMessage()).contains("3 sandboxes use one:latest"));
    ids.forEach(
        id ->
            node.rpc()
                .unary(
                    SandboxesGrpcClient.Delete,
                    DeleteSandboxRequest.newBuilder().setSandboxId(id).build()));
    remove("one");
    assertEquals(0, images());
  }

  @Test
  void shouldKeepEnvironmentsOverARestart() throws IOException {
    Environment made = importing(named("kept").setDirectory(tree("etc/x").toString()));
    node.restart();
    assertEquals(made, get("kept"));
  }

  @Test
  void shouldRefuseATreeWhosePlacesAreLinks() throws IOException {
    Path root = tree("etc/x");
    Files.createSymbolicLink(root.resolve("dev"), Path.of("../../hostdev"));
    Failed unsafe =
        assertThrows(Failed.class, () -> importing(named("evil").setDirectory(root.toString())));
    assertEquals("ROOTFS_UNSAFE", unsafe.detail().getCode());
    assertTrue(String.valueOf(unsafe.getMessage()).contains("/dev"));
    assertEquals(0, images());
  }

  @Test
  void shouldUnpackAnUploadedArchive() throws IOException {
    byte[] tar =
        new Tars()
            .directory("etc")
            .file("etc/passwd", "root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n")
            .link("etc/link", "/etc/passwd")
            .hardLink("etc/again", "etc/passwd")
            .file("big", "x".repeat(300_000))
            .bytes();
    Environment made = importing(named("up").setUpload(true), tar);
    assertEquals("user", made.getUser());
    Path file = directory.resolve("a.tar");
    Files.write(file, tar);
    Environment same = importing(named("file").setTar(file.toString()));
    assertEquals(made.getLayers(0).getDigest(), same.getLayers(0).getDigest());
    assertNotEquals(made.getName(), same.getName());
  }

  @Test
  void shouldMakeNothingOnWhatWasRemovedMeanwhile() throws IOException {
    importing(named("ground").setDirectory(tree("a").toString()));
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.send(
        named("upon")
            .setUpload(true)
            .setKind(LayerKind.LAYER_KIND_WORKSPACE)
            .addOn("ground")
            .build());
    assertTrue(call.next().isPresent());
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Remove,
            RemoveEnvironmentRequest.newBuilder().setReference("ground").build());
    call.end(
        ImportEnvironmentRequest.newBuilder()
            .setData(ByteString.copyFrom(new Tars().file("b", "b").bytes()))
            .build());
    Failed failed = assertThrows(Failed.class, call::rest);
    assertEquals("FAILED_PRECONDITION", failed.detail().getCode());
    assertEquals("on", failed.detail().getField());
    assertEquals(0, all(100).size());
  }

  @Test
  void shouldListPageByPage() throws IOException {
    for (String name : List.of("c", "a", "b", "e", "d")) {
      importing(named(name).setDirectory(tree(name).toString()));
    }
    assertEquals(List.of("a", "b", "c", "d", "e"), all(2));
    assertEquals(List.of("a", "b", "c", "d", "e"), all(5));
  }

  private List<String> all(int pageSize) {
    List<String> names = new ArrayList<>();
    String token = "";
    do {
      ListEnvironmentsResponse page =
          node.rpc()
              .unary(
                  EnvironmentsGrpcClient.List,
                  ListEnvironmentsRequest.newBuilder()
                      .setPageSize(pageSize)
                      .setPageToken(token)
                      .build());
      page.getEnvironmentsList().forEach(one -> names.add(one.getName()));
      assertTrue(page.getEnvironmentsCount() <= pageSize);
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return names;
  }

  @Test
  void shouldTakeNoNameThatBeginsADigest() {
    Failed failed =
        assertThrows(Failed.class, () -> importing(named("sha256").setBuiltin("busybox")));
    assertEquals("name", failed.detail().getField());
  }

  @Test
  void shouldRemoveAnImageThatAKilledRunLeftWithoutAName() throws IOException {
    importing(named("kept").setDirectory(tree("a").toString()));
    Path left = node.directory().resolve("layers/sha256-" + "ab".repeat(32) + ".erofs");
    Files.writeString(left, "left");
    long before = images();
    node.restart();
    assertTrue(Files.notExists(left));
    assertEquals(before - 1, images());
    assertEquals(List.of("kept"), all(100));
  }

  static Stream<Tars> attacks() {
    return Stream.of(
        new Tars().file("../../x", "x"),
        new Tars().file("/abs", "x"),
        new Tars().file("a/../../x", "x"),
        new Tars().link("l", "/").file("l/etc/x", "x"),
        new Tars().link("l", "/etc").link("d", "l").file("d/x", "x"),
        new Tars().hardLink("h", "/etc/shadow"),
        new Tars().hardLink("h", "../../etc/shadow"),
        new Tars().link("twice", "/etc/passwd").file("twice", "x"),
        new Tars().device("dev/null"),
        new Tars().pipe("pipe"),
        new Tars().file(".wh.gone", ""));
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("attacks")
  void shouldRefuseEntriesThatLeaveTheTree(Tars attack) throws IOException {
    Path canary = directory.resolve("canary");
    Files.writeString(canary, "here");
    Failed refused =
        assertThrows(Failed.class, () -> importing(named("evil").setUpload(true), attack.bytes()));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertTrue(String.valueOf(refused.getMessage()).contains(attack.last()), refused.getMessage());
    assertEquals(0, images());
    assertFalse(Files.exists(Path.of("/x")));
    try (Stream<Path> left = Files.list(node.directory().resolve("imports"))) {
      assertEquals(0, left.count(), "an unfinished import is left");
    }
  }
}
