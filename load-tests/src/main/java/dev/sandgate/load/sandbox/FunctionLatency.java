// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.Functions;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.tool.Tools;
import dev.sandgate.proto.v1.FunctionLanguage;
import dev.sandgate.proto.v1.FunctionVerdict;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.proto.v1.InvokeResponse;
import io.smallrye.mutiny.Multi;
import java.util.List;

/** A warm function call that does nothing, through the node's API, beside a bare spawn on the host. */
public final class FunctionLatency implements LoadScenario {

  private static final int CALLS = 2_000;
  private static final int OF_OURS_TO_ONE_OF_THEIRS = 10;
  private static final int WARMUP_ROUNDS = 2;
  private static final int AT_ONCE = 8;

  @Override
  public String name() {
    return "fncall";
  }

  @Override
  public String goal() {
    return "p50 of a warm no-op function call through the node's API: at most 0.5x a bare spawn";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    try (Platform platform = Platform.start()) {
      Peers peers = platform.peers(tools);
      Functions functions = platform.client().functions();
      InvokeRequest request = request(PythonLayer.on(platform));
      report(compare(arguments, functions, request, peers), findings);
      long made = made(platform);
      findings.figure("workers_made", (double) made);
      findings.figure("calls_per_second", rate(functions, request, arguments));
    }
    findings.must("call_p50_vs_spawn", 0.5);
    return findings.report();
  }

  private static InvokeRequest request(String environment) {
    return InvokeRequest.newBuilder()
        .setEnvironment(environment)
        .setLanguage(FunctionLanguage.FUNCTION_LANGUAGE_PYTHON)
        .setSource("pass")
        .build();
  }

  private static Comparison compare(
      LoadArguments arguments, Functions functions, InvokeRequest request, Peers peers)
      throws Exception {
    int ours = arguments.count().orElse(CALLS);
    int theirs = Math.max(5, ours / OF_OURS_TO_ONE_OF_THEIRS);
    Comparison.Plan plan = new Comparison.Plan(WARMUP_ROUNDS, arguments.rounds());
    return Comparison.alternate(
        plan,
        List.of(
            Subject.of("call", () -> Timing.each(ours, () -> call(functions, request))),
            Subject.of("spawn", () -> peers.spawn(theirs))),
        arguments.progress());
  }

  private static void call(Functions functions, InvokeRequest request) {
    check(Platform.await(functions.invoke(request)));
  }

  private static InvokeResponse check(InvokeResponse response) {
    if (response.getVerdict() != FunctionVerdict.FUNCTION_VERDICT_ACCEPTED) {
      throw new IllegalStateException("a call that does nothing ended with " + response);
    }
    return response;
  }

  private static long made(Platform platform) {
    return Platform.await(platform.client().nodes()).getFirst().getBackendsList().stream()
        .filter(backend -> backend.hasPool())
        .mapToLong(backend -> backend.getPool().getMade())
        .sum();
  }

  private static double rate(Functions functions, InvokeRequest request, LoadArguments arguments) {
    int calls = arguments.count().orElse(CALLS);
    long begun = System.nanoTime();
    Platform.await(
        Multi.createFrom()
            .range(0, calls)
            .onItem()
            .transformToUni(_ -> functions.invoke(request).map(FunctionLatency::check))
            .merge(AT_ONCE)
            .collect()
            .last());
    return calls / ((System.nanoTime() - begun) / 1e9);
  }

  private static void report(Comparison comparison, Findings findings) {
    findings.ratio("call_p50_vs_spawn", comparison.ratios("call", "spawn", Samples::median));
    findings.latency("call", comparison.all("call"));
    findings.latency("spawn", comparison.all("spawn"));
  }
}
