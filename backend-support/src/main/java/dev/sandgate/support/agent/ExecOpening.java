// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.TerminalSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The first frame on an exec's channel. */
sealed interface ExecOpening
    permits ExecOpening.Start, ExecOpening.Attach, SessionOpening.Shell, SessionOpening.Script {

  /** The exec's id. */
  String id();

  /** What messages about it name. */
  String subject();

  /** Of stdout and stderr. */
  ReceiveWindow[] windows();

  /** Whether input may be sent. */
  boolean stdinOpen();

  /** Whether an end of input is just a character. */
  boolean terminal();

  /** Whether the command does not exist yet. */
  boolean fresh();

  /** The shell that runs it, for a script of a session. */
  default Optional<String> shell() {
    return Optional.empty();
  }

  /** Sends it on a fresh channel. */
  void open(Link link, Exchange exchange);

  /** A new command. */
  record Start(ExecSpec spec) implements ExecOpening {

    private static final int STDIN = 1;
    private static final int TERMINAL = 2;

    @Override
    public String id() {
      return spec.id();
    }

    @Override
    public String subject() {
      return spec.argv().getFirst();
    }

    @Override
    public ReceiveWindow[] windows() {
      return new ReceiveWindow[] {ReceiveWindow.fresh(1), ReceiveWindow.fresh(2)};
    }

    @Override
    public boolean stdinOpen() {
      return spec.stdin() || terminal();
    }

    @Override
    public boolean terminal() {
      return spec.terminal().isPresent();
    }

    @Override
    public boolean fresh() {
      return true;
    }

    @Override
    public void open(Link link, Exchange exchange) {
      TerminalSize size = spec.terminal().orElse(new TerminalSize(0, 0));
      int flags = (spec.stdin() ? STDIN : 0) | (terminal() ? TERMINAL : 0);
      link.open(
          exchange,
          FrameType.EXEC,
          flags,
          f ->
              f.str(spec.id())
                  .str(spec.cwd())
                  .str(spec.user())
                  .u16(size.columns())
                  .u16(size.rows())
                  .u32(spec.openFiles())
                  .list(spec.argv())
                  .list(assignments(spec.env())));
    }
  }

  /**
   * A command that the guest knows.
   *
   * @param id the command's
   * @param from the first byte wanted of each output
   * @param runBy the id of the shell that runs it, for a script of a session
   */
  record Attach(String id, OutputOffsets from, @Nullable String runBy) implements ExecOpening {

    @Override
    public Optional<String> shell() {
      return Optional.ofNullable(runBy);
    }

    @Override
    public String subject() {
      return "exec " + id;
    }

    @Override
    public ReceiveWindow[] windows() {
      return new ReceiveWindow[] {
        ReceiveWindow.resumed(1, from.stdout()), ReceiveWindow.resumed(2, from.stderr())
      };
    }

    @Override
    public boolean stdinOpen() {
      return true;
    }

    @Override
    public boolean terminal() {
      return false;
    }

    @Override
    public boolean fresh() {
      return false;
    }

    @Override
    public void open(Link link, Exchange exchange) {
      link.open(
          exchange, FrameType.ATTACH, 0, f -> f.str(id).u64(from.stdout()).u64(from.stderr()));
    }
  }

  /** Environment entries as the guest takes them. */
  static List<String> assignments(Map<String, String> env) {
    return env.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
  }
}
