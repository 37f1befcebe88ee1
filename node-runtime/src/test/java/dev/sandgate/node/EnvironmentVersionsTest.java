// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static dev.sandgate.node.support.TestNode.request;
import static dev.sandgate.node.support.TestNode.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.MemoryBackend;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentHistoryRequest;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.EnvironmentVersion;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.ListEnvironmentLocksRequest;
import dev.sandgate.proto.v1.LockEnvironmentRequest;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.UnlockEnvironmentRequest;
import dev.sandgate.spi.Layer;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What names stood for before they were moved, and locks of jobs. */
@Tag("root")
class EnvironmentVersionsTest {

  @TempDir private Path directory;
  private TestNode node = start("0");

  private static TestNode start(String keepSeconds) {
    return TestNode.start(
        config ->
            TestNode.with(
                TestNode.with(config, "backend.memory.layered", "true"),
                "node.keep-replaced-seconds",
                keepSeconds));
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Environment imported(String name, LayerKind kind, String content) throws IOException {
    Path root = Files.createTempDirectory(directory, "tree");
    Path file = Files.createDirectories(root.resolve("srv")).resolve(name);
    Files.writeString(file, content);
    for (Path entry : List.of(file, root.resolve("srv"), root)) {
      Files.setLastModifiedTime(entry, FileTime.fromMillis(0));
    }
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(
        ImportEnvironmentRequest.newBuilder()
            .setName(name)
            .setKind(kind)
            .setDirectory(root.toString())
            .setReplace(true)
            .build());
    return call.rest().getLast().getEnvironment();
  }

  private Environment base(String content) throws IOException {
    return imported("base", LayerKind.LAYER_KIND_BASE, content);
  }

  private Sandbox create(SandboxSpec.Builder spec) {
    return node.rpc().unary(SandboxesGrpcClient.Create, request().setSpec(spec).build());
  }

  private String digestOf(String environment, String job) {
    Sandbox made = create(spec().setEnvironment(environment).putLabels("job", job));
    delete(made);
    return made.getEnvironmentDigest();
  }

  private void delete(Sandbox sandbox) {
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete,
            DeleteSandboxRequest.newBuilder().setSandboxId(sandbox.getSandboxId()).build());
  }

  private List<EnvironmentVersion> history(String reference) {
    return node.rpc()
        .unary(
            EnvironmentsGrpcClient.History,
            EnvironmentHistoryRequest.newBuilder().setReference(reference).build())
        .getVersionsList();
  }

  private EnvironmentLock lock(String job, String reference) {
    return node.rpc()
        .unary(
            EnvironmentsGrpcClient.Lock,
            LockEnvironmentRequest.newBuilder().setJob(job).setReference(reference).build());
  }

  private int unlock(String job, String reference) {
    return node.rpc()
        .unary(
            EnvironmentsGrpcClient.Unlock,
            UnlockEnvironmentRequest.newBuilder().setJob(job).setReference(reference).build())
        .getReleased();
  }

