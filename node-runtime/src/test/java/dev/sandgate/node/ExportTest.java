// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.name;
import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Registry;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SnapshotNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.ExportedImage;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots as images of the OCI, judged by skopeo and umoci, which are not ours. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExportTest {

  /** A layer with what only the host can make: attributes, a capability, an access list, several names. */
  private static final String TOOLS =
      """
      import os, sys
      root = sys.argv[1]
      os.makedirs(root + "/opt/tools/deep/er")
      for name in ("a", "b", "c", "d"):
          open(root + "/opt/tools/" + name, "w").write(name)
      os.setxattr(root + "/opt/tools/a", "user.colour", bytes([0, 255, 10, 61]))
      os.setxattr(root + "/opt/tools/b", "security.capability",
                  bytes.fromhex("0100000200200000000000000000000000000000"))
      os.setxattr(root + "/opt/tools", "user.of.directory", b"x")
      acl = bytes.fromhex("0200000001000600ffffffff02000400e803000004000400ffffffff10000600ffffffff20000400ffffffff")
      os.setxattr(root + "/opt/tools/c", "system.posix_acl_access", acl)
      os.link(root + "/opt/tools/a", root + "/opt/tools/deep/er/a-again")
      os.symlink("b//c/", root + "/opt/tools/odd-link")
      os.utime(root + "/opt/tools/b", ns=(1, 1234567890123456789))
      os.chown(root + "/opt/tools/d", 65_535, 60_000)
      os.makedirs(root + "/opt/emptied/sub")
      open(root + "/opt/emptied/sub/file", "w").write("x")
      """;

  private static final String WORK =
      """
      echo changed > /opt/tools/c; rm -r /opt/emptied; mkdir /opt/emptied; echo new > /opt/emptied/new
      rm /etc/hosts; rm -r /opt/tools/deep; echo file > /opt/tools/deep
      mkdir -m 1777 /srv; cd /srv; echo 1 > one; ln one two; ln -s ../nowhere link; mkfifo -m 640 pipe
      n=$(printf 'n%.0s' $(seq 120)); mkdir $n; echo long > $n/$n; ln $n/$n third; ln -s /$n/$n/$n far
      echo é > ümläut; touch -d @1 old; chown 1000:7 old; chmod 6755 old; truncate -s 3M holes; echo end >> holes
      """;

  @TempDir private static Path directory;
  private SnapshotNode host;
  private String name;
  private Snapshot made;

  @BeforeAll
  void begin() throws IOException {
    host = new SnapshotNode();
    Path tree = Files.createDirectories(directory.resolve("tools"));
    Programs.run("python3", "-c", TOOLS, tree.toString());
    imported(
        ImportEnvironmentRequest.newBuilder()
            .setName("tools")
            .setKind(LayerKind.LAYER_KIND_TOOLKIT)
            .addOn("busybox")
            .setDirectory(tree.toString()));
    name = name();
    try (Box box = host.box("tools")) {
      box.says(WORK);
      box.seal(name + "-1");
    }
    try (Box box = host.box(name + "-1")) {
      box.says(
          "rm /srv/one; echo again > /opt/emptied/again; rm /opt/tools/deep; mkdir /opt/tools/deep");
      made = box.seal(name);
    }
  }

  @AfterAll
  void end() {
    host.close();
  }

  private Environment imported(ImportEnvironmentRequest.Builder request) {
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        host.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(request.build());
    return call.rest().getLast().getEnvironment();
  }

  private Answers<?, ExportEnvironmentResponse> asked(String reference, String push) {
    return host.rpc().stream(
        EnvironmentsGrpcClient.Export,
        ExportEnvironmentRequest.newBuilder().setReference(reference).setPush(push).build());
  }

  private ExportedImage exported(String reference, Path file) throws IOException {
    Answers<?, ExportEnvironmentResponse> call = asked(reference, "");
    ExportedImage image = ExportedImage.getDefaultInstance();
    try (OutputStream out = Files.newOutputStream(file)) {
      for (Optional<ExportEnvironmentResponse> next = call.next();
          next.isPresent();
          next = call.next()) {
        next.get().getData().writeTo(out);
        image = next.get().getImage();
      }
    }
    return image;
  }

  private String compared(String tree, Environment environment) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("unshare", "-m", "python3", resource("compare_trees.py")));
    command.addAll(List.of(tree.split(" ", -1)));
    for (LayerInfo layer : environment.getLayersList()) {
      command.add(image(layer).toString());
    }
    return Programs.run(command.toArray(String[]::new));
  }

  private Path image(LayerInfo layer) {
    String file = layer.getDigest().replace(':', '-') + ".erofs";
    return host.node().directory().resolve("layers").resolve(file);
  }

  private static String resource(String name) throws Exception {
    return Path.of(ExportTest.class.getResource("/images/" + name).toURI()).toString();
  }

  private long left() throws IOException {
    try (Stream<Path> files = Files.list(host.node().directory().resolve("exports"))) {
      return files.count();
    }
  }

  @Test
  void shouldGiveWhatSkopeoCopiesAndUmociUnpacksAlike() throws Exception {
    Path archive = directory.resolve("image.tar");
    ExportedImage image = exported(name, archive);
    assertEquals(4, image.getLayers());
    String told = Programs.run("skopeo", "inspect", "oci-archive:" + archive);
    assertTrue(told.contains(image.getDigest()) && told.contains("\"Os\": \"linux\""), told);
    Path layout = directory.resolve("layout");
    Programs.run(
        "skopeo",
        "--insecure-policy",
        "copy",
        "oci-archive:" + archive,
        "oci:" + layout + ":latest");
    Path bundle = directory.resolve("bundle");
    Programs.run("umoci", "unpack", "--image", layout + ":latest", bundle.toString());
    String compared = compared(bundle.resolve("rootfs").toString(), made.getEnvironment());
    assertTrue(compared.matches("\\d{2,} entries compared, 2 with several names\n"), compared);
    Path again = directory.resolve("again.tar");
    assertEquals(image, exported(name + ":latest", again));
    assertEquals(-1, Files.mismatch(archive, again), "the same bytes each time");
  }

  @Test
  void shouldTakeItsOwnExportsBackAsTheyWere() throws Exception {
    Path archive = directory.resolve("back.tar");
    exported(name, archive);
    Environment back =
        imported(
            ImportEnvironmentRequest.newBuilder()
                .setName("back")
                .setImage("oci-archive:" + archive));
    assertEquals(made.getEnvironment().getUser(), back.getUser());
    assertEquals(1, back.getLayersCount());
    String compared = compared("--image " + image(back.getLayers(0)), made.getEnvironment());
    assertTrue(compared.matches("\\d{2,} entries compared, 2 with several names\n"), compared);
    try (Box one = host.box(name);
        Box other = host.box("back")) {
      assertEquals(one.says(Box.MANIFEST), other.says(Box.MANIFEST));
      other.says("rm -r /srv");
      assertNotEquals(one.says(Box.MANIFEST), other.says(Box.MANIFEST));
    }
  }

  @Test
  void shouldSendItToARegistryOrLeaveNothing() throws Exception {
    String image;
    try (Registry registry = new Registry(directory.resolve("registry"))) {
      image = "docker://127.0.0.1:" + registry.port() + "/team/snap:v1";
      ExportedImage sent = asked(name, image).rest().getLast().getImage();
      String told = Programs.run("skopeo", "inspect", "--tls-verify=false", image);
      assertTrue(told.contains("sha256:") && sent.getLayers() == 4, told);
      Environment back =
          imported(ImportEnvironmentRequest.newBuilder().setName("r").setImage(image));
      String compared = compared("--image " + image(back.getLayers(0)), made.getEnvironment());
      assertTrue(compared.matches("\\d{2,} entries compared, 2 with several names\n"), compared);
    }
    assertEquals(0, left());
    Failed away = refused(GrpcStatus.FAILED_PRECONDITION, () -> asked(name, image).rest());
    assertTrue(String.valueOf(away.getMessage()).contains("skopeo"), away.getMessage());
    assertEquals(0, left());
    refused(GrpcStatus.INVALID_ARGUMENT, () -> asked(name, "dir:/etc").rest());
    refused(GrpcStatus.NOT_FOUND, () -> asked("nothing", "").rest());
  }

  @Test
  void shouldLetGoOfItsLayersWhenTheCallerLeaves() {
    String large = name();
    try (Box box = host.box("busybox")) {
      box.says("dd if=/dev/urandom of=/large bs=1M count=30");
      box.seal(large);
    }
    Answers<?, ExportEnvironmentResponse> call = asked(large, "");
    Optional<ExportEnvironmentResponse> next = call.next();
    while (next.isPresent() && next.get().getData().isEmpty()) {
      next = call.next();
    }
    assertTrue(next.isPresent(), "it has begun");
    call.cancel();
    host.remove(large);
    Eventually.holds("its layer goes", () -> mounts() == 0);
  }

  /** Images that this process has mounted. */
  private static long mounts() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(ExportTest::isMount).count();
    } catch (IOException e) {
      return -1;
    }
  }

  private static boolean isMount(Path descriptor) {
    try {
      return Files.isDirectory(descriptor) && Files.getFileStore(descriptor).type().equals("erofs");
    } catch (IOException gone) {
      return false;
    }
  }

  @Test
  void shouldRefuseWhatNoImageHoldsByName() throws IOException {
    String odd = name();
    try (Box box = host.box("busybox")) {
      box.says("mkdir /srv; echo > /srv/.wh.me");
      box.seal(odd);
    }
    Failed refused = refused(GrpcStatus.FAILED_PRECONDITION, () -> asked(odd, "").rest());
    assertTrue(String.valueOf(refused.getMessage()).contains("/srv/.wh.me"), refused.getMessage());
    host.remove(odd);
  }
}
