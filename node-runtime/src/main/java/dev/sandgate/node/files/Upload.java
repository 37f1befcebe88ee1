// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import static dev.sandgate.spi.SandgateException.invalid;

import com.google.protobuf.ByteString;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Inflow;
import dev.sandgate.proto.v1.WriteFileRequest;
import dev.sandgate.proto.v1.WriteFileResponse;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.Cancellable;
import java.nio.ByteBuffer;

/** One write: the first message says where to, the data of all goes to the backend as it asks for it. */
final class Upload {

  private static final int CHUNK = 64 << 10;

  private final FilesService service;
  private final Call<WriteFileRequest, WriteFileResponse> call;

  Upload(FilesService service, Call<WriteFileRequest, WriteFileResponse> call) {
    this.service = service;
    this.call = call;
  }

  void begin() {
    call.pause();
    call.onMessage(this::first);
    call.onEnd(() -> call.fail(invalid("path", "the first message is missing")));
    call.fetch(1);
  }

  private void first(WriteFileRequest request) {
    WriteTarget target = target(request);
    service.with(request.getSandboxId(), call, files -> write(files, target, request));
  }

  private void write(Files files, WriteTarget target, WriteFileRequest first) {
    Multi<ByteBuffer> data =
        Multi.createBy()
            .concatenating()
            .streams(Multi.createFrom().item(first), Inflow.of(call))
            .map(Upload::checked)
            .filter(bytes -> !bytes.isEmpty())
            .map(ByteString::asReadOnlyByteBuffer);
    Cancellable writing =
        files
            .write(target, data)
            .subscribe()
            .with(
                written -> call.execute(() -> call.finish(response(written))),
                failure -> call.execute(() -> call.fail(failure)));
    call.onClose(writing::cancel);
  }

  private static ByteString checked(WriteFileRequest request) {
    if (request.getData().size() > CHUNK) {
      throw invalid(
          "data",
          "%,d bytes are too many; send at most 64 KiB".formatted(request.getData().size()));
    }
    return request.getData();
  }

  private static WriteFileResponse response(long written) {
    return WriteFileResponse.newBuilder().setBytesWritten(written).build();
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
}
