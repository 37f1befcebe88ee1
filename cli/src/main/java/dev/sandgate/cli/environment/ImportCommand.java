// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.copy.FileChunks;
import dev.sandgate.cli.output.Progress;
import dev.sandgate.client.Environments;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.LayerKind;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes an environment and tells how it goes. */
@Command(
    name = "import",
    description = "Make an environment from a builtin, an image, a directory or a tar archive.")
final class ImportCommand extends Work {

  @Parameters(paramLabel = "NAME", description = "1-63 characters of [a-z0-9._-].")
  private String name = "";

  @ArgGroup(multiplicity = "1")
  private @Nullable Source source;

  @Option(names = "--tag", paramLabel = "TAG", description = "Default: latest")
  private String tag = "";

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "base, workspace or toolkit. Default: base")
  private String kind = "base";

  @Option(
      names = "--on",
      paramLabel = "NAME",
      description = "What it stands on, lowest first; may be repeated.")
  private List<String> on = List.of();

  @Option(
      names = "--user",
      paramLabel = "USER[:GROUP]",
      description = "Who runs commands by default.")
  private String user = "";

  @Option(names = "--replace", description = "Move a name that is taken.")
  private boolean replace;

  @Option(
      names = "--share",
      description = "Put it into the directory of layers that nodes share too.")
  private boolean share;

  /** Where the files come from; one of them. */
  static final class Source {

    @Option(
        names = "--builtin",
        paramLabel = "NAME",
        description = "busybox (seconds) or debian (a minute, once).")
    private @Nullable String builtin;

    @Option(names = "--dir", paramLabel = "DIR", description = "A directory on the node.")
    private @Nullable Path directory;

    @Option(names = "--node-tar", paramLabel = "FILE", description = "A tar archive on the node.")
    private @Nullable Path nodeTar;

    @Option(
        names = "--tar",
        paramLabel = "FILE",
        description = "A tar archive here, which is uploaded.")
    private @Nullable Path tar;

    @Option(
        names = "--image",
        paramLabel = "IMAGE",
        description = {
          "An OCI or Docker image: docker://HOST/NAME:TAG from a registry; or on the node",
          "oci:/DIR:NAME, oci-archive:/FILE, docker-archive:/FILE."
        })
    private @Nullable String image;
  }

  @Override
  public Integer call() throws IOException {
    try (Sandgate sandgate = global().connect()) {
      Environment made = follow(steps(sandgate.environments(), Objects.requireNonNull(source)));
      if (share) {
        sandgate.environments().share(name + ":" + made.getTag(), replace).await().indefinitely();
      }
      Shown.print(console(), made);
    }
    return ExitCode.OK;
  }

  private ImportEnvironmentRequest.Builder request() {
    return ImportEnvironmentRequest.newBuilder()
        .setName(name)
        .setTag(tag)
        .setKind(kind())
        .addAllOn(on)
        .setUser(user)
        .setReplace(replace);
  }

  private LayerKind kind() {
    try {
      return LayerKind.valueOf("LAYER_KIND_" + kind.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw CommandFailure.usage(
          "--kind: '" + kind + "' is unknown, give base, workspace or toolkit");
    }
  }

  private Multi<ImportProgress> steps(Environments environments, Source from) {
    if (from.tar != null) {
      FileChunks.check(from.tar);
      return environments.upload(request().build(), FileChunks.of(from.tar));
    }
    ImportEnvironmentRequest.Builder request = request();
    if (from.builtin != null) {
      request.setBuiltin(from.builtin);
    } else if (from.image != null) {
      request.setImage(from.image);
    } else if (from.directory != null) {
      request.setDirectory(from.directory.toAbsolutePath().normalize().toString());
    } else {
      request.setTar(Objects.requireNonNull(from.nodeTar).toAbsolutePath().normalize().toString());
    }
    return environments.importFrom(request.build());
  }

  private Environment follow(Multi<ImportProgress> steps) {
    Environment made = Environment.getDefaultInstance();
    try (Progress progress = console().progress()) {
      for (ImportProgress step : steps.subscribe().asIterable()) {
        String percent = step.getPercent() < 0 ? "" : " " + step.getPercent() + " %";
        progress.update(name + ": " + step.getPhase() + percent);
        made = step.hasEnvironment() ? step.getEnvironment() : made;
      }
    }
    return made;
  }
}
