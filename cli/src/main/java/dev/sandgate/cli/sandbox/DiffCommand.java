// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FileType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows what a sandbox changed. */
@Command(
    name = "diff",
    description = "Show what a sandbox changed in its environment.",
    footer = {
      "",
      "A added, M modified, D deleted; a directory ends with /, and with /* when what was in it",
      "before is gone. With --output json every change is a line of its own."
    })
public final class DiffCommand extends Work {

  @Parameters(paramLabel = "SANDBOX", description = "The sandbox's id.")
  private String sandbox = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      for (FileChange change :
          sandgate.sandboxes().handle(sandbox).files().trees().changes().subscribe().asIterable()) {
        show(change);
      }
    }
    return ExitCode.OK;
  }

  private void show(FileChange change) {
    if (console().json()) {
      console().json(change);
    } else {
      console().line(letter(change) + " " + printable(change.getPath()) + suffix(change));
    }
  }

  private static String letter(FileChange change) {
    return switch (change.getKind()) {
      case FILE_CHANGE_KIND_ADDED -> "A";
      case FILE_CHANGE_KIND_MODIFIED -> "M";
      case FILE_CHANGE_KIND_REMOVED -> "D";
      case FILE_CHANGE_KIND_UNSPECIFIED, UNRECOGNIZED -> "?";
    };
  }

  private static String suffix(FileChange change) {
    if (change.getType() != FileType.FILE_TYPE_DIRECTORY) {
      return "";
    }
    return change.getEmptied() ? "/*" : "/";
  }

  /** A name may hold anything; a line stays one. */
  private static String printable(String path) {
    return path.replaceAll("\\p{Cntrl}", "?");
  }
}
