// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Progress;
import dev.sandgate.cli.terminal.Interruption;
import dev.sandgate.client.Files;
import dev.sandgate.client.Sandgate;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies files and directories in and out of a sandbox. */
@Command(
    name = "cp",
    description = "Copy files and directories in or out of a sandbox.",
    footer = {
      "",
      "A directory is copied with everything in it. When DST is a directory, SRC goes into",
      "it; otherwise DST is the new name. Modes and symbolic links are kept, set-id bits are not.",
      "A file, or a tree that is new, has its name when it is whole: until then it is .sandgate-cp-…"
    })
public final class CopyCommand extends Work {

  @Parameters(index = "0", paramLabel = "SRC", description = "PATH or SANDBOX:/PATH")
  private String source = "";

  @Parameters(index = "1", paramLabel = "DST", description = "PATH or SANDBOX:/PATH")
  private String target = "";

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "Who reads or writes inside.")
  private String user = "";

  @Override
  public Integer call() throws IOException {
    Place from = Place.parse(source);
    Place to = Place.parse(target);
    return Interruption.ends(() -> copy(from, to));
  }

  private int copy(Place from, Place to) throws IOException {
    try (Sandgate sandgate = global().connect();
        Progress progress = console().progress()) {
      Tally tally = new Tally(progress);
      switch (from) {
        case Place.Local local when to instanceof Place.Inside inside ->
            new CopyIn(files(sandgate, inside), tally).copy(local.path(), inside.path());
        case Place.Inside inside when to instanceof Place.Local local ->
            new CopyOut(files(sandgate, inside), tally).copy(inside.path(), local.path());
        default ->
            throw CommandFailure.usage(
                "one of SRC and DST is SANDBOX:/PATH and the other a local path");
      }
      tell(tally);
    }
    return ExitCode.OK;
  }

  private Files files(Sandgate sandgate, Place.Inside inside) {
    Files files = sandgate.sandboxes().handle(inside.sandboxId()).files();
    return user.isEmpty() ? files : files.as(user);
  }

  private void tell(Tally tally) {
    if (console().json()) {
      console().json(Map.of("files", tally.files(), "bytes", tally.bytes()));
    } else {
      tally.done();
    }
  }
}
