// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.config.TransferSettings;
import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.node.export.Destination;
import dev.sandgate.node.export.ImageExport;
import dev.sandgate.node.export.ImageExport.Part;
import dev.sandgate.node.export.ImageExport.Source;
import dev.sandgate.node.export.ImageExport.Written;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.ExportedImage;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.subscription.Cancellable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Gives environments away as images of the OCI: to the caller as an archive, byte by byte as it takes them, or to a registry. */
final class Exports {

  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  private static final Duration PUSH = Duration.ofMinutes(30);
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
  private static final Pattern REGISTRY =
      Pattern.compile("docker://[A-Za-z0-9._:/@\\[\\]-]{1,1000}");

  private final Environments environments;
  private final Reach reach;
  private final Path work;
  private final DiskReserve.Room room;
  private final Places places;
  private final Duration stall;

  Exports(Environments environments, Reach reach, EnvironmentParts parts) {
    this.environments = environments;
    this.reach = reach;
    this.places = new Places(TransferSettings.EXPORTS, parts.transfers().exports());
    this.stall = parts.transfers().stall();
    this.work = parts.data().resolve("exports");
    try {
      Tree.delete(work);
      Files.createDirectories(work);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.room = parts.reserve().room(work);
  }

  void route(Routes routes) {
    routes.answers(EnvironmentsGrpcService.Export, ExportEnvironmentRequest.parser(), this::export);
  }

  private void export(
      ExportEnvironmentRequest request,
      Call<ExportEnvironmentRequest, ExportEnvironmentResponse> call) {
    Cancellable running =
        Blocking.call(() -> run(request, call))
            .subscribe()
            .with(
                written -> call.execute(() -> call.finish(done(written))),
                failure -> call.execute(() -> call.fail(failure)));
    call.onClose(running::cancel);
  }

  private Written run(ExportEnvironmentRequest request, Call<?, ExportEnvironmentResponse> call) {
    Named named = environments.require("reference", request.getReference());
    String tag = request.getTag().isEmpty() ? "latest" : request.getTag();
    Fields.matches("tag", tag, TAG, "1–128 characters of [A-Za-z0-9._-]");
    try (Places.Place _ = places.take(phase -> report(call, phase))) {
      return write(named, tag, request, call);
    } catch (IOException | RuntimeException e) {
      throw environments.explained(e);
    }
  }

  private Written write(
      Named named,
      String tag,
      ExportEnvironmentRequest request,
      Call<?, ExportEnvironmentResponse> call)
      throws IOException {
    Stack stack = environments.held(named);
    try {
      if (!request.getPush().isEmpty()) {
        requireRoom(stack);
      }
      for (Layer layer : stack.layers()) {
        requireWhole(layer);
      }
      ImageExport image = new ImageExport(source(named, stack, tag), phase -> report(call, phase));
      return request.getPush().isEmpty() ? stream(image, call) : push(image, tag, request, call);
    } finally {
      environments.uses().release(stack);
    }
  }

  /** What is pushed is written to the disk before. */
  private void requireRoom(Stack stack) throws IOException {
    long bytes = 0;
    for (Layer layer : stack.layers()) {
      bytes += Files.size(layer.image());
    }
    room.require(bytes);
  }

  private static void requireWhole(Layer layer) throws IOException {
    if (!LayerStore.digest(layer.image()).equals(layer.digest())) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "reference",
          "reference: the layer " + layer.digest() + " is damaged on this node; make it again",
          null);
    }
  }

  private Source source(Named named, Stack stack, String tag) {
    List<Part> parts = new ArrayList<>();
    for (Layer layer : stack.layers()) {
      String comment = reach.layer(layer.digest()).map(StoredLayer::source).orElse("");
      parts.add(new Part(layer.image(), layer.digest(), comment));
    }
    return new Source(
        parts,
        config(named.published()),
        Instant.ofEpochMilli(named.createdMillis()),
        Map.of("dev.sandgate.environment", named.key(), "dev.sandgate.digest", named.digest()),
        tag);
  }

  /** Whoever runs it elsewhere looks for programs where sandboxes do. */
  private static Map<String, Object> config(Published published) {
    Map<String, String> env = new TreeMap<>(Map.of("PATH", PATH));
    env.putAll(published.env());
    Map<String, Object> config = new TreeMap<>();
    config.put("User", published.user());
    config.put("Env", env.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
    if (!published.cwd().isEmpty()) {
      config.put("WorkingDir", published.cwd());
    }
    return config;
  }

  private Written stream(ImageExport image, Call<?, ExportEnvironmentResponse> call)
      throws IOException {
    CallOutput out = new CallOutput(call, stall);
    Written written = image.write(Destination.archive(out));
    out.end();
    return written;
  }

  /** A registry is told a blob's digest before its bytes by skopeo, which wants the image in files. */
  private Written push(
      ImageExport image,
      String tag,
      ExportEnvironmentRequest request,
      Call<?, ExportEnvironmentResponse> call)
      throws IOException {
    String to = Fields.matches("push", request.getPush(), REGISTRY, "docker://HOST/NAME:TAG");
    Path place = Files.createDirectory(work.resolve(UUID.randomUUID().toString()));
    try {
      Written written = image.write(Destination.directory(place, room::require));
      Consumer<String> progress = line -> report(call, ImageImport.shortened(line));
      progress.accept("sending the image");
      List<String> command =
          new ArrayList<>(List.of("skopeo", "--insecure-policy", "copy", "--retry-times=2"));
      if (ImageImport.onLoopback(to)) {
        command.add("--dest-tls-verify=false");
      }
      command.addAll(List.of("--", "oci:" + place + ":" + tag, to));
      new Tool(PUSH, command.toArray(String[]::new)).moving(stall).run(progress);
      return written;
    } finally {
      Tree.delete(place);
    }
  }

  private static void report(Call<?, ExportEnvironmentResponse> call, String phase) {
    call.execute(
        () -> {
          if (call.writable()) {
            call.send(ExportEnvironmentResponse.newBuilder().setPhase(phase).build());
          }
        });
  }

  private static ExportEnvironmentResponse done(Written written) {
    return ExportEnvironmentResponse.newBuilder()
        .setImage(
            ExportedImage.newBuilder()
                .setDigest(written.digest())
                .setLayers(written.layers())
                .setSizeBytes(written.size()))
        .build();
  }
}
