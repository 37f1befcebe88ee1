// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.demo;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Progress;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.cli.server.Server;
import dev.sandgate.cli.server.ServerConfig;
import dev.sandgate.cli.terminal.Signals;
import dev.sandgate.client.ClientOptions;
import dev.sandgate.client.Sandgate;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the whole platform at work on this machine. */
@Command(
    name = "demo",
    description =
        "Run everything embedded: make sandboxes, stream commands through them, show figures, clean up.",
    footer = {
      "",
      "Environments are kept in DATA/demo for the next run; everything else is removed."
    })
public final class DemoCommand extends Work {

  @Option(names = "--sandboxes", paramLabel = "N", description = "How many. Default: 200")
  private int sandboxes = 200;

  @Option(names = "--commands", paramLabel = "N", description = "How many in all. Default: 2000")
  private int commands = 2_000;

  @Option(
      names = "--environment",
      paramLabel = "NAME",
      split = ",",
      description = "Builtins to make; sandboxes are of the last one. Default: busybox,debian")
  private List<String> environments = List.of("busybox", "debian");

  private final AtomicBoolean stopped = new AtomicBoolean();

  @Override
  public Integer call() throws IOException {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    Console console = console();
    Figures figures = new Figures();
    long start = System.nanoTime();
    stopOnSignal(Thread.currentThread());
    try (Progress progress = console.progress();
        Server server = Server.start(ServerConfig.local(global().data().resolve("demo")));
        Sandgate sandgate = Sandgate.connect(ClientOptions.of(server.url(), server.key()))) {
      progress.done("gateway and node are up at " + server.url());
      run(new Demo(sandgate, progress, figures), figures);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    if (console.json()) {
      console.json(facts(figures, seconds));
    } else {
      show(console, figures, seconds);
    }
    return figures.failed() == 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  // Waiting ends at once, and what was made is removed.
  private void stopOnSignal(Thread worker) {
    for (String signal : List.of("INT", "TERM")) {
      Signals.on(
          signal,
          () -> {
            if (stopped.compareAndSet(false, true)) {
              worker.interrupt();
            }
          });
    }
  }

  private void run(Demo demo, Figures figures) {
    try {
      List<String> made = environments.stream().filter(demo::environment).toList();
      if (!made.isEmpty()) {
        demo.create(made.getLast(), sandboxes);
        demo.execute(commands);
        demo.isolation();
        demo.memory();
      }
    } catch (RuntimeException failure) {
      figures.fail(stopped.get() ? "stopped before the end" : String.valueOf(failure.getMessage()));
    } finally {
      // The interrupt has done its work; the clean-up waits again.
      boolean _ = Thread.interrupted();
      demo.cleanUp();
    }
  }

  private Map<String, Object> facts(Figures figures, double seconds) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("ok", figures.failed() == 0);
    facts.put("sandboxes", figures.create.count());
    facts.put("create_p50_millis", figures.create.millis(50));
    facts.put("create_p99_millis", figures.create.millis(99));
    facts.put("creates_per_second", figures.createsPerSecond());
    facts.put("commands", figures.exec.count());
    facts.put("exec_p50_millis", figures.exec.millis(50));
    facts.put("exec_p99_millis", figures.exec.millis(99));
    facts.put("execs_per_second", figures.execsPerSecond());
    facts.put("isolated", figures.isolated());
    facts.put("memory_bytes_per_sandbox", figures.medianMemoryBytes());
    facts.put("seconds", seconds);
    facts.put("failures", figures.failures());
    return facts;
  }

  private void show(Console console, Figures figures, double seconds) {
    console.line("");
    console.table(
        List.of("WHAT", "COUNT", "P50 MS", "P99 MS", "PER SECOND"),
        List.of(
            row("create, one batch call", figures.create, figures.createsPerSecond()),
            row("command, streamed", figures.exec, figures.execsPerSecond())));
    console.line("");
    console.line("memory per sandbox   " + Sizes.show(figures.medianMemoryBytes()) + " (median)");
    console.line("isolated             %d of %d".formatted(figures.isolated(), sandboxes));
    console.line("whole demo           %.1f s".formatted(seconds));
    figures.failures().forEach(failure -> console.line(console.bad("failed: ") + failure));
    console.line(
        figures.failed() == 0
            ? console.good("everything worked, nothing is left")
            : console.bad(figures.failed() + " failures"));
    console.line("");
    console.line("next:  sandgate up            a gateway and a node to keep");
    console.line("       sandgate doctor        what this machine can do");
    console.line("       sandgate --help        everything else");
  }

  private static List<String> row(String what, Latencies latencies, double perSecond) {
    return List.of(
        what,
        String.valueOf(latencies.count()),
        millis(latencies.millis(50)),
        millis(latencies.millis(99)),
        String.format(Locale.ROOT, "%.0f", perSecond));
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, "%.1f", millis);
  }
}