  private void remove(String reference) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Remove,
            RemoveEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  private Set<String> images() {
    try (Stream<Path> files = Files.list(node.directory().resolve("layers"))) {
      return new HashSet<>(files.map(file -> file.getFileName().toString()).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> digests(List<EnvironmentVersion> versions) {
    return versions.stream().map(version -> version.getEnvironment().getDigest()).toList();
  }

  @Test
  void shouldTellWhatANameStoodForAlsoOverARestart() throws IOException {
    String first = base("1").getDigest();
    String second = base("2").getDigest();
    base("2");
    String third = base("3").getDigest();
    node.restart();
    List<EnvironmentVersion> versions = history("base");
    assertEquals(List.of(third, second, first), digests(versions));
    assertFalse(versions.getFirst().hasReplacedAt());
    assertTrue(versions.getFirst().getUsable());
    assertEquals(
        versions.get(1).getReplacedAt(), versions.getFirst().getEnvironment().getCreatedAt());
    assertTrue(
        versions.get(2).getReplacedAt().getSeconds()
            >= versions.get(2).getEnvironment().getCreatedAt().getSeconds());
    assertEquals(versions, history("base:latest"));
    refused(GrpcStatus.NOT_FOUND, () -> history("other"));
  }

  @Test
  void shouldKeepByDigestWhatIsInUseAndLetItGoAfterwards() throws IOException {
    String old = base("1").getDigest();
    Sandbox user = create(spec().setEnvironment("base"));
    assertEquals(old, user.getEnvironmentDigest());
    String now = base("2").getDigest();
    assertNotEquals(old, now);
    node.restart();
    for (String reference : List.of("base@" + old, "base:latest@" + old, old)) {
      Sandbox again = create(spec().setEnvironment(reference));
      assertEquals(user.getLayerDigestsList(), again.getLayerDigestsList());
      delete(again);
    }
    Failed used = refused(GrpcStatus.FAILED_PRECONDITION, () -> remove("base@" + old));
    assertTrue(String.valueOf(used.getMessage()).contains(user.getSandboxId()), used.getMessage());
    assertEquals(now, create(spec().setEnvironment("base")).getEnvironmentDigest());
    assertEquals(2, images().size());
    delete(user);
    Eventually.holds("the old version goes", () -> !history("base").get(1).getUsable());
    Eventually.holds("its layer goes", () -> images().size() == 1);
    assertEquals(List.of(now, old), digests(history("base")));
    refused(GrpcStatus.NOT_FOUND, () -> create(spec().setEnvironment("base@" + old)));
  }

  @Test
  void shouldKeepWhatWasReplacedForItsTimeToGoBackToIt() throws IOException {
    node.close();
    node = start("3600");
    String old = base("1").getDigest();
    base("2");
    node.restart();
    assertEquals(old, digestOf("base@" + old, "x"));
    assertEquals(old, base("1").getDigest());
    remove("base");
    assertEquals(Set.of(), images());
    refused(GrpcStatus.NOT_FOUND, () -> history("base"));
  }

  @Test
  void shouldGiveALockedJobWhatItLockedUntilItIsReleased() throws IOException {
    String old = base("1").getDigest();
    EnvironmentLock lock = lock("train-7", "base");
    assertEquals(
        "base:latest " + old, lock.getName() + ":" + lock.getTag() + " " + lock.getDigest());
    String now = base("2").getDigest();
    assertEquals(old, digestOf("base", "train-7"));
    assertEquals(now, digestOf("base", "train-8"));
    assertEquals(lock, lock("train-7", "base:latest"), "locking again changes nothing");
    node.restart();
    assertEquals(old, digestOf("base:latest", "train-7"));
    assertEquals(
        List.of(lock),
        node.rpc()
            .unary(
                EnvironmentsGrpcClient.ListLocks, ListEnvironmentLocksRequest.getDefaultInstance())
            .getLocksList());
    Failed kept = refused(GrpcStatus.FAILED_PRECONDITION, () -> remove("base@" + old));
    assertTrue(String.valueOf(kept.getMessage()).contains("train-7"), kept.getMessage());
    assertEquals(0, unlock("train-7", "other"));
    assertEquals(1, unlock("train-7", ""));
    assertEquals(now, digestOf("base", "train-7"));
    Eventually.holds("the old version goes", () -> !history("base").get(1).getUsable());
    refused(GrpcStatus.NOT_FOUND, () -> lock("train-7", "nothing"));
    refused(GrpcStatus.INVALID_ARGUMENT, () -> lock("", "base"));
    refused(GrpcStatus.INVALID_ARGUMENT, () -> lock("j", "base@" + now));
  }

  @Test
  void shouldLockFurtherLayersToo() throws IOException {
    base("1");
    Environment old = imported("tool", LayerKind.LAYER_KIND_TOOLKIT, "1");
    lock("job", "tool");
    Environment young = imported("tool", LayerKind.LAYER_KIND_TOOLKIT, "2");
    for (Environment tool : List.of(old, young)) {
      Sandbox made =
          create(
              spec()
                  .setEnvironment("base")
                  .addLayers("tool")
                  .putLabels("job", tool.equals(old) ? "job" : "another"));
      assertEquals(tool.getLayers(0).getDigest(), made.getLayerDigests(1));
    }
  }

  @Test
  void shouldBuildOneLayerForOneChangedToolkitThatAThousandSpecsName() throws IOException {
    base("base");
    String before = imported("tool", LayerKind.LAYER_KIND_TOOLKIT, "1").getLayers(0).getDigest();
    for (int i = 0; i < 20; i++) {
      imported("work" + i, LayerKind.LAYER_KIND_WORKSPACE, "work " + i);
    }
    List<SandboxSpec.Builder> specs =
        Stream.iterate(0, i -> i + 1)
            .limit(1_000)
            .map(
                i ->
                    spec()
                        .setEnvironment("base")
                        .addLayers("work" + i % 20)
                        .addLayers("tool")
                        .putLabels("task", "t" + i))
            .toList();
    Sandbox running = create(specs.getFirst());
    Set<String> images = images();
    String after = imported("tool", LayerKind.LAYER_KIND_TOOLKIT, "2").getLayers(0).getDigest();
    Set<String> built = images();
    built.removeAll(images);
    assertEquals(Set.of(after.replace(':', '-') + ".erofs"), built);
    for (SandboxSpec.Builder spec : specs) {
      Sandbox made = create(spec);
      assertEquals(after, made.getLayerDigests(2));
      delete(made);
    }
    Set<String> still = images();
    still.removeAll(images);
    assertEquals(built, still, "creating builds nothing");
    List<Layer> layers =
        Objects.requireNonNull(MemoryBackend.SPECS.get(running.getSandboxId())).layers();
    assertEquals(before, layers.getLast().digest());
    assertTrue(Files.exists(layers.getLast().image()), "the running one keeps its layer");
  }

  @Test
  void shouldRefuseLayersInTheWrongPlace() throws IOException {
    base("1");
    Environment tool = imported("tool", LayerKind.LAYER_KIND_TOOLKIT, "1");
    Failed noBase =
        refused(GrpcStatus.INVALID_ARGUMENT, () -> create(spec().setEnvironment("tool")));
    assertEquals("environment", noBase.detail().getField());
    Failed noUpper =
        refused(
            GrpcStatus.INVALID_ARGUMENT,
            () ->
                create(
                    spec()
                        .setEnvironment("base")
                        .addLayers(tool.getLayers(0).getDigest())
                        .addLayers("base")));
    assertEquals("layers[1]", noUpper.detail().getField());
  }
}
