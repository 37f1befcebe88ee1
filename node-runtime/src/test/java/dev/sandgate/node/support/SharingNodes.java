// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.node.NodeConfig;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.PullEnvironmentRequest;
import dev.sandgate.proto.v1.ShareEnvironmentRequest;
import dev.sandgate.proto.v1.SharedLayers;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Nodes with containers that share layers; leaves nothing behind. Needs root. */
public final class SharingNodes implements AutoCloseable {

  private static final int DIRECTORIES = 24;

  private static final int FILES = 50;
  private static final long LARGEST = 4 << 20;

  private final Path directory;
  private final Optional<Registry> registry;
  private final List<ContainerNode> nodes = new ArrayList<>();

  /** None yet; they share a directory. */
  public SharingNodes() {
    this(false);
  }

  private SharingNodes(boolean inRegistry) {
    try {
      directory = Files.createTempDirectory("sandgate-shared-");
      Path tier = Files.createDirectory(directory.resolve("tier"));
      registry = inRegistry ? Optional.of(new Registry(tier)) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** None yet; they share a repository of a registry of their own. */
  public static SharingNodes inRegistry() {
    return new SharingNodes(true);
  }

  /** The directory that they share, or that of their registry's files. */
  public Path shared() {
    return registry.map(Registry::data).orElse(directory.resolve("tier"));
  }

  /** Their registry. */
  public Registry registry() {
    return registry.orElseThrow();
  }

  /** What they have as node.shared-layers. */
  public String place() {
    return registry
        .map(one -> "oci://127.0.0.1:" + one.port() + "/team/layers")
        .orElse(shared().toString());
  }

  /** A place beside it. */
  public Path beside(String name) {
    return directory.resolve(name);
  }

  /** One more that reads on demand only. */
  public ContainerNode node() {
    return node(Map.of());
  }

  /** One more, with settings besides. */
  public ContainerNode node(Map<String, String> more) {
    ContainerNode made = ContainerNode.configured(config -> with(config, more));
    nodes.add(made);
    return made;
  }

  private NodeConfig with(NodeConfig config, Map<String, String> more) {
    NodeConfig all = TestNode.with(config, "node.shared-layers", place());
    all = TestNode.with(all, "node.shared-layers-pull", "off");
    for (Map.Entry<String, String> one : more.entrySet()) {
      all = TestNode.with(all, one.getKey(), one.getValue());
    }
    return all;
  }

  /**
   * A tree as workspaces are: 1,200 files, most of them small, some of megabytes, none like another.
   *
   * @param seed the same for the same content
   */
  public Path tree(String name, long seed) {
    Path tree = directory.resolve(name);
    Random random = new Random(seed);
    try {
      for (int i = 0; i < DIRECTORIES; i++) {
        Path place = Files.createDirectories(tree.resolve("w/module" + i + "/src/main"));
        for (int j = 0; j < FILES; j++) {
          double size = Math.exp(8 + 2 * random.nextGaussian());
          byte[] content = new byte[(int) Math.min(LARGEST, 1 + size)];
          random.nextBytes(content);
          Files.write(place.resolve("File" + j + ".py"), content);
        }
      }
      byte[] large = new byte[16 << 20];
      random.nextBytes(large);
      Files.write(tree.resolve("w/large"), large);
      return tree;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Imports a tree on busybox. */
  public static Environment imported(ContainerNode node, String name, Path tree) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(
        ImportEnvironmentRequest.newBuilder()
            .setName(name)
            .setKind(LayerKind.LAYER_KIND_WORKSPACE)
            .addOn("busybox")
            .setDirectory(tree.toString())
            .build());
    return call.rest().getLast().getEnvironment();
  }

  /** Shares what a node has under a name. */
  public static Environment share(ContainerNode node, String reference) {
    return node.rpc()
        .unary(
            EnvironmentsGrpcClient.Share,
            ShareEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  /** Brings all of an environment to a node. */
  public static Environment pull(ContainerNode node, String reference) {
    return node.rpc()
        .unary(
            EnvironmentsGrpcClient.Pull,
            PullEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  /** What a node says of an environment. */
  public static Environment get(ContainerNode node, String reference) {
    return node.rpc()
        .unary(
            EnvironmentsGrpcClient.Get,
            GetEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  /** What a node says of the last layer of an environment. */
  public static LayerInfo top(ContainerNode node, String reference) {
    return get(node, reference).getLayersList().getLast();
  }

  /** What a node says of the directory. */
  public static SharedLayers figures(ContainerNode node) {
    return node.rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getSharedLayers();
  }

  /** A file of a layer in the shared directory. */
  public Path file(String digest, String suffix) {
    return shared().resolve("layers").resolve(digest.replace(':', '-') + suffix);
  }

  @Override
  public void close() {
    nodes.forEach(ContainerNode::close);
    registry.ifPresent(Registry::close);
    TestNode.delete(directory);
    Eventually.holds("no process serves parts of these nodes", this::isQuiet);
  }

  private boolean isQuiet() {
    return ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .noneMatch(line -> nodes.stream().anyMatch(node -> line.contains(node.run().toString())));
  }
}
