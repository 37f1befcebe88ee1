// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Names;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows one sandbox. */
@Command(name = "get", description = "Show a sandbox.")
public final class GetCommand extends Work {

  @Parameters(paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Override
  public Integer call() {
    Console console = console();
    try (Sandgate sandgate = global().connect()) {
      Sandbox sandbox = sandgate.sandboxes().get(sandboxId).await().indefinitely();
      if (console.json()) {
        console.json(sandbox);
      } else {
        console.table(List.of("FIELD", "VALUE"), rows(console, sandbox));
      }
    }
    return ExitCode.OK;
  }

  private static List<List<String>> rows(Console console, Sandbox sandbox) {
    SandboxSpec spec = sandbox.getSpec();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("id", sandbox.getSandboxId()));
    rows.add(List.of("state", ListCommand.state(console, sandbox.getState())));
    rows.add(List.of("backend", spec.getBackend()));
    rows.add(List.of("environment", spec.getEnvironment()));
    rows.add(List.of("node", sandbox.getNodeId()));
    rows.add(List.of("user", spec.getUser()));
    rows.add(List.of("class", Names.of(spec.getQosClass())));
    rows.add(List.of("age", Ages.of(sandbox.getCreatedAt())));
    rows.add(List.of("created in", micros(sandbox.getCreateMicros())));
    limits(spec.getLimits(), rows);
    times(sandbox, rows);
    spec.getLabelsMap().forEach((key, value) -> rows.add(List.of("label " + key, value)));
    sandbox.getLayerDigestsList().forEach(digest -> rows.add(List.of("layer", digest)));
    if (sandbox.hasUsage()) {
      usage(sandbox.getUsage(), rows);
    }
    if (sandbox.hasTermination()) {
      rows.add(
          List.of(
              "ended",
              sandbox.getTermination().getReason() + " " + sandbox.getTermination().getDetail()));
    }
    return rows;
  }

  private static void limits(Limits limits, List<List<String>> rows) {
    rows.add(List.of("cpu limit", limits.getCpuMillis() / 1000.0 + " cores"));
    rows.add(List.of("memory limit", Sizes.show(limits.getMemoryBytes())));
    rows.add(List.of("pids limit", String.valueOf(limits.getPids())));
    if (limits.getDiskBytes() > 0) {
      rows.add(List.of("disk limit", Sizes.show(limits.getDiskBytes())));
    }
    if (limits.getInodes() > 0) {
      rows.add(List.of("inodes limit", String.valueOf(limits.getInodes())));
    }
  }

  private static void times(Sandbox sandbox, List<List<String>> rows) {
    long idle = sandbox.getSpec().getIdleTimeoutMillis();
    rows.add(List.of("idle timeout", idle == 0 ? "none" : Sizes.show(Duration.ofMillis(idle))));
    long pause = sandbox.getSpec().getIdlePauseMillis();
    if (pause > 0) {
      rows.add(List.of("paused when idle for", Sizes.show(Duration.ofMillis(pause))));
    }
    if (sandbox.hasLeaseUntil()) {
      rows.add(List.of("lease until", RenewCommand.utc(sandbox.getLeaseUntil())));
    }
    if (sandbox.hasExpiresAt()) {
      rows.add(List.of("lives until", RenewCommand.utc(sandbox.getExpiresAt())));
    }
  }

  private static void usage(SandboxUsage usage, List<List<String>> rows) {
    rows.add(List.of("cpu used", micros(usage.getCpuMicros())));
    rows.add(List.of("memory used", Sizes.show(usage.getMemoryBytes())));
    rows.add(List.of("memory peak", Sizes.show(usage.getPeakMemoryBytes())));
    rows.add(List.of("processes", String.valueOf(usage.getProcesses())));
    if (usage.hasDiskBytes()) {
      rows.add(List.of("disk used", Sizes.show(usage.getDiskBytes())));
      rows.add(List.of("inodes used", String.valueOf(usage.getInodes())));
    }
  }

  private static String micros(long micros) {
    return micros < 100_000
        ? micros / 1000.0 + " ms"
        : Sizes.show(Duration.ofNanos(micros * 1_000));
  }
}
