// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Environment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;

/** Lists environments. */
@Command(name = "ls", description = "List environments.")
final class ListEnvironments extends Work {

  @Override
  public Integer call() {
    Console console = console();
    try (Sandgate sandgate = global().connect()) {
      List<Environment> all = sandgate.environments().list().await().indefinitely();
      if (console.json()) {
        console.json(all);
      } else {
        console.table(
            List.of(
                "NAME",
                "TAG",
                "LAYERS",
                "SIZE",
                "LOCAL",
                "USER",
                "OWNER",
                "SANDBOXES",
                "USED",
                "JOBS",
                "DIGEST"),
            all.stream().map(ListEnvironments::row).toList());
        notes(all).forEach(console::note);
      }
    }
    return ExitCode.OK;
  }

  /** What is wrong with names. */
  static List<String> notes(List<Environment> all) {
    List<String> notes = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Environment one : all) {
      String name = Shown.name(one);
      if (!one.getDamaged().isEmpty()) {
        notes.add(name + ": " + one.getDamaged());
      }
      if (one.getDamaged().isEmpty() && !names.add(name)) {
        notes.add(name + ": nodes have different contents of it; import it again with --replace");
      }
    }
    return notes;
  }

  private static List<String> row(Environment environment) {
    return List.of(
        environment.getName(),
        environment.getTag(),
        String.valueOf(environment.getLayersCount()),
        Shown.size(environment),
        Shown.local(environment),
        environment.getUser(),
        Shown.owner(environment),
        String.valueOf(environment.getSandboxes()),
        String.valueOf(environment.getUses().getCreated()),
        String.valueOf(environment.getUses().getJobs()),
        environment.getDamaged().isEmpty() ? Shown.digest(environment.getDigest()) : "damaged");
  }
}
