// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Images;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.SharingNodes;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SessionsGrpcClient;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What commands begin with in sandboxes of an image: its configuration's variables and directory. Needs root and skopeo. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ImageConfigTest {

  private static final String CONFIG =
      """
      {"Env": ["PATH=/opt/bin:/bin", "GREETING=hello = you", "not.a.name=1", "LATE=1", "LATE=2"],
       "WorkingDir": "srv/work", "User": "root:root"}\
      """;
  private static final Map<String, String> ENV =
      Map.of("PATH", "/opt/bin:/bin", "GREETING", "hello = you", "LATE", "2");
  private static final String TELL = "echo $PATH $GREETING $LATE; pwd";
  private static final String TOLD = "/opt/bin:/bin hello = you 2\n/srv/work";

  @TempDir private static Path directory;
  private SharingNodes nodes;
  private ContainerNode node;

  @BeforeAll
  void begin() throws IOException {
    nodes = new SharingNodes();
    node = nodes.node();
    take(named("image").setImage(image("image", CONFIG)));
  }

  @AfterAll
  void end() {
    nodes.close();
  }

  private String image(String name, String config) throws IOException {
    Path root = directory.resolve(name);
    for (String place : List.of("bin", "etc", "srv/work", "opt/bin", "root")) {
      Files.createDirectories(root.resolve(place));
    }
    Files.copy(Path.of("/bin/busybox"), root.resolve("bin/busybox"));
    Files.createSymbolicLink(root.resolve("bin/sh"), Path.of("busybox"));
    Files.createSymbolicLink(root.resolve("srv/link"), Path.of("/srv/work"));
    Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    Path tar = directory.resolve(name + ".tar");
    Programs.run("tar", "-C", root.toString(), "-cf", tar.toString(), ".");
    return Images.ofLayer(directory.resolve(name + "-oci"), tar, "layer.v1.tar", tar, config);
  }

  private static ImportEnvironmentRequest.Builder named(String name) {
    return ImportEnvironmentRequest.newBuilder().setName(name);
  }

  private Environment take(ImportEnvironmentRequest.Builder request) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(request.build());
    return call.rest().getLast().getEnvironment();
  }

  private Box box(String environment) {
    return Box.of(node.rpc(), SandboxSpec.newBuilder().setEnvironment(environment).build());
  }

  private static String run(Box box, Command.Builder command) {
    RunExecRequest request =
        RunExecRequest.newBuilder().setSandboxId(box.id()).setCommand(command).build();
    return box.rpc().unary(ExecsGrpcClient.Run, request).getStdout().toStringUtf8().strip();
  }

  private static void assertHasIt(Environment environment) {
    assertEquals(ENV, environment.getEnvMap());
    assertEquals("/srv/work", environment.getCwd());
  }

  @Test
  void shouldBeginCommandsAsTheImageSaysUnlessTheySayOtherwise() {
    assertHasIt(SharingNodes.get(node, "image"));
    SandboxSpec spec =
        SandboxSpec.newBuilder().setEnvironment("image").putEnv("GREETING", "own").build();
    try (Box box = Box.of(node.rpc(), spec)) {
      assertEquals("/opt/bin:/bin own 2\n/srv/work", box.says(TELL));
      Command.Builder other = Command.newBuilder().setShell(TELL).putEnv("LATE", "3").setCwd("/");
      assertEquals("/opt/bin:/bin own 3\n/", run(box, other));
      String session =
          node.rpc()
              .unary(
                  SessionsGrpcClient.Open,
                  OpenSessionRequest.newBuilder().setSandboxId(box.id()).build())
              .getSessionId();
      assertEquals(
          "/opt/bin:/bin own 2\n/srv/work",
          run(box, Command.newBuilder().setShell(TELL).setSession(session)));
    }
    SandboxSpec elsewhere = SandboxSpec.newBuilder().setEnvironment("image").setCwd("/opt").build();
    try (Box box = Box.of(node.rpc(), elsewhere)) {
      assertEquals("/opt", box.says("pwd"));
    }
  }

  @Test
  void shouldKeepItOverARestart() {
    String id = box("image").id();
    node.node().restart();
    try (Box same = new Box(node.rpc(), id)) {
      assertEquals(TOLD, same.says(TELL));
      assertHasIt(SharingNodes.get(node, "image"));
      same.seal("sealed-later");
      assertHasIt(SharingNodes.get(node, "sealed-later"));
    }
    try (Box after = box("image")) {
      assertEquals(TOLD, after.says(TELL));
    }
  }

  @Test
  void shouldBeginInAStackAsItsLowestEnvironmentSays() throws IOException {
    Path tree = Files.createDirectories(directory.resolve("tool/opt"));
    Files.writeString(tree.resolve("tool"), "tool");
    ImportEnvironmentRequest.Builder tool =
        named("tool").setKind(LayerKind.LAYER_KIND_TOOLKIT).setDirectory(tree.getParent() + "");
    assertHasIt(take(tool.clone().setName("stacked").addOn("image")));
    String other = image("other", "{\"Env\": [\"GREETING=other\"], \"WorkingDir\": \"/opt\"}");
    ImportEnvironmentRequest.Builder upper =
        named("upper").setKind(LayerKind.LAYER_KIND_WORKSPACE).addOn("image").setImage(other);
    assertHasIt(take(upper));
    assertEquals(Map.of(), take(tool).getEnvMap());
    SandboxSpec layered =
        SandboxSpec.newBuilder().setEnvironment("image").addLayers("upper").build();
    try (Box box = Box.of(node.rpc(), layered)) {
      assertEquals(TOLD, box.says(TELL));
      box.seal("sealed");
    }
    assertHasIt(SharingNodes.get(node, "sealed"));
  }

  @Test
  void shouldGiveItAwayAndShareIt() throws IOException {
    Path archive = directory.resolve("exported.tar");
    try (OutputStream out = Files.newOutputStream(archive)) {
      List<ExportEnvironmentResponse> parts =
          node.rpc().stream(
                  EnvironmentsGrpcClient.Export,
                  ExportEnvironmentRequest.newBuilder().setReference("image").build())
              .rest();
      for (ExportEnvironmentResponse part : parts) {
        part.getData().writeTo(out);
      }
    }
    assertHasIt(take(named("back").setImage("oci-archive:" + archive)));
    SharingNodes.share(node, "image");
    ContainerNode other = nodes.node();
    assertHasIt(SharingNodes.get(other, "image"));
    SandboxSpec spec = SandboxSpec.newBuilder().setEnvironment("image").build();
    try (Box box = Box.of(other.rpc(), spec)) {
      assertEquals(TOLD, box.says(TELL));
    }
  }

  @Test
  void shouldBeginInADirectoryThatALinkOfTheImageLeadsTo() throws IOException {
    take(named("linked").setImage(image("linked", "{\"WorkingDir\": \"/srv/link\"}")));
    try (Box box = box("linked")) {
      assertEquals("/srv/work", box.says("pwd -P"));
    }
  }

  @Test
  void shouldBeginAtHomeWhereTheImageLacksItsDirectoryAndRefuseWhatNoCommandTakes()
      throws IOException {
    for (String place : List.of("/not/there", "/etc/passwd", "/bin/sh", "/etc/passwd/below")) {
      String name = "away" + place.replace('/', '-');
      take(named(name).setImage(image(name, "{\"WorkingDir\": \"" + place + "\"}")));
      try (Box box = box(name)) {
        assertEquals("/root", box.says("pwd"), place);
      }
    }
    String long32 = "x".repeat(33 << 10);
    String large = image("large", "{\"Env\": [\"A=" + long32 + "\"]}");
    refused(GrpcStatus.INVALID_ARGUMENT, () -> take(named("large").setImage(large)));
  }
}
