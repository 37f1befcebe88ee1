// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import static dev.sandgate.node.checks.Fields.path;
import static dev.sandgate.node.checks.Fields.rangeOr;
import static dev.sandgate.node.checks.Fields.user;

import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Outflow;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.proto.v1.ChecksumFileRequest;
import dev.sandgate.proto.v1.ChecksumFileResponse;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.FilesGrpcService;
import dev.sandgate.proto.v1.ListFilesRequest;
import dev.sandgate.proto.v1.ListFilesResponse;
import dev.sandgate.proto.v1.MakeDirectoryRequest;
import dev.sandgate.proto.v1.MakeDirectoryResponse;
import dev.sandgate.proto.v1.MoveFileRequest;
import dev.sandgate.proto.v1.MoveFileResponse;
import dev.sandgate.proto.v1.ReadFileRequest;
import dev.sandgate.proto.v1.ReadFileResponse;
import dev.sandgate.proto.v1.RemoveFileRequest;
import dev.sandgate.proto.v1.RemoveFileResponse;
import dev.sandgate.proto.v1.SetFileAttributesRequest;
import dev.sandgate.proto.v1.SetFileAttributesResponse;
import dev.sandgate.proto.v1.StatFileRequest;
import dev.sandgate.proto.v1.WriteFileRequest;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Sandbox;
import io.smallrye.mutiny.Uni;
import java.util.function.Consumer;

/** The methods of {@code sandgate.v1.Files}: checked, then done by the backend inside the sandbox. */
public final class FilesService {

  private static final int ENTRIES_PER_MESSAGE = 100;
  private static final int MAX_OWNER = 129;

  private final Sandboxes sandboxes;

  /** Serves the files of these sandboxes. */
  public FilesService(Sandboxes sandboxes) {
    this.sandboxes = sandboxes;
  }

  /** Answers the methods. */
  public void route(Routes routes) {
    routes.answers(FilesGrpcService.Read, ReadFileRequest.parser(), this::read);
    routes.stream(
        FilesGrpcService.Write,
        WriteFileRequest.parser(),
        call -> new Upload<>(this, call, Writes.FILE).begin());
    routes.unary(FilesGrpcService.Stat, StatFileRequest.parser(), this::stat);
    routes.answers(FilesGrpcService.List, ListFilesRequest.parser(), this::list);
    routes.unary(
        FilesGrpcService.MakeDirectory, MakeDirectoryRequest.parser(), this::makeDirectory);
    routes.unary(FilesGrpcService.Move, MoveFileRequest.parser(), this::move);
    routes.unary(FilesGrpcService.Remove, RemoveFileRequest.parser(), this::remove);
    routes.unary(
        FilesGrpcService.SetAttributes, SetFileAttributesRequest.parser(), this::setAttributes);
    routes.unary(FilesGrpcService.Checksum, ChecksumFileRequest.parser(), this::checksum);
    new Trees(this).route(routes);
  }

  private Uni<Sandbox> sandbox(Capability capability, String sandboxId) {
    LiveSandbox live = sandboxes.find(sandboxId);
    return Uni.createFrom()
        .completionStage(() -> sandboxes.settled(live).copy())
        .map(settled -> settled.running(capability));
  }

  /** The files of a running sandbox. */
  private Uni<Files> files(String sandboxId) {
    return sandbox(Capability.FILES, sandboxId).map(Sandbox::files);
  }

  /** Does something with the files of a running sandbox, then fails or goes on with the call. */
  void with(Capability capability, String sandboxId, Call<?, ?> call, Consumer<Files> action) {
    withSandbox(capability, sandboxId, call, sandbox -> action.accept(sandbox.files()));
  }

  /** Does something with a running sandbox, then fails or goes on with the call. */
  void withSandbox(
      Capability capability, String sandboxId, Call<?, ?> call, Consumer<Sandbox> action) {
    sandbox(capability, sandboxId)
        .subscribe()
        .with(
            sandbox -> call.execute(() -> act(call, sandbox, action)),
            failure -> call.execute(() -> call.fail(failure)));
  }

  private static void act(Call<?, ?> call, Sandbox sandbox, Consumer<Sandbox> action) {
    try {
      action.accept(sandbox);
    } catch (RuntimeException e) {
      call.fail(e);
    }
  }

  private void read(ReadFileRequest request, Call<ReadFileRequest, ReadFileResponse> call) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    long offset = Fields.range("offset", request.getOffset(), 0, Long.MAX_VALUE);
    long length = rangeOr("length", request.getLength(), 1, Long.MAX_VALUE, -1);
    with(
        Capability.FILES,
        request.getSandboxId(),
        call,
        files ->
            Outflow.send(
                files.read(user, path, offset, length),
                call,
                data ->
                    ReadFileResponse.newBuilder()
                        .setData(UnsafeByteOperations.unsafeWrap(data))
                        .build(),
                call::finish));
  }

  private Uni<FileInfo> stat(StatFileRequest request) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    return files(request.getSandboxId()).flatMap(files -> files.stat(user, path)).map(Infos::shown);
  }

  private void list(ListFilesRequest request, Call<ListFilesRequest, ListFilesResponse> call) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    int depth = (int) rangeOr("depth", request.getDepth(), 1, 64, 1);
    with(
        Capability.FILES,
        request.getSandboxId(),
        call,
        files ->
            Outflow.send(
                files.list(user, path, depth).group().intoLists().of(ENTRIES_PER_MESSAGE),
                call,
                entries ->
                    ListFilesResponse.newBuilder()
                        .addAllEntries(entries.stream().map(Infos::shown).toList())
                        .build(),
                call::finish));
  }

  private Uni<MakeDirectoryResponse> makeDirectory(MakeDirectoryRequest request) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    int mode = Infos.mode(request.getMode(), 0755);
    return files(request.getSandboxId())
        .flatMap(files -> files.makeDirectory(user, path, mode, request.getParents()))
        .map(_ -> MakeDirectoryResponse.getDefaultInstance());
  }

  private Uni<MoveFileResponse> move(MoveFileRequest request) {
    String from = path("from", request.getFrom());
    String to = path("to", request.getTo());
    String user = user("user", request.getUser());
    return files(request.getSandboxId())
        .flatMap(files -> files.move(user, from, to))
        .map(_ -> MoveFileResponse.getDefaultInstance());
  }

  private Uni<RemoveFileResponse> remove(RemoveFileRequest request) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    return files(request.getSandboxId())
        .flatMap(files -> files.remove(user, path, request.getRecursive()))
        .map(_ -> RemoveFileResponse.getDefaultInstance());
  }

  private Uni<SetFileAttributesResponse> setAttributes(SetFileAttributesRequest request) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    int mode = request.hasMode() ? (int) Fields.range("mode", request.getMode(), 0, 07777) : -1;
    String owner = Fields.text("owner", request.getOwner(), MAX_OWNER);
    return files(request.getSandboxId())
        .flatMap(files -> files.setAttributes(user, path, new Files.Attributes(mode, owner)))
        .map(_ -> SetFileAttributesResponse.getDefaultInstance());
  }

  private Uni<ChecksumFileResponse> checksum(ChecksumFileRequest request) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    return files(request.getSandboxId())
        .flatMap(files -> files.checksum(user, path))
        .map(
            sum ->
                ChecksumFileResponse.newBuilder()
                    .setSha256(sum.sha256())
                    .setSize(sum.size())
                    .build());
  }
}
