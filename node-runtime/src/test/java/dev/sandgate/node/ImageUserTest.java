// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Images;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerKind;
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
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who commands of an imported root run as: what nobody could run as is refused at the import. Needs root and skopeo. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ImageUserTest {

  private static final String PASSWD =
      """
      root:x:0:0:root:/root:/bin/sh
      app:x:1000:1001:app:/:/bin/sh
      short:x:1002:1002:/
      far:x:70000:0:far:/:/bin/sh
      """;

  @TempDir private static Path directory;
  private ContainerNode node;
  private Path root;

  @BeforeAll
  void begin() throws IOException {
    node = ContainerNode.configured(config -> config);
    root = tree("root", PASSWD, "root:x:0:\nstaff:x:50:\nextra:x:60:app\n");
  }

  @AfterAll
  void end() {
    node.close();
  }

  private static Path tree(String name, String passwd, String group) throws IOException {
    Path tree = directory.resolve(name);
    for (String place : List.of("bin", "etc", "lists")) {
      Files.createDirectories(tree.resolve(place));
    }
    Files.copy(Path.of("/bin/busybox"), tree.resolve("bin/busybox"));
    Files.createSymbolicLink(tree.resolve("bin/sh"), Path.of("busybox"));
    Files.createSymbolicLink(tree.resolve("bin/id"), Path.of("busybox"));
    if (!passwd.isEmpty()) {
      Files.writeString(tree.resolve("lists/passwd"), passwd);
      Files.createSymbolicLink(tree.resolve("etc/passwd"), Path.of("../lists/passwd"));
      Files.writeString(tree.resolve("etc/group"), group);
    }
    return tree;
  }

  private static String image(Path tree, String user) throws IOException {
    Path at = Files.createTempDirectory(directory, "image");
    Path tar = at.resolve("layer.tar");
    Programs.run("tar", "-C", tree.toString(), "-cf", tar.toString(), ".");
    String config = "{\"User\": \"" + user + "\"}";
    return Images.ofLayer(at.resolve("layout"), tar, "layer.v1.tar", tar, config);
  }

  private static ImportEnvironmentRequest.Builder named(String name) {
    return ImportEnvironmentRequest.newBuilder().setName(name).setReplace(true);
  }

  private Environment take(ImportEnvironmentRequest.Builder request) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(request.build());
    return call.rest().getLast().getEnvironment();
  }

  private void assertRefuses(
      ImportEnvironmentRequest.Builder request, String field, String... words) throws IOException {
    Failed refused = refused(GrpcStatus.INVALID_ARGUMENT, () -> take(request));
    String message = String.valueOf(refused.getMessage());
    assertEquals(field, refused.detail().getField(), message);
    for (String word : words) {
      assertTrue(message.contains(word), message);
    }
    try (Stream<Path> left = Files.list(node.node().directory().resolve("imports"))) {
      assertEquals(0, left.count());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nobody2, nobody2, /etc/passwd",
    "1000:nogroup, nogroup, /etc/group",
    "short, short, /etc/passwd",
    "far, far, /etc/passwd",
    "65536, 65536, '65,535'",
    "app:65536, 65536, '65,535'"
  })
  void shouldRefuseAUserThatTheImageLacks(String user, String name, String why) throws IOException {
    assertRefuses(named("none").setImage(image(root, user)), "image", name, why, "--user");
    Environment other = take(named("other").setImage(image(root, user)).setUser("app"));
    assertEquals("app", other.getUser());
  }

  @ParameterizedTest
  @ValueSource(strings = {"nobody2", "app:nogroup", "65536"})
  void shouldRefuseToImportForAUserThatTheRootLacks(String user) throws IOException {
    assertRefuses(named("none").setImage(image(root, "root")).setUser(user), "user", "--user");
    assertRefuses(named("none").setDirectory(root.toString()).setUser(user), "user", "--user");
    Path tar = directory.resolve("root.tar");
    Programs.run("tar", "-C", root.toString(), "-cf", tar.toString(), ".");
    assertRefuses(named("none").setTar(tar.toString()).setUser(user), "user", "--user");
    assertRefuses(named("none").setBuiltin("busybox").setUser(user), "user", "--user");
  }

  @ParameterizedTest
  @ValueSource(strings = {":staff", "app:", "app:st:aff", "-u:staff", "app:/"})
  void shouldRefuseToImportForWhatIsNoUser(String user) throws IOException {
    assertRefuses(named("none").setDirectory(root.toString()).setUser(user), "user");
  }

  @ParameterizedTest
  @CsvSource({
    "app, 1000 1001 60",
    "app:, 1000 1001 60",
    "app:staff, 1000 50",
    "1000:60, 1000 60",
    "1000:staff, 1000 50",
    "65535:65535, 65535 65535",
    "root:root, 0 0",
    ":staff, 0 50"
  })
  void shouldRunCommandsAsTheUserAndGroupOfTheImage(String user, String ids) throws IOException {
    take(named("runs").setImage(image(root, user)));
    try (Box box = of(SandboxSpec.newBuilder().setEnvironment("runs"))) {
      String said = box.says("id -u; id -G").replace('\n', ' ');
      assertEquals(ids, said);
    }
  }

  @Test
  void shouldRunAsRootWhereNoListIs() throws IOException {
    Path bare = tree("bare", "", "");
    take(named("bare").setImage(image(bare, "root:root")));
    try (Box box = of(SandboxSpec.newBuilder().setEnvironment("bare"))) {
      assertEquals("0\n0", box.says("id -u; id -G"));
    }
    assertRefuses(named("none").setImage(image(bare, "app")), "image", "/etc/passwd");
  }

  @Test
  void shouldRunAsTheUserAndGroupThatAreAskedFor() {
    Environment made = take(named("asked").setDirectory(root.toString()).setUser("app:staff"));
    assertEquals("app:staff", made.getUser());
    try (Box box = of(SandboxSpec.newBuilder().setEnvironment("asked"))) {
      assertEquals("1000\n50", box.says("id -u; id -G"));
    }
    try (Box box = of(SandboxSpec.newBuilder().setEnvironment("asked").setUser("app:60"))) {
      assertEquals("1000\n60", box.says("id -u; id -G"));
    }
  }

  @Test
  void shouldKeepInAStackTheUserOfWhatIsBeneath() throws IOException {
    take(named("base").setDirectory(root.toString()).setUser("app:staff"));
    Path tool = directory.resolve("tool");
    Files.createDirectories(tool.resolve("opt"));
    ImportEnvironmentRequest.Builder upper =
        named("upper").setKind(LayerKind.LAYER_KIND_TOOLKIT).addOn("base");
    assertEquals("app:staff", take(upper.clone().setImage(image(tool, ""))).getUser());
    assertEquals("app:staff", take(upper.clone().setDirectory(tool.toString())).getUser());
    assertEquals("app:50", take(upper.clone().setImage(image(tool, "app:50"))).getUser());
    Path lists = tree("lists", "root:x:0:0:root:/root:/bin/sh\n", "root:x:0:\n");
    assertRefuses(upper.clone().setDirectory(lists.toString()), "user", "app", "/etc/passwd");
  }

  private Box of(SandboxSpec.Builder spec) {
    return Box.of(node.rpc(), spec.build());
  }
}
