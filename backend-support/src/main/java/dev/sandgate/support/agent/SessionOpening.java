// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The first frames of what belongs to sessions; their shells' ids have a mark that no caller's exec id can have. */
final class SessionOpening {

  private static final char MARK = '~';
  private static final int STDIN = 1;

  private SessionOpening() {}

  /** How the guest calls the shell of a session. */
  static String shellId(String sessionId) {
    return MARK + sessionId;
  }

  /** A session's shell. */
  record Shell(SessionSpec spec) implements ExecOpening {

    @Override
    public String id() {
      return shellId(spec.id());
    }

    @Override
    public String subject() {
      return "session " + spec.id();
    }

    @Override
    public ReceiveWindow[] windows() {
      return new ReceiveWindow[] {ReceiveWindow.fresh(1), ReceiveWindow.fresh(2)};
    }

    @Override
    public boolean stdinOpen() {
      return false;
    }

    @Override
    public boolean terminal() {
      return false;
    }

    @Override
    public boolean fresh() {
      return true;
    }

    @Override
    public void open(Link link, Exchange exchange) {
      link.open(
          exchange,
          FrameType.SESSION_OPEN,
          0,
          f ->
              f.str(id())
                  .str(spec.cwd())
                  .str(spec.user())
                  .u16(0)
                  .u16(0)
                  .u32(0)
                  .list(spec.shell().isEmpty() ? List.of() : List.of(spec.shell()))
                  .list(ExecOpening.assignments(spec.env())));
    }
  }

  /** A script in a session's shell. */
  record Script(SessionCommand command) implements ExecOpening {

    @Override
    public String id() {
      return command.id();
    }

    @Override
    public String subject() {
      return "session " + command.sessionId();
    }

    @Override
    public ReceiveWindow[] windows() {
      return new ReceiveWindow[] {ReceiveWindow.fresh(1), ReceiveWindow.fresh(2)};
    }

    @Override
    public boolean stdinOpen() {
      return command.stdin();
    }

    @Override
    public boolean terminal() {
      return false;
    }

    @Override
    public boolean fresh() {
      return true;
    }

    @Override
    public Optional<String> shell() {
      return Optional.of(shellId(command.sessionId()));
    }

    @Override
    public void open(Link link, Exchange exchange) {
      link.open(
          exchange,
          FrameType.SESSION_RUN,
          command.stdin() ? STDIN : 0,
          f ->
              f.str(shellId(command.sessionId()))
                  .str(command.id())
                  .bytes(ByteBuffer.wrap(command.script().getBytes(StandardCharsets.UTF_8))));
    }
  }
}
