// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.cli.SandgateCommand;
import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every scenario in miniature, against the real peers; whether a goal is met is not for a test of seconds to say. */
@Tag("root")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ScenariosTest {

  private static final int COUNT = 20;

  @TempDir Path directory;

  private final List<String> progress = new ArrayList<>();
  private Set<String> before = Set.of();

  @BeforeEach
  void look() throws IOException {
    before = things();
  }

  @AfterEach
  void shouldLeaveNothingBehind() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    Set<String> left = left();
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      left = left();
    }
    assertEquals(Set.of(), left);
  }

  private Set<String> left() throws IOException {
    Set<String> left = things();
    left.removeAll(before);
    return left;
  }

  @Test
  void shouldMeasureEchoesThroughEveryRelay() throws Exception {
    LoadReport report = run("relay-echo");
    assertPositive(report.ratios(), "echo_cpu_vs_haproxy", "echo_cpu_vs_nginx");
    assertPositive(report.figures(), "sandgate_echo_cpu_micros", "sandgate_echoes_per_second");
  }

  @Test
  void shouldMeasureFloodsThroughEveryRelay() throws Exception {
    LoadReport report = run("relay-flood");
    assertPositive(report.ratios(), "echo_cpu_vs_haproxy", "output_per_cpu_vs_haproxy_gain");
    assertPositive(report.figures(), "sandgate_output_mb_per_cpu_second");
  }

  @Test
  void shouldMeasureInteractiveStreamsBesideFloodsAndStoppedReaders() throws Exception {
    Duration enoughForP99 = Duration.ofMillis(1_250);
    LoadReport report = run("relay-mixed", enoughForP99);
    assertPositive(
        report.ratios(), "flood_p99_vs_quiet", "stop_1_p99_vs_quiet", "stop_100_p99_vs_quiet");
    assertPositive(report.figures(), "sandgate_flood_p50_micros", "sandgate_flood_flood_megabytes");
    assertPositive(report.figures(), "haproxy_stop_100_stalled_streams", "checked_messages");
    assertTrue(report.notes().contains("must nobody stalls: held"), report::toString);
    assertTrue(
        report.notes().contains("must no message is lost, changed or out of order: held"),
        report::toString);
  }

  @Test
  void shouldMeasureCommandsBesideCrun() throws Exception {
    LoadReport report = run("exec");
    assertPositive(report.ratios(), "exec_p50_vs_crun_exec", "exec_p50_vs_spawn");
    assertPositive(report.figures(), "exec_p50_micros", "stream_p50_micros");
    assertEquals(COUNT, report.figures().get("exec_samples"));
    assertFalse(report.figures().containsKey("exec_p99_micros"));
  }

  @Test
  void shouldEndWithOneJsonObjectOnTheCommandLine() throws Exception {
    String data = directory.toString();
    String printed =
        printedBy(
            "--data", data, "load", "exec", "--count", "5", "--rounds", "1", "--output", "json");
    String[] lines = printed.strip().split("\n", -1);
    JsonNode json = new ObjectMapper().readTree(lines[lines.length - 1]);
    assertEquals("exec", json.get("scenario").asText());
    assertTrue(json.get("ratios").get("exec_p50_vs_crun_exec").asDouble() > 0);
    assertTrue(json.get("ok").isBoolean() && json.get("machine").has("kernel"));
  }

  @Test
  void shouldRemoveEverythingWhenToldToEnd() throws Exception {
    endWhenItSays("crun_exec", "exec");
  }

  @Test
  void shouldRemoveGatewayNodeAndSandboxesWhenToldToEnd() throws Exception {
    endWhenItSays("commands so far", "chaos");
  }

  private void endWhenItSays(String part, String scenario) throws Exception {
    Process run = started("--data", directory.toString(), "load", scenario, "--count", "100");
    try (BufferedReader lines = run.errorReader()) {
      String line = lines.readLine();
      while (line != null && !line.contains(part)) {
        line = lines.readLine();
      }
      assertTrue(line != null, "it ended by itself");
      run.destroy();
      assertTrue(run.waitFor(1, TimeUnit.MINUTES), "it does not end");
    } finally {
      run.destroyForcibly();
    }
  }

  private static Process started(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
    for (String property : List.of("sandgate.root", "sandgate.native")) {
      command.add("-D" + property + "=" + System.getProperty(property));
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(SandgateCommand.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).start();
  }

  private static String printedBy(String... arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream terminal = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      new CommandLine(new SandgateCommand()).execute(arguments);
    } finally {
      System.setOut(terminal);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldMeasureCreationBesideCrunAndBwrap() throws Exception {
    LoadReport report = run("create");
    assertPositive(report.ratios(), "create_vs_crun_run", "create_vs_bwrap");
    assertPositive(report.figures(), "create_p50_micros", "delete_p50_micros");
  }

  @Test
  void shouldMeasureBatchesBesideCrun() throws Exception {
    LoadReport report = run("create-batch");
    assertPositive(report.ratios(), "rate_vs_crun_run_gain");
    assertTrue(report.notes().contains("must no sandbox of a batch fails: held"));
  }

  @Test
  void shouldMeasurePausesWithAndWithoutSwap() throws Exception {
    LoadReport report = run("pause");
    assertPositive(
        report.ratios(),
        "first_command_nothing_reclaimed_vs_warm",
        "first_command_reclaimed_vs_warm",
        "memory_given_back_gain");
    assertTrue(report.notes().contains("must all that wake up at once answer: held"));
  }

  @Test
  void shouldMeasureManyLiveSandboxes() throws Exception {
    LoadReport report = run("density");
    assertPositive(report.ratios(), "exec_p50_at_all_vs_at_10", "memory_vs_bwrap");
    assertPositive(report.figures(), "sandbox_cgroups_kilobytes", "created_per_second");
    assertTrue(report.notes().contains("must all " + COUNT + " sandboxes live: held"));
    assertTrue(report.notes().contains("must all answer a command: held"));
    assertTrue(report.notes().contains("must nothing is left on the host: held"), report::toString);
  }

  @Test
  void shouldMeasureALatencySensitiveTaskBesideBestEffortOnes() throws Exception {
    LoadReport report = run("qos");
    assertPositive(
        report.ratios(),
        "wake_p99_vs_idle",
        "flat_weights_p99_vs_idle",
        "least_weight_p99_vs_idle",
        "best_effort_of_spare_gain",
        "load_50_classes_task_p99_vs_idle");
    assertPositive(report.figures(), "wake_idle_samples", "wake_best_effort_p50_micros");
    assertTrue(
        report.notes().stream().anyMatch(note -> note.startsWith("core scheduling: ")),
        report::toString);
  }

  @Test
  void shouldWakeManyBesideALatencySensitiveTask() throws Exception {
    LoadReport report = run("wake-up");
    assertPositive(report.ratios(), "wake_p99_vs_quiet");
    assertPositive(report.figures(), "all_awake_seconds", "waking_p50_micros");
    assertTrue(report.notes().contains("must all " + COUNT + " answer afterwards: held"));
  }

  @Test
  void shouldWorkForLongAndHoldNoMoreThanBefore() throws Exception {
    LoadReport report = run("soak", Duration.ofSeconds(4));
    assertPositive(report.figures(), "sandboxes", "heap_after_bytes");
    for (String what : List.of("nothing fails", "nothing more is on the host", "no more layers")) {
      assertTrue(report.notes().contains("must " + what + ": held"), report::toString);
    }
  }

  @Test
  void shouldAddSessionsAndTellHowManyAreAdvised() throws Exception {
    LoadReport report = run("ramp", Duration.ofSeconds(2));
    assertEquals(COUNT, report.figures().get("knee_sessions"));
    assertEquals(Math.floor(0.7 * COUNT), report.figures().get("advised_sessions"));
    assertPositive(
        report.figures(),
        "knee_operations_per_second",
        "sessions_by_formula",
        "creates_per_second");
  }

  @Test
  void shouldMeasureCommandsWithAndWithoutTheJournal() throws Exception {
    LoadReport report = run("journal");
    assertPositive(report.ratios(), "exec_p50_on_vs_off");
    assertPositive(report.figures(), "on_p50_micros", "off_p50_micros");
  }

  @Test
  void shouldAttachAgainToRunningCommandsAndRunNoneTwice() throws Exception {
    LoadReport report = run("reattach");
    assertPositive(report.ratios(), "reattach_vs_first_attach");
    assertEquals(COUNT, report.figures().get("commands"));
    assertTrue(report.notes().contains("must every command ran once: held"), report::toString);
  }

  private LoadReport run(String name) throws Exception {
    return run(name, Duration.ofMillis(600));
  }

  private LoadReport run(String name, Duration duration) throws Exception {
    LoadArguments arguments =
        new LoadArguments(
            directory,
            Optional.of(duration),
            OptionalInt.of(COUNT),
            1,
            OptionalLong.empty(),
            progress::add);
    LoadScenario scenario =
        ServiceLoader.load(LoadScenario.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(found -> found.name().equals(name))
            .findFirst()
            .orElseThrow();
    LoadReport report = scenario.run(arguments);
    assertWellFormed(report, scenario);
    return report;
  }

  private void assertWellFormed(LoadReport report, LoadScenario scenario) throws IOException {
    assertEquals(scenario.name(), report.scenario());
    assertFalse(scenario.goal().isBlank());
    assertFalse(progress.isEmpty());
    Stream.of(report.ratios(), report.figures())
        .flatMap(values -> values.entrySet().stream())
        .forEach(entry -> assertTrue(Double.isFinite(entry.getValue()), entry::toString));
    boolean missed = report.notes().stream().anyMatch(note -> note.endsWith(": MISSED"));
    assertEquals(!missed, report.ok(), report::toString);
  }

  private static void assertPositive(Map<String, Double> values, String... names) {
    for (String name : names) {
      Double value = values.get(name);
      assertTrue(value != null && value > 0, () -> name + " in " + values);
    }
  }

  private static Set<String> things() throws IOException {
    Set<String> things = new TreeSet<>();
    ProcessHandle.current().descendants().forEach(child -> things.add("process " + child.pid()));
    ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(line -> line.contains("/sgload-") || line.contains("/bin/sleep 100000"))
        .forEach(things::add);
    try (Stream<Path> directories = Files.list(Path.of("/tmp"))) {
      directories.map(Path::toString).filter(path -> path.contains("sgload-")).forEach(things::add);
    }
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      if (line.contains("sgload-")) {
        things.add(line);
      }
    }
    things.addAll(
        Files.readAllLines(Path.of("/proc/swaps")).stream()
            .map(line -> line.split("\\s", 2)[0])
            .toList());
    things.addAll(cgroups());
    return things;
  }

  private static Set<String> cgroups() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
        .filter(line -> line.contains(" - cgroup"))
        .map(line -> Path.of(line.split(" ", -1)[4]))
        .flatMap(ScenariosTest::ours)
        .collect(Collectors.toSet());
  }

  private static Stream<String> ours(Path root) {
    String[] names = root.toFile().list();
    return Stream.of(names == null ? new String[0] : names)
        .filter(name -> name.startsWith("sgload-"))
        .map(name -> root + "/" + name);
  }
}
