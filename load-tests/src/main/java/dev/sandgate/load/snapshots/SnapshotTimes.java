// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.snapshots;

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
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A snapshot of a sandbox that wrote 16 MiB in 260 files, beside {@code podman commit} of a container that wrote the same; a sandbox made
 * of it, beside {@code podman run} of that image; and a reset, beside deleting and making anew, ours and podman's.
 */
public final class SnapshotTimes implements LoadScenario {

  private static final int EACH_ROUND = 5;
  private static final String BASE = "stack1";
  private static final String WRITE =
      "mkdir -p /srv/d; for i in $(seq 256); do head -c 32768 /dev/urandom > /srv/d/f$i; done;"
          + " for i in 1 2 3 4; do head -c 2097152 /dev/urandom > /srv/b$i; done";

  /** Found by the command. */
  public SnapshotTimes() {}

  @Override
  public String name() {
    return "snapshots";
  }

  @Override
  public String goal() {
    return "snapshot at most 1x podman commit; reset at most 1x delete and create";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    int count = arguments.count().orElse(EACH_ROUND);
    try (Platform platform = Platform.start()) {
      Subject ours = () -> round(platform, count);
      if (tools.find("podman", "podman").isEmpty()) {
        findings.note("podman: not run, it cannot be installed here");
        report(compare(arguments, List.of(ours)), findings, Optional.empty());
      } else {
        try (Podman podman = new Podman(tools, platform.scratch().directory().resolve("podman"))) {
          report(
              compare(arguments, List.of(ours, () -> podman.round(WRITE, count))),
              findings,
              Optional.of("podman"));
        }
      }
    }
    findings.must("snapshot_vs_podman_commit", 1);
    findings.must("restore_vs_podman_run", 1);
    findings.must("reset_vs_delete_and_create", 1);
    return findings.report();
  }

  private static Comparison compare(LoadArguments arguments, List<Subject> subjects)
      throws Exception {
    return Comparison.alternate(
        new Comparison.Plan(1, arguments.rounds()), subjects, arguments.progress());
  }

  private static void report(Comparison comparison, Findings findings, Optional<String> peer) {
    findings.ratio(
        "reset_vs_delete_and_create",
        comparison.ratios("reset", "delete_and_create", Samples::median));
    List<String> names =
        new ArrayList<>(
            List.of("snapshot", "snapshot_frozen", "restore", "reset", "delete_and_create"));
    if (peer.isPresent()) {
      findings.ratio(
          "snapshot_vs_podman_commit",
          comparison.ratios("snapshot", "podman_commit", Samples::median));
      findings.ratio(
          "restore_vs_podman_run", comparison.ratios("restore", "podman_restore", Samples::median));
      findings.ratio(
          "reset_vs_podman_recreate",
          comparison.ratios("reset", "podman_recreate", Samples::median));
      names.addAll(List.of("podman_commit", "podman_restore", "podman_recreate"));
    }
    names.forEach(name -> findings.latency(name, comparison.all(name)));
  }

  private static Map<String, Samples> round(Platform platform, int count) throws IOException {
    Timing snapshot = new Timing();
    Timing restore = new Timing();
    Timing reset = new Timing();
    Timing again = new Timing();
    List<Double> frozen = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      SandboxHandle work = create(platform, BASE);
      write(work);
      snapshot.start();
      Snapshot made = seal(platform, work);
      snapshot.stop();
      frozen.add(made.getFrozenMillis() * 1e3);
      reset.start();
      Platform.await(work.reset());
      reset.stop();
      write(work);
      again.start();
      platform.delete(List.of(work));
      SandboxHandle fresh = create(platform, BASE);
      again.stop();
      restore.start();
      SandboxHandle restored = create(platform, "measured");
      restore.stop();
      platform.delete(List.of(fresh, restored));
      Platform.await(platform.client().snapshots().remove("measured"));
    }
    return Map.of(
        "snapshot", snapshot.samples(),
        "snapshot_frozen", Samples.of(frozen.stream().mapToDouble(Double::doubleValue).toArray()),
        "restore", restore.samples(),
        "reset", reset.samples(),
        "delete_and_create", again.samples());
  }

  private static SandboxHandle create(Platform platform, String environment) {
    SandboxSpec spec = SandboxSpec.newBuilder().setEnvironment(environment).setUser("root").build();
    return Platform.await(platform.client().sandboxes().create(spec));
  }

  private static Snapshot seal(Platform platform, SandboxHandle work) {
    return Platform.await(
        platform
            .client()
            .snapshots()
            .create(
                CreateSnapshotRequest.newBuilder()
                    .setSandboxId(work.id())
                    .setName("measured")
                    .build()));
  }

  private static void write(SandboxHandle sandbox) throws IOException {
    ExecResult result =
        Platform.await(sandbox.execs().run(Command.newBuilder().setShell(WRITE).build()));
    if (!result.ok()) {
      throw new IOException("nothing was written: " + result);
    }
  }
}
