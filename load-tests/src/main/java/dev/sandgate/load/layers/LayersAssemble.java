// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.layers;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.load.sandbox.Timing;
import dev.sandgate.load.tool.Tools;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A sandbox on base, workspace and two toolkits, beside the extraction of the same four trees from tar archives. Ours is the whole
 * create call, processes, namespaces and cgroups included, which is more than the composing.
 */
public final class LayersAssemble implements LoadScenario {

  private static final int CREATES = 50;
  private static final int WARMUP_ROUNDS = 3;

  @Override
  public String name() {
    return "layers";
  }

  @Override
  public String goal() {
    return "a sandbox on 4 layers: at most 0.01x extracting them with tar; no payload written";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Trees trees = new Trees(new Tools(arguments.directory()));
    List<Path> archives = trees.archives(arguments.progress());
    try (Platform platform = Platform.start()) {
      for (int i = 0; i < archives.size(); i++) {
        arguments.progress().accept("importing " + Trees.NAMES.get(i));
        Trees.load(platform.client(), Trees.NAMES.get(i), archives.get(i));
      }
      compare(arguments, platform, trees, archives, findings);
      payload(platform, findings);
      upgrade(platform, trees, findings);
    }
    findings.must("create_vs_tar_extract", 0.01);
    return findings.report();
  }

  static SandboxSpec spec() {
    return SandboxSpec.newBuilder()
        .setEnvironment(Trees.NAMES.getFirst())
        .addAllLayers(Trees.NAMES.subList(1, Trees.NAMES.size()))
        .setUser("root")
        .build();
  }

  private static void compare(
      LoadArguments arguments,
      Platform platform,
      Trees trees,
      List<Path> archives,
      Findings findings)
      throws Exception {
    int count = arguments.count().orElse(CREATES);
    Path target = platform.scratch().directory().resolve("extracted");
    Comparison comparison =
        Comparison.alternate(
            new Comparison.Plan(WARMUP_ROUNDS, arguments.rounds()),
            List.of(
                Subject.of("create", () -> creates(platform, count)),
                Subject.of("extract", () -> extract(trees, archives, target))),
            arguments.progress());
    findings.ratio(
        "create_vs_tar_extract", comparison.ratios("create", "extract", Samples::median));
    findings.latency("create", comparison.all("create"));
    findings.latency("extract", comparison.all("extract"));
    long bytes = 0;
    for (Path archive : archives) {
      bytes += Files.size(archive);
    }
    findings.figure("trees_mib", bytes / 1048576.0);
  }

  private static Samples creates(Platform platform, int count) {
    Timing timing = new Timing();
    for (int i = 0; i < count; i++) {
      timing.start();
      SandboxHandle sandbox = create(platform);
      timing.stop();
      platform.delete(List.of(sandbox));
    }
    return timing.samples();
  }

  private static SandboxHandle create(Platform platform) {
    return Platform.await(platform.client().sandboxes().create(spec()));
  }

  private static Samples extract(Trees trees, List<Path> archives, Path target) throws Exception {
    Timing timing = new Timing();
    Files.createDirectory(target);
    timing.start();
    for (Path archive : archives) {
      trees.run("tar -C $1 --numeric-owner -xpf $2", target.toString(), archive.toString());
    }
    timing.stop();
    trees.run("rm -rf -- $1", target.toString());
    return timing.samples();
  }

  /** What a new sandbox has of its own: bytes in files of its writable directory. */
  private static void payload(Platform platform, Findings findings) throws IOException {
    SandboxHandle sandbox = create(platform);
    long bytes;
    try (Stream<Path> files = Files.walk(platform.upper(sandbox))) {
      bytes = files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
    platform.delete(List.of(sandbox));
    findings.figure("payload_written_bytes", (double) bytes);
    findings.must("no payload byte written at create", bytes == 0);
  }

  /** One toolkit of two changes: one layer is built, and new sandboxes have it. */
  private static void upgrade(Platform platform, Trees trees, Findings findings) throws Exception {
    long before = platform.layerImages();
    Path changed = platform.scratch().directory().resolve("changed");
    trees.run(
        "mkdir -p $1/usr/local/share/one; echo 2 > $1/usr/local/share/one/version; tar -C $1 -cf $1.tar .",
        changed.toString());
    Trees.load(platform.client(), "toolkit1", Path.of(changed + ".tar"));
    long built = platform.layerImages() - before;
    SandboxHandle sandbox = create(platform);
    Command read =
        Command.newBuilder()
            .setShell("cat /usr/local/share/*/version /usr/local/share/two/7")
            .build();
    boolean seen = Platform.await(sandbox.execs().run(read)).stdoutText().startsWith("2\n1\n");
    platform.delete(List.of(sandbox));
    findings.figure("layers_built_for_one_changed_toolkit", (double) built);
    findings.must(
        "one changed toolkit is one layer built, seen by new sandboxes", built == 1 && seen);
  }
}
