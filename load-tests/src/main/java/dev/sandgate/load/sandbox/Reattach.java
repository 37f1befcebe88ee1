// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.proto.v1.Command;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Many running commands are attached to by a client, which is cut, and by the next one, again and again. A command is
 * attached to when what it had written has come. Each writes its own line into a file when it starts: afterwards every line
 * is there once.
 */
public final class Reattach implements LoadScenario {

  private static final int EXECS = 10_000;
  private static final int PER_SANDBOX = 100;
  private static final int AT_ONCE = 256;
  private static final int STARTED_AT_ONCE = 32;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** One running command. */
  private record Running(String sandboxId, String execId) {}

  @Override
  public String name() {
    return "reattach";
  }

  @Override
  public String goal() {
    return "time to attach again to 10,000 running commands: at most 1.2x the first time; none runs twice";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    int count = arguments.count().orElse(EXECS);
    try (Platform platform = Platform.start()) {
      List<SandboxHandle> sandboxes = new ArrayList<>();
      for (int i = 0; i < (count + PER_SANDBOX - 1) / PER_SANDBOX; i++) {
        sandboxes.add(platform.createRoomy());
      }
      List<Running> commands = start(platform, sandboxes, count);
      arguments.progress().accept(count + " commands run");
      double first = attachAll(platform, commands);
      arguments.progress().accept("first attach: %.3f s".formatted(first));
      List<Double> again = new ArrayList<>();
      for (int round = 1; round <= arguments.rounds(); round++) {
        again.add(attachAll(platform, commands));
        arguments.progress().accept("attach again: %.3f s".formatted(again.getLast()));
      }
      report(findings, first, Samples.of(again.stream().mapToDouble(s -> s).toArray()));
      findings.must("every command ran once", ranOnce(sandboxes, count));
    }
    findings.figure("commands", count);
    findings.must("reattach_vs_first_attach", 1.2);
    return findings.report();
  }

  private static void report(Findings findings, double first, Samples again) {
    findings.ratio("reattach_vs_first_attach", again.median() / first);
    findings.figure("first_attach_seconds", first);
    findings.figure("reattach_seconds", again.median());
    findings.figure("slowest_reattach_seconds", again.most());
  }

  private static List<Running> start(Platform platform, List<SandboxHandle> sandboxes, int count) {
    try (Sandgate starter = platform.connect()) {
      return Multi.createFrom()
          .range(0, count)
          .onItem()
          .transformToUni(
              index -> start(starter, sandboxes.get(index % sandboxes.size()).id(), "e" + index))
          .merge(STARTED_AT_ONCE)
          .collect()
          .asList()
          .await()
          .atMost(PATIENCE);
    }
  }

  private static Uni<Running> start(Sandgate client, String sandboxId, String execId) {
    Command command =
        Execs.shell("echo " + execId + " >> /tmp/ran; echo ready; exec sleep 100000").build();
    return client
        .sandboxes()
        .handle(sandboxId)
        .execs()
        .start(execId, command)
        .flatMap(handle -> ready(handle).invoke(handle::detach))
        .replaceWith(new Running(sandboxId, execId));
  }

  /** Seconds that a new client needs to attach to all; it is cut afterwards, with every stream open. */
  private static double attachAll(Platform platform, List<Running> commands) {
    try (Sandgate client = platform.connect()) {
      long begun = System.nanoTime();
      Multi.createFrom()
          .iterable(commands)
          .onItem()
          .transformToUni(
              command ->
                  client
                      .sandboxes()
                      .handle(command.sandboxId())
                      .execs()
                      .attach(command.execId())
                      .flatMap(Reattach::ready))
          .merge(AT_ONCE)
          .collect()
          .asList()
          .await()
          .atMost(PATIENCE);
      return (System.nanoTime() - begun) / 1e9;
    }
  }

  /** Completes when what the command had written has come; the stream stays open. */
  private static Uni<String> ready(ExecHandle handle) {
    return Uni.createFrom()
        .emitter(
            emitter ->
                handle
                    .events()
                    .subscribe()
                    .with(
                        event -> {
                          if (event instanceof ExecEvent.Output output) {
                            emitter.complete(
                                StandardCharsets.US_ASCII.decode(output.data()).toString());
                          }
                        },
                        emitter::fail));
  }

  private static boolean ranOnce(List<SandboxHandle> sandboxes, int count) {
    long lines = 0;
    long different = 0;
    for (SandboxHandle sandbox : sandboxes) {
      List<String> ran =
          new String(sandbox.readFile("/tmp/ran"), StandardCharsets.US_ASCII).lines().toList();
      lines += ran.size();
      different += ran.stream().distinct().count();
    }
    return lines == count && different == count;
  }
}
