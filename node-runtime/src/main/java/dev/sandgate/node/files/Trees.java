// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import static dev.sandgate.node.checks.Fields.path;
import static dev.sandgate.node.checks.Fields.user;

import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Outflow;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.proto.v1.DownloadArchiveRequest;
import dev.sandgate.proto.v1.DownloadArchiveResponse;
import dev.sandgate.proto.v1.FilesGrpcService;
import dev.sandgate.proto.v1.ListChangesRequest;
import dev.sandgate.proto.v1.ListChangesResponse;
import dev.sandgate.proto.v1.UploadArchiveRequest;
import dev.sandgate.proto.v1.WatchFilesRequest;
import dev.sandgate.proto.v1.WatchFilesResponse;
import dev.sandgate.spi.Capability;

/** The methods of {@code sandgate.v1.Files} that deal with whole trees: archives, watching, changes. */
record Trees(FilesService service) {

  private static final int CHANGES_PER_MESSAGE = 100;

  void route(Routes routes) {
    routes.answers(
        FilesGrpcService.DownloadArchive, DownloadArchiveRequest.parser(), this::download);
    routes.stream(
        FilesGrpcService.UploadArchive,
        UploadArchiveRequest.parser(),
        call -> new Upload<>(service, call, Writes.ARCHIVE).begin());
    routes.answers(FilesGrpcService.Watch, WatchFilesRequest.parser(), this::watch);
    routes.answers(FilesGrpcService.Changes, ListChangesRequest.parser(), this::changes);
  }

  private void download(
      DownloadArchiveRequest request, Call<DownloadArchiveRequest, DownloadArchiveResponse> call) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    service.with(
        Capability.ARCHIVES,
        request.getSandboxId(),
        call,
        files ->
            Outflow.send(
                files.archive(user, path),
                call,
                data ->
                    DownloadArchiveResponse.newBuilder()
                        .setData(UnsafeByteOperations.unsafeWrap(data))
                        .build(),
                call::finish));
  }

  private void watch(WatchFilesRequest request, Call<WatchFilesRequest, WatchFilesResponse> call) {
    String path = path("path", request.getPath());
    String user = user("user", request.getUser());
    service.with(
        Capability.WATCH,
        request.getSandboxId(),
        call,
        files ->
            Outflow.send(
                files.watch(user, path, request.getRecursive()), call, Infos::shown, call::finish));
  }

  private void changes(
      ListChangesRequest request, Call<ListChangesRequest, ListChangesResponse> call) {
    service.withSandbox(
        Capability.CHANGES,
        request.getSandboxId(),
        call,
        sandbox ->
            Outflow.send(
                sandbox.changes().group().intoLists().of(CHANGES_PER_MESSAGE),
                call,
                changes ->
                    ListChangesResponse.newBuilder()
                        .addAllChanges(changes.stream().map(Infos::shown).toList())
                        .build(),
                call::finish));
  }
}
