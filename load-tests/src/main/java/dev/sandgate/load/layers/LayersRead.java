// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.layers;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.load.sandbox.Timing;
import dev.sandgate.load.tool.Tools;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reading every file of base, workspace and two toolkits in a sandbox, through EROFS and the overlay, beside the same programs on the
 * same trees unpacked to the host's file system; cold is after the page cache was dropped.
 */
public final class LayersRead implements LoadScenario {

  private static final String READ = "find /usr /workspace /etc -type f -exec cat {} + | wc -c";
  private static final int WARM_READS = 3;
  private static final int WARMUP_ROUNDS = 1;

  @Override
  public String name() {
    return "layers-read";
  }

  @Override
  public String goal() {
    return "reading all through layers: time at most 1.43x cold, 1.11x warm of unpacked trees";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Trees trees = new Trees(new Tools(arguments.directory()));
    List<Path> archives = trees.archives(arguments.progress());
    try (Platform platform = Platform.start()) {
      Path unpacked = platform.scratch().directory().resolve("unpacked");
      Files.createDirectory(unpacked);
      for (int i = 0; i < archives.size(); i++) {
        Path archive = archives.get(i);
        arguments.progress().accept("importing and unpacking " + Trees.NAMES.get(i));
        Trees.load(platform.client(), Trees.NAMES.get(i), archive);
        trees.run("tar -C $1 --numeric-owner -xpf $2", unpacked.toString(), archive.toString());
      }
      SandboxHandle sandbox = create(platform);
      Comparison comparison =
          Comparison.alternate(
              new Comparison.Plan(WARMUP_ROUNDS, arguments.rounds()),
              List.of(
                  Subject.of("layers_cold", () -> cold(trees, () -> inSandbox(sandbox))),
                  Subject.of("unpacked_cold", () -> cold(trees, () -> onHost(trees, unpacked))),
                  Subject.of("layers_warm", () -> warm(() -> inSandbox(sandbox))),
                  Subject.of("unpacked_warm", () -> warm(() -> onHost(trees, unpacked)))),
              arguments.progress());
      report(comparison, findings);
      findings.note("unpacked on " + Files.getFileStore(unpacked).type());
    }
    findings.must("cold_time_vs_unpacked", 1 / 0.7);
    findings.must("warm_time_vs_unpacked", 1 / 0.9);
    return findings.report();
  }

  /** With all of the machine, as the programs on the host have it. */
  private static SandboxHandle create(Platform platform) {
    Limits limits =
        Limits.newBuilder()
            .setCpuMillis(1_000 * Runtime.getRuntime().availableProcessors())
            .setMemoryBytes(4L << 30)
            .build();
    SandboxSpec spec = LayersAssemble.spec().toBuilder().setLimits(limits).build();
    return Platform.await(platform.client().sandboxes().create(spec));
  }

  private static void report(Comparison comparison, Findings findings) {
    for (String state : List.of("cold", "warm")) {
      findings.ratio(
          state + "_time_vs_unpacked",
          comparison.ratios("layers_" + state, "unpacked_" + state, Samples::median));
      findings.latency("layers_" + state, comparison.all("layers_" + state));
      findings.latency("unpacked_" + state, comparison.all("unpacked_" + state));
    }
  }

  private static Samples cold(Trees trees, Timing.Action read) throws Exception {
    trees.run("sync; echo 3 > /proc/sys/vm/drop_caches");
    return Timing.each(1, read);
  }

  private static Samples warm(Timing.Action read) throws Exception {
    read.run();
    return Timing.each(WARM_READS, read);
  }

  private static void inSandbox(SandboxHandle sandbox) throws IOException {
    ExecResult result =
        Platform.await(sandbox.execs().run(Command.newBuilder().setShell(READ).build()));
    if (!result.ok() || Long.parseLong(result.stdoutText().strip()) < 10_000_000) {
      throw new IOException("the trees could not be read: " + result);
    }
  }

  private static void onHost(Trees trees, Path root) throws IOException, InterruptedException {
    trees.run("chroot $1 /bin/sh -c '" + READ + "'", root.toString());
  }
}
