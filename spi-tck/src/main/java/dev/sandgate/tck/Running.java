// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.Exec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A command that was started, and the recorder of its events. */
record Running(Exec exec, Recorder events) {

  static final int SIGKILL = 9;

  Result result() {
    Result result = events.result();
    Waiting.on(exec.release());
    return result;
  }

  void signal(int number, Exec.SignalTarget target) {
    Waiting.on(exec.signal(number, target));
  }

  /** Kills the whole tree and waits for the exit. */
  Result kill() {
    signal(SIGKILL, Exec.SignalTarget.TREE);
    events.request(Long.MAX_VALUE);
    return result();
  }

  long write(long offset, String text, boolean end) {
    ByteBuffer data = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    return Waiting.on(exec.write(offset, data, end));
  }
}
