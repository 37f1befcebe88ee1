// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no sandbox could stand on is refused when it is imported, by name and with the fix. */
@Tag("root")
class ImportLimitsTest {

  private static final String FIX = "node.collapse-bytes";

  @TempDir private Path directory;
  private static ContainerNode node;

  @BeforeAll
  static void begin() {
    node = ContainerNode.configured(config -> TestNode.with(config, FIX, "0"));
  }

  @AfterAll
  static void end() {
    node.close();
  }

  private static Environment imported(ImportEnvironmentRequest.Builder request) {
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(request.build());
    return call.rest().getLast().getEnvironment();
  }

  private static ImportEnvironmentRequest.Builder named(String name) {
    return ImportEnvironmentRequest.newBuilder().setName(name);
  }

  private String image(String name, int layers, String user) throws Exception {
    Path layout = directory.resolve(name);
    Path script = Path.of(ImportLimitsTest.class.getResource("/images/tiny_image.py").toURI());
    Programs.run("python3", script.toString(), layout.toString(), Integer.toString(layers), user);
    return "oci:" + layout + ":image";
  }

  private static void assertTells(Failed refused, String field, String... words) {
    String message = String.valueOf(refused.getMessage());
    assertEquals(field, refused.detail().getField(), message);
    for (String word : words) {
      assertTrue(message.contains(word), message);
    }
  }

  @Test
  void shouldRefuseMoreLayersThanARootHasWhereTheyWouldCome() throws Exception {
    Environment most = imported(named("most").setImage(image("most", 128, "root")));
    assertEquals(128, most.getLayersCount());
    try (Box sandbox = Box.of(node.rpc(), "most")) {
      assertTells(
          refused(GrpcStatus.FAILED_PRECONDITION, () -> sandbox.seal("one-more")),
          "sandbox_id",
          FIX,
          "129");
    }
    String over = image("over", 129, "root");
    assertTells(
        refused(GrpcStatus.FAILED_PRECONDITION, () -> imported(named("over").setImage(over))),
        "image",
        FIX,
        "129");
    Path tree = Files.createDirectories(directory.resolve("tree/srv"));
    ImportEnvironmentRequest.Builder upper =
        named("upper").setKind(LayerKind.LAYER_KIND_TOOLKIT).setDirectory(tree.toString());
    assertTells(
        refused(GrpcStatus.FAILED_PRECONDITION, () -> imported(upper.clone().addOn("most:latest"))),
        "on",
        FIX);
    imported(upper);
    assertTells(
        refused(GrpcStatus.FAILED_PRECONDITION, ImportLimitsTest::createOnMostAndUpper),
        "layers",
        "129");
    assertNothingLeft();
  }

  private static void remove(String name) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Remove,
            RemoveEnvironmentRequest.newBuilder().setReference(name).build());
  }

  private static Path file(LayerInfo layer) {
    String name = layer.getDigest().replace(':', '-') + ".erofs";
    return node.node().directory().resolve("layers").resolve(name);
  }

  private static boolean isThere(LayerInfo layer) {
    return Files.exists(file(layer));
  }

  private static Object inode(LayerInfo layer) throws IOException {
    return Files.getAttribute(file(layer), "unix:ino");
  }

  /** Many layers, so that it takes a while to take them in. */
  @Test
  void shouldKeepTheLayersOfAnImportWhileAnotherNameOfThemIsRemoved() throws Exception {
    String image = image("same", 40, "root");
    Environment first = imported(named("first").setImage(image));
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(named("second").setImage(image).build());
    Object before = inode(first.getLayers(0));
    while (inode(first.getLayers(0)).equals(before)) {
      Thread.onSpinWait(); // until it is taken in once more
    }
    remove("first");
    Environment second = call.rest().getLast().getEnvironment();
    assertEquals(
        List.of(), second.getLayersList().stream().filter(layer -> !isThere(layer)).toList());
    remove("second");
    assertEquals(
        List.of(), second.getLayersList().stream().filter(ImportLimitsTest::isThere).toList());
  }

  private static void createOnMostAndUpper() {
    Box.of(node.rpc(), SandboxSpec.newBuilder().setEnvironment("most").addLayers("upper").build());
  }

  private static void assertNothingLeft() throws IOException {
    try (Stream<Path> work = Files.list(node.node().directory().resolve("imports"))) {
      assertEquals(0, work.count());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"no such user", "../../x\u001b[31m", "-u", "a/b"})
  void shouldRefuseAnImageWhoseUserIsNoneUnlessOneIsGiven(String user) throws Exception {
    String image = image("user", 1, user);
    assertTells(
        refused(GrpcStatus.INVALID_ARGUMENT, () -> imported(named("bad-user").setImage(image))),
        "image",
        "user");
    Environment made = imported(named("user").setImage(image).setUser("root").setReplace(true));
    assertEquals("root", made.getUser());
  }

  @Test
  void shouldNameAnEntryOfADirectoryThatNoLayerKeeps() throws IOException {
    Path tree = Files.createDirectories(directory.resolve("tree"));
    ImportEnvironmentRequest.Builder request = named("tree").setDirectory(tree.toString());
    Path owned = Files.writeString(tree.resolve("owned"), "x");
    for (String id : new String[] {"unix:uid", "unix:gid"}) {
      Files.setAttribute(owned, id, 65_536);
      Failed refused = refused(GrpcStatus.FAILED_PRECONDITION, () -> imported(request));
      assertTells(refused, "", "/owned", "65,535");
      Files.setAttribute(owned, id, 0);
    }
    for (boolean isDirectory : new boolean[] {true, false}) {
      Path entry = tree.resolve("n".repeat(255));
      Path _ = isDirectory ? Files.createDirectory(entry) : Files.createFile(entry);
      assertTells(
          refused(GrpcStatus.FAILED_PRECONDITION, () -> imported(request)), "", "/nnn", "254");
      Files.delete(entry);
    }
    imported(request);
  }

  @Test
  void shouldSayThatADirectoryIsALinkOrNone() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
    assertTells(
        refused(
            GrpcStatus.INVALID_ARGUMENT,
            () -> imported(named("link").setDirectory(link.toString()))),
        "directory",
        "symbolic link");
    assertTells(
        refused(
            GrpcStatus.INVALID_ARGUMENT, () -> imported(named("link").setDirectory("/etc/passwd"))),
        "directory",
        "no directory");
  }
}
