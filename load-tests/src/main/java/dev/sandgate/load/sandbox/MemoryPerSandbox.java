// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.host.Scratch;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What one more idle sandbox takes, ours and bwrap's in the same kind of cgroups, in groups that alternate. */
final class MemoryPerSandbox {

  private static final int GROUP = 200;
  private static final int SHARE = 5;

  private MemoryPerSandbox() {}

  static void compare(LoadArguments arguments, Platform platform, Peers peers, Findings findings)
      throws Exception {
    int group = Math.clamp(arguments.count().orElse(GROUP * SHARE) / SHARE, 5, GROUP);
    List<Subject> subjects = new ArrayList<>();
    subjects.add(() -> ours(platform, group));
    boolean bwrap = peers.hasBwrap(findings);
    if (bwrap) {
      subjects.add(() -> theirs(platform, peers, group));
    }
    Comparison.Plan plan = new Comparison.Plan(1, arguments.rounds());
    Comparison comparison = Comparison.alternate(plan, subjects, arguments.progress());
    report(comparison, bwrap, findings);
  }

  private static Map<String, Samples> ours(Platform platform, int group) throws IOException {
    Scratch scratch = platform.scratch();
    List<String> cgroups = List.of(scratch.name(), spawner(scratch));
    for (ProcessHandle helper : scratch.processes()) {
      Memory.chargeTo(spawner(scratch), helper.pid(), scratch);
    }
    Memory before = Memory.now(scratch, cgroups);
    List<SandboxHandle> made = platform.createBatch(group).sandboxes();
    made.forEach(Commands::run);
    Memory grown = Memory.now(scratch, cgroups).since(before);
    platform.delete(made);
    return Map.of(
        "sandbox", kilobytes(grown.charged() + grown.heap(), group),
        "sandbox_cgroups", kilobytes(grown.charged(), group),
        "sandbox_node_heap", kilobytes(grown.heap(), group),
        "sandbox_host", kilobytes(grown.host(), group));
  }

  // The spawner makes namespaces and mounts before a sandbox is in its memory cgroup.
  private static String spawner(Scratch scratch) {
    return scratch.name() + "-spawner";
  }

  private static Map<String, Samples> theirs(Platform platform, Peers peers, int group)
      throws IOException, InterruptedException {
    Scratch scratch = platform.scratch();
    List<String> cgroups = List.of(BwrapCrowd.cgroup(scratch));
    Memory before = Memory.now(scratch, cgroups);
    try (BwrapCrowd crowd = BwrapCrowd.start(group, peers, scratch)) {
      Memory grown = Memory.now(scratch, cgroups).since(before);
      return Map.of(
          "bwrap", kilobytes(grown.charged(), crowd.size()),
          "bwrap_host", kilobytes(grown.host(), crowd.size()));
    }
  }

  private static Samples kilobytes(long bytes, int sandboxes) {
    return Samples.of(bytes / 1e3 / sandboxes);
  }

  private static void report(Comparison comparison, boolean bwrap, Findings findings) {
    for (String ours : List.of("sandbox", "sandbox_cgroups", "sandbox_node_heap", "sandbox_host")) {
      findings.figure(ours + "_kilobytes", comparison.all(ours).median());
    }
    if (bwrap) {
      findings.figure("bwrap_kilobytes", comparison.all("bwrap").median());
      findings.figure("bwrap_host_kilobytes", comparison.all("bwrap_host").median());
      findings.ratio("memory_vs_bwrap", comparison.ratios("sandbox", "bwrap", Samples::median));
    }
    findings.note(
        "memory is what cgroups are charged, the spawner's and the growth of the node's heap"
            + " included; *_host is what the whole host had less, with all its noise");
    findings.must("memory_vs_bwrap", 1.0);
  }
}
