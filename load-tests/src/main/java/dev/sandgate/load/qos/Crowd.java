// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.qos;

import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.proto.v1.Command;
import java.util.ArrayList;
import java.util.List;

/**
 * Sandboxes of one class that can be told to spin, one command in each.
 *
 * @param sandboxes removed with their platform
 */
record Crowd(List<SandboxHandle> sandboxes) {

  static final Command SPIN = Execs.shell("while :; do :; done").build();

  /** Commands that spin until this is closed. */
  static final class Spinning implements AutoCloseable {

    private final List<ExecHandle> commands = new ArrayList<>();

    @Override
    public void close() {
      commands.forEach(command -> Platform.await(command.kill()));
      commands.forEach(command -> Platform.await(command.result()));
    }
  }

  Spinning spin() {
    Spinning spinning = new Spinning();
    for (SandboxHandle sandbox : sandboxes) {
      spinning.commands.add(Platform.await(sandbox.execs().start(SPIN)));
    }
    return spinning;
  }
}
