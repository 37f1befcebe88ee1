// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.image;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Progress;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.cli.terminal.Interruption;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportedImage;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Writes an environment, or a snapshot, as an image of the OCI. */
@Command(
    name = "export",
    description = "Write it as an OCI image, here or to a registry; what fails leaves nothing.")
public final class ExportCommand extends Work {

  @Parameters(
      index = "0",
      paramLabel = "REFERENCE",
      description = "NAME, NAME:TAG or NAME@sha256:…")
  private String reference = "";

  @Parameters(
      index = "1",
      paramLabel = "DESTINATION",
      description = {
        "oci:DIR[:TAG], a directory that is not there yet; oci-archive:FILE[:TAG];",
        "or docker://HOST/NAME:TAG, sent by the node."
      })
  private String destination = "";

  /** For picocli. */
  public ExportCommand() {}

  @Override
  public Integer call() throws IOException {
    return Interruption.ends(this::export);
  }

  private int export() throws IOException {
    ExportEnvironmentRequest.Builder request =
        ExportEnvironmentRequest.newBuilder().setReference(reference);
    ExportedImage image;
    try (Sandgate sandgate = global().connect();
        Progress progress = console().progress()) {
      if (destination.startsWith("docker://")) {
        image = new Exporting(sandgate, request.setPush(destination).build(), progress).rest();
      } else if (destination.startsWith("oci-archive:")) {
        image = archive(sandgate, request, progress, rest("oci-archive:"));
      } else if (destination.startsWith("oci:")) {
        image = directory(sandgate, request, progress, rest("oci:"));
      } else {
        throw CommandFailure.usage(
            "'"
                + destination
                + "' is no destination; give oci:DIR, oci-archive:FILE or docker://…");
      }
    }
    show(image);
    return ExitCode.OK;
  }

  private static ExportedImage archive(
      Sandgate sandgate, ExportEnvironmentRequest.Builder request, Progress progress, Named to)
      throws IOException {
    LocalImage.requireFile(to.path());
    Exporting export = new Exporting(sandgate, request.setTag(to.tag()).build(), progress);
    return LocalImage.archive(to.path(), export);
  }

  private static ExportedImage directory(
      Sandgate sandgate, ExportEnvironmentRequest.Builder request, Progress progress, Named to)
      throws IOException {
    LocalImage.requireFree(to.path());
    Exporting export = new Exporting(sandgate, request.setTag(to.tag()).build(), progress);
    return LocalImage.directory(to.path(), export);
  }

  /** A path and, behind a colon, a tag. */
  private record Named(Path path, String tag) {}

  private Named rest(String kind) {
    String rest = destination.substring(kind.length());
    int colon = rest.lastIndexOf(':');
    String path = colon < 0 ? rest : rest.substring(0, colon);
    if (path.isEmpty()) {
      throw CommandFailure.usage("'" + destination + "' names no file");
    }
    return new Named(Path.of(path), colon < 0 ? "" : rest.substring(colon + 1));
  }

  private void show(ExportedImage image) {
    if (console().json()) {
      console().json(image);
    } else {
      console()
          .line(
              "%s  %d layers, %s  %s"
                  .formatted(
                      destination,
                      image.getLayers(),
                      Sizes.show(image.getSizeBytes()),
                      image.getDigest()));
    }
  }
}
