// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import com.google.protobuf.ByteString;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Inflow;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;

/** The archive in a call's messages as a stream to read on a virtual thread; a few messages are read ahead. */
final class UploadStream extends InputStream {

  private static final int AHEAD = 8;
  private static final int CHUNK = 64 << 10;

  private final ArrivingMessages<ImportEnvironmentRequest> messages;
  private ByteString current;
  private int position;

  UploadStream(
      ImportEnvironmentRequest first,
      Call<ImportEnvironmentRequest, ImportProgress> call,
      Duration stall) {
    current = checked(first);
    messages = new ArrivingMessages<>(AHEAD, stall);
    Inflow.of(call).subscribe().withSubscriber(messages);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (position == current.size()) {
      Optional<ImportEnvironmentRequest> next = messages.next();
      if (next.isEmpty()) {
        return -1;
      }
      current = checked(next.get());
      position = 0;
    }
    int taken = Math.min(length, current.size() - position);
    current.substring(position, position + taken).copyTo(target, offset);
    position += taken;
    return taken;
  }

  @Override
  public void close() {
    messages.cancel();
  }

  private static ByteString checked(ImportEnvironmentRequest message) {
    if (message.getData().size() > CHUNK) {
      throw SandgateException.invalid("data", "send at most 64 KiB in one message");
    }
    return message.getData();
  }
}
