// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.load;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Sizes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one load scenario and prints what it found. */
@Command(
    name = "load",
    description = "Measure: run one load scenario against its peers.",
    footer = {
      "",
      "With --output json the last line is one object: scenario, ok, ratios, figures, machine,",
      "notes. A ratio is ours / theirs. Ends with 1 when a must is missed."
    })
public final class LoadCommand extends Work {

  @Parameters(paramLabel = "SCENARIO", arity = "0..1", description = "Which; see --list.")
  private @Nullable String name;

  @Option(names = "--list", description = "List the scenarios with the goal that each proves.")
  private boolean list;

  @Option(names = "--duration", paramLabel = "TIME", description = "Of one round, for example 5s")
  private @Nullable String duration;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Of sandboxes or calls, where the scenario counts.")
  private @Nullable Integer count;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Alternations after the warm-up. Default: 5")
  private int rounds = 5;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of what happens by chance; printed by the scenario that uses one.")
  private @Nullable Long seed;

  @Override
  public Integer call() throws Exception {
    Map<String, LoadScenario> scenarios = new TreeMap<>();
    ServiceLoader.load(LoadScenario.class).forEach(found -> scenarios.put(found.name(), found));
    if (list) {
      show(console(), scenarios);
      return ExitCode.OK;
    }
    LoadScenario scenario = name == null ? null : scenarios.get(name);
    if (scenario == null) {
      throw CommandFailure.usage(
          "SCENARIO: "
              + (name == null ? "none given" : "'" + name + "' is unknown")
              + ", give one of "
              + scenarios.keySet());
    }
    LoadReport report = scenario.run(arguments());
    show(console(), report);
    return report.ok() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private LoadArguments arguments() throws IOException {
    Path directory = global().data().resolve("load");
    Files.createDirectories(directory);
    Optional<Duration> time = Optional.ofNullable(duration).map(Sizes::time);
    OptionalInt number = count == null ? OptionalInt.empty() : OptionalInt.of(count);
    OptionalLong chance = seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
    return new LoadArguments(directory, time, number, rounds, chance, console()::note);
  }

  private static void show(Console console, Map<String, LoadScenario> scenarios) {
    if (console.json()) {
      Map<String, String> goals = new LinkedHashMap<>();
      scenarios.forEach((name, scenario) -> goals.put(name, scenario.goal()));
      console.json(goals);
    } else {
      console.table(
          List.of("SCENARIO", "GOAL"),
          scenarios.values().stream()
              .map(scenario -> List.of(scenario.name(), scenario.goal()))
              .toList());
    }
  }

  private static void show(Console console, LoadReport report) {
    if (!console.json()) {
      List<List<String>> rows = new ArrayList<>();
      report.ratios().forEach((name, value) -> rows.add(List.of(name, number(value), "ratio")));
      report.figures().forEach((name, value) -> rows.add(List.of(name, number(value), "")));
      console.table(List.of("NAME", "VALUE", "KIND"), rows);
      report.machine().forEach((name, value) -> console.line(name + ": " + value));
      report.notes().forEach(note -> console.line("note: " + note));
      console.line(
          report.ok() ? console.good("every must held") : console.bad("a must was missed"));
      return;
    }
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("scenario", report.scenario());
    object.put("ok", report.ok());
    object.put("ratios", report.ratios());
    object.put("figures", report.figures());
    object.put("machine", report.machine());
    object.put("notes", report.notes());
    console.json(object);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4g", value);
  }
}
