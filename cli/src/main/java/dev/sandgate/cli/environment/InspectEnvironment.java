// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.UseStatistics;
import dev.sandgate.proto.v1.WeekOfUse;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows everything that is known of an environment. */
@Command(name = "inspect", description = "Show an environment: its layers, who uses and locks it.")
final class InspectEnvironment extends Work {

  @Parameters(paramLabel = "ENVIRONMENT", description = "NAME, NAME:TAG, NAME@sha256:… or sha256:…")
  private String reference = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      Environment environment = sandgate.environments().get(reference).await().indefinitely();
      if (console().json()) {
        console().json(environment);
      } else {
        List<EnvironmentLock> locks = sandgate.environments().locks("").await().indefinitely();
        console().table(List.of("", ""), rows(environment, locks));
      }
    }
    return ExitCode.OK;
  }

  private static List<List<String>> rows(Environment environment, List<EnvironmentLock> locks) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("name", Shown.name(environment)));
    rows.add(List.of("digest", environment.getDigest()));
    rows.add(List.of("user", environment.getUser()));
    rows.add(List.of("owner", Shown.owner(environment)));
    environment
        .getEnvMap()
        .forEach((name, value) -> rows.add(List.of("variable", name + "=" + value)));
    if (!environment.getCwd().isEmpty()) {
      rows.add(List.of("directory", environment.getCwd()));
    }
    rows.add(List.of("created", Shown.time(environment.getCreatedAt())));
    rows.add(List.of("size", Shown.size(environment)));
    rows.add(List.of("sandboxes", String.valueOf(environment.getSandboxes())));
    rows.add(List.of("used", used(environment.getUses())));
    environment.getUses().getWeeksList().forEach(week -> rows.add(week(week)));
    locks.stream()
        .filter(lock -> lock.getDigest().equals(environment.getDigest()))
        .forEach(lock -> rows.add(List.of("locked by", lock.getJob())));
    for (LayerInfo layer : environment.getLayersList()) {
      rows.add(
          List.of(
              Shown.kind(layer),
              "%s %s  %s  %s  used %d times, %s"
                  .formatted(
                      layer.getDigest(),
                      Sizes.show(layer.getSizeBytes()),
                      layer.getName(),
                      layer.getSource(),
                      layer.getUses().getCreated(),
                      Shown.accessed(layer))));
    }
    return rows;
  }

  private static String used(UseStatistics uses) {
    return "%d times, by %d jobs (%.1f each), last %s"
        .formatted(
            uses.getCreated(),
            uses.getJobs(),
            uses.getSandboxesPerJob(),
            Shown.time(uses.getLastUsedAt()));
  }

  private static List<String> week(WeekOfUse week) {
    String day = Shown.time(week.getBeginsAt()).substring(0, "2000-01-01".length());
    return List.of("week of " + day, week.getCreated() + " times");
  }
}
