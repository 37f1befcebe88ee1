// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.waking;

import dev.sandgate.spi.Connection;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/** A connection to a port in a sandbox that wakes up when something is sent. */
record WakingConnection(Connection connection, PauseGate gate) implements Connection {

  @Override
  public Multi<ByteBuffer> input() {
    return connection.input();
  }

  @Override
  public Uni<Void> write(ByteBuffer data, boolean end) {
    return gate.begin(() -> connection.write(data, end));
  }

  @Override
  public void close() {
    connection.close();
  }
}
