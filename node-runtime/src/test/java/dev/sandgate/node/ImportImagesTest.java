// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Registry;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.LayerInfo;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images of the OCI become layers that show, file by file, what umoci, which is not ours, unpacks of them. */
@Tag("root")
class ImportImagesTest {

  @TempDir private static Path directory;
  private static Path layout;
  private static Path unpacked;

  @BeforeAll
  static void makeImage() throws Exception {
    Path tree = Files.createDirectories(directory.resolve("tree"));
    Files.createDirectories(tree.resolve("etc"));
    Files.createDirectories(tree.resolve("bin"));
    Files.writeString(
        tree.resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\nme:x:7:8::/:/bin/sh\n");
    Files.copy(Path.of("/bin/busybox"), tree.resolve("bin/busybox"));
    Files.createSymbolicLink(tree.resolve("bin/sh"), Path.of("busybox"));
    layout = directory.resolve("layout");
    Programs.run("python3", resource("make_image.py"), layout.toString(), tree.toString());
    Path bundle = directory.resolve("bundle");
    Programs.run("umoci", "unpack", "--image", layout + ":image", bundle.toString());
    unpacked = bundle.resolve("rootfs");
  }

  private static String resource(String name) throws Exception {
    return Path.of(ImportImagesTest.class.getResource("/images/" + name).toURI()).toString();
  }

  private static TestNode node(long collapseBytes) {
    return TestNode.start(
        config ->
            TestNode.with(
                TestNode.with(config, "backend.memory.layered", "true"),
                "node.collapse-bytes",
                Long.toString(collapseBytes)));
  }

  private static Environment imported(TestNode node, String name, String image) {
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.send(ImportEnvironmentRequest.newBuilder().setName(name).setImage(image).build());
    call.end();
    List<ImportProgress> steps = call.rest();
    assertTrue(steps.size() > 2, "it tells how it goes: " + steps);
    return steps.getLast().getEnvironment();
  }

  private static void assertShowsWhatUmociUnpacks(TestNode node, Environment made)
      throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of("unshare", "-m", "python3", resource("compare_view.py"), unpacked.toString()));
    for (LayerInfo layer : made.getLayersList()) {
      String file = layer.getDigest().replace(':', '-') + ".erofs";
      command.add(node.directory().resolve("layers").resolve(file).toString());
    }
    String told = Programs.run(command.toArray(String[]::new));
    assertTrue(told.matches("\\d\\d+ entries compared\n"), told);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100_000, 1L << 30})
  void shouldShowWhatAnotherToolUnpacksHoweverLayersAreCollapsed(long collapse) throws Exception {
    try (TestNode node = node(collapse)) {
      Environment made = imported(node, "image", "oci:" + layout + ":image");
      int layers = collapse == 0 ? 8 : collapse == 100_000 ? 3 : 1;
      assertEquals(layers, made.getLayersCount(), made.toString());
      assertEquals("7:8", made.getUser());
      assertShowsWhatUmociUnpacks(node, made);
    }
  }

  @Test
  void shouldTakeAnArchiveOfDockerSaveAndOneOfTheOci() throws Exception {
    try (TestNode node = node(1L << 30)) {
      for (String kind : List.of("docker-archive", "oci-archive")) {
        String archive = kind + ":" + directory.resolve(kind + ".tar");
        Programs.run("skopeo", "--insecure-policy", "copy", "oci:" + layout + ":image", archive);
        assertShowsWhatUmociUnpacks(node, imported(node, kind, archive));
      }
    }
  }

  @Test
  void shouldFetchFromARegistry() throws Exception {
    try (Registry registry = new Registry(directory.resolve("registry"));
        TestNode node = node(1L << 30)) {
      String image = "docker://127.0.0.1:" + registry.port() + "/team/image:v1";
      Programs.run(
          "skopeo",
          "--insecure-policy",
          "copy",
          "--dest-tls-verify=false",
          "oci:" + layout + ":image",
          image);
      assertShowsWhatUmociUnpacks(node, imported(node, "fetched", image));
      Failed missing =
          assertThrows(Failed.class, () -> imported(node, "other", image.replace("v1", "v2")));
      assertEquals(GrpcStatus.FAILED_PRECONDITION, missing.status());
      assertTrue(
          String.valueOf(missing.getMessage()).contains("manifest unknown"), missing.getMessage());
      assertNothingLeft(node, 1);
    }
  }

  @Test
  void shouldRefuseABlobThatIsNotWhatItsNameSays() throws Exception {
    Path damaged = directory.resolve("damaged");
    Programs.run("cp", "-r", layout.toString(), damaged.toString());
    Path largest;
    try (Stream<Path> blobs = Files.list(damaged.resolve("blobs/sha256"))) {
      largest = blobs.max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length())).get();
    }
    byte[] bytes = Files.readAllBytes(largest);
    bytes[bytes.length / 2] ^= 1;
    Files.write(largest, bytes);
    try (TestNode node = node(0)) {
      Failed refused =
          assertThrows(Failed.class, () -> imported(node, "damaged", "oci:" + damaged + ":image"));
      assertTrue(String.valueOf(refused.getMessage()).contains("igest"), refused.getMessage());
      assertNothingLeft(node, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "debian",
        "docker://",
        "docker://a|b/c:1",
        "dir:/etc",
        "containers-storage:x",
        "oci:relative:x",
        "docker-daemon:x",
        "oci:/a b",
        "--help"
      })
  void shouldRefuseWhatNamesNoImage(String image) {
    try (TestNode node = node(0)) {
      Failed refused = assertThrows(Failed.class, () -> imported(node, "x", image));
      assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
      assertEquals("image", refused.detail().getField());
    }
  }

  private static void assertNothingLeft(TestNode node, int layers) throws IOException {
    try (Stream<Path> work = Files.list(node.directory().resolve("imports"));
        Stream<Path> images = Files.list(node.directory().resolve("layers"))) {
      assertEquals(0, work.count());
      assertEquals(layers, images.count());
    }
  }
}
