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
import java.util.Iterator;
import java.util.concurrent.ArrayBlockingQueue;

/** The archive in a call's messages as a stream to read on a virtual thread; a few messages are read ahead. */
final class UploadStream extends InputStream {

  private static final int AHEAD = 8;
  private static final int CHUNK = 64 << 10;

  private final Iterator<ImportEnvironmentRequest> messages;
  private ByteString current;
  private int position;

  UploadStream(
      ImportEnvironmentRequest first, Call<ImportEnvironmentRequest, ImportProgress> call) {
    current = checked(first);
    messages =
        Inflow.of(call)
            .subscribe()
            .asIterable(AHEAD, () -> new ArrayBlockingQueue<>(2 * AHEAD))
            .iterator();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (position == current.size()) {
      if (!messages.hasNext()) {
        return -1;
      }
      current = checked(messages.next());
      position = 0;
    }
    int taken = Math.min(length, current.size() - position);
    current.substring(position, position + taken).copyTo(target, offset);
    position += taken;
    return taken;
  }

  private static ByteString checked(ImportEnvironmentRequest message) {
    if (message.getData().size() > CHUNK) {
      throw SandgateException.invalid("data", "send at most 64 KiB in one message");
    }
    return message.getData();
  }
}
