// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.proto.v1.UploadArchiveRequest;
import dev.sandgate.proto.v1.UploadArchiveResponse;
import dev.sandgate.proto.v1.WriteFileRequest;
import dev.sandgate.proto.v1.WriteFileResponse;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Files.ExtractTarget;
import dev.sandgate.spi.Files.Extracted;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;

/** What can be sent into a sandbox: a file, an archive. */
final class Writes {

  private static final int MOST_ENTRIES = 10_000_000;
  private static final int DEFAULT_ENTRIES = 500_000;

  private Writes() {}

  static final Upload.Kind<WriteFileRequest, WriteFileResponse> FILE =
      new Upload.Kind<>(
          Capability.FILES,
          WriteFileRequest::getSandboxId,
          WriteFileRequest::getData,
          Writes::file);

  static final Upload.Kind<UploadArchiveRequest, UploadArchiveResponse> ARCHIVE =
      new Upload.Kind<>(
          Capability.ARCHIVES,
          UploadArchiveRequest::getSandboxId,
          UploadArchiveRequest::getData,
          Writes::archive);

  private static BiFunction<Files, Multi<ByteBuffer>, Uni<WriteFileResponse>> file(
      WriteFileRequest request) {
    WriteTarget target = target(request);
    return (files, data) ->
        files
            .write(target, data)
            .map(written -> WriteFileResponse.newBuilder().setBytesWritten(written).build());
  }

  private static WriteTarget target(WriteFileRequest request) {
    WriteMode mode =
        switch (request.getWriteMode()) {
          case WRITE_MODE_UNSPECIFIED, WRITE_MODE_TRUNCATE -> WriteMode.TRUNCATE;
          case WRITE_MODE_CREATE -> WriteMode.CREATE;
          case WRITE_MODE_APPEND -> WriteMode.APPEND;
          case WRITE_MODE_RESUME -> WriteMode.RESUME;
          case UNRECOGNIZED -> throw invalid("write_mode", "unknown; give WRITE_MODE_TRUNCATE");
        };
    if (request.getOffset() != 0 && mode != WriteMode.RESUME) {
      throw invalid("offset", "it is for WRITE_MODE_RESUME only; leave it 0");
    }
    return new WriteTarget(
        Fields.user("user", request.getUser()),
        Fields.path("path", request.getPath()),
        Infos.mode(request.getMode(), 0644),
        mode,
        Fields.range("offset", request.getOffset(), 0, Long.MAX_VALUE),
        request.getParents());
  }

  private static BiFunction<Files, Multi<ByteBuffer>, Uni<UploadArchiveResponse>> archive(
      UploadArchiveRequest request) {
    ExtractTarget target =
        new ExtractTarget(
            Fields.user("user", request.getUser()),
            Fields.path("path", request.getPath()),
            request.getParents(),
            Fields.rangeOr("max_bytes", request.getMaxBytes(), 1, Long.MAX_VALUE, Long.MAX_VALUE),
            (int)
                Fields.rangeOr(
                    "max_entries", request.getMaxEntries(), 1, MOST_ENTRIES, DEFAULT_ENTRIES));
    return (files, data) -> files.extract(target, data).map(Writes::response);
  }

  private static UploadArchiveResponse response(Extracted extracted) {
    return UploadArchiveResponse.newBuilder()
        .setBytesWritten(extracted.bytes())
        .setEntries(extracted.entries())
        .build();
  }
}
