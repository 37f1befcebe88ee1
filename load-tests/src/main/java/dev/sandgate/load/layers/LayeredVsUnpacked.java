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
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The experiment of DSec's paper, §8.3: sandboxes whose workspace and toolkits are layers, beside sandboxes that unpack the same
 * archives onto the same base, and in each a fixed list of recorded commands. Time is from the create call to the last command's end;
 * bytes are what is in a sandbox's writable directory then. The archives are in a layer: nothing is sent.
 */
public final class LayeredVsUnpacked implements LoadScenario {

  private static final int SANDBOXES = 100;
  private static final double PAPER_TIME = 1.76;
  private static final double PAPER_BYTES = 5.5;

  private final Source source;
  private final Set<List<String>> outputs = new HashSet<>();

  /** Makes what is measured. */
  @FunctionalInterface
  interface Source {
    /** Makes it, or takes what an earlier run made. */
    Material material(LoadArguments arguments) throws Exception;
  }

  /** With trees of the size of real ones. */
  public LayeredVsUnpacked() {
    this(Material::real);
  }

  LayeredVsUnpacked(Source source) {
    this.source = source;
  }

  @Override
  public String name() {
    return "layered-vs-unpacked";
  }

  @Override
  public String goal() {
    return "recorded commands on layers beside unpacked archives: the paper's 1.76x time, 5.5x bytes";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Material material = source.material(arguments);
    try (Platform platform = Platform.start()) {
      arguments.progress().accept("importing the layers");
      Path place = platform.scratch().directory().resolve("archives-layer");
      material.load(platform.client(), Files.createDirectories(place));
      compare(arguments, new Run(platform, material), findings);
    }
    findings.must("the same output both ways, in every sandbox", outputs.size() == 1);
    findings.mustGain("unpacked_vs_layered_time_gain", 1);
    findings.mustGain("unpacked_vs_layered_bytes_gain", 1);
    return findings.report();
  }

  private void compare(LoadArguments arguments, Run run, Findings findings) throws Exception {
    int rounds = arguments.rounds();
    int chunk = Math.max(1, arguments.count().orElse(SANDBOXES) / rounds);
    Comparison comparison =
        Comparison.alternate(
            new Comparison.Plan(1, rounds),
            List.of(chunk(run, "layered", chunk), chunk(run, "unpacked", chunk)),
            arguments.progress());
    for (String kind : List.of("time", "bytes", "io")) {
      findings.ratio(
          "unpacked_vs_layered_" + kind + "_gain",
          comparison.ratios("unpacked_" + kind, "layered_" + kind, Samples::mean));
    }
    for (String way : List.of("layered", "unpacked")) {
      findings.figure(way + "_mean_millis", comparison.all(way + "_time").mean() / 1e3);
      findings.figure(way + "_ready_mean_millis", comparison.all(way + "_ready").mean() / 1e3);
      findings.figure(way + "_bytes_mean", comparison.all(way + "_bytes").mean());
      findings.figure(way + "_io_bytes_mean", comparison.all(way + "_io").mean());
    }
    findings.figure("sandboxes_each_way", (double) chunk * rounds);
    findings.figure("commands", run.material().commands().size());
    findings.figure("paper_time_gain", PAPER_TIME);
    findings.figure("paper_bytes_gain", PAPER_BYTES);
    findings.note(
        "io is what the kernel counts as written by the commands, temporary files included");
  }

  /** Where sandboxes are made, and of what. */
  private record Run(Platform platform, Material material) {}

  private Subject chunk(Run run, String way, int count) {
    return () -> {
      List<Taken> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(sandbox(run, way.equals("unpacked")));
      }
      return Map.of(
          way + "_time", Samples.of(all.stream().mapToDouble(Taken::micros).toArray()),
          way + "_ready", Samples.of(all.stream().mapToDouble(Taken::readyMicros).toArray()),
          way + "_bytes", Samples.of(all.stream().mapToDouble(Taken::bytes).toArray()),
          way + "_io", Samples.of(all.stream().mapToDouble(Taken::ioBytes).toArray()));
    };
  }

  /** What one sandbox took: until its files are there, until the end of all commands; and what it wrote. */
  private record Taken(double readyMicros, double micros, double bytes, double ioBytes) {}

  private Taken sandbox(Run run, boolean unpacked) throws IOException {
    long begun = System.nanoTime();
    SandboxHandle sandbox =
        Platform.await(run.platform().client().sandboxes().create(spec(run.material(), unpacked)));
    double io = 0;
    if (unpacked) {
      for (String name : run.material().upper()) {
        String line = "tar -C / --numeric-owner -xpf /archives/" + name + ".tar";
        io += written(done(sandbox, line));
      }
    }
    double ready = (System.nanoTime() - begun) / 1e3;
    List<String> printed = new ArrayList<>();
    for (String command : run.material().commands()) {
      ExecResult result = done(sandbox, command);
      printed.add(result.stdoutText());
      io += written(result);
    }
    outputs.add(printed);
    double micros = (System.nanoTime() - begun) / 1e3;
    double bytes = bytes(run.platform().upper(sandbox));
    run.platform().delete(List.of(sandbox));
    return new Taken(ready, micros, bytes, io);
  }

  private static double written(ExecResult result) {
    return result.storageWrittenBytes().orElse(0);
  }

  private static SandboxSpec spec(Material material, boolean unpacked) {
    Limits limits = Limits.newBuilder().setCpuMillis(2_000).setMemoryBytes(4L << 30).build();
    return SandboxSpec.newBuilder()
        .setEnvironment("base")
        .addAllLayers(unpacked ? List.of("archives") : material.upper())
        .setUser("root")
        .setLimits(limits)
        .build();
  }

  private static ExecResult done(SandboxHandle sandbox, String line) throws IOException {
    ExecResult result =
        Platform.await(sandbox.execs().run(Command.newBuilder().setShell(line).build()));
    if (!result.ok()) {
      throw new IOException("'" + line + "' failed: " + result);
    }
    return result;
  }

  private static double bytes(Path upper) throws IOException {
    try (Stream<Path> files = Files.walk(upper)) {
      return files
          .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }
}
