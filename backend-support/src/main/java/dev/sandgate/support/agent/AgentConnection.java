// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Connection;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.agent.Request.Question;
import io.smallrye.mutiny.Uni;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A greeted connection to a guest agent, and all that a sandbox does through it.
 *
 * <p>Made by {@link AgentLoop#connect}; alive until {@link #lost} completes. After that every call fails with {@code
 * SANDBOX_LOST}, and so does what was under way. Any thread may call; results come on the connection's event loop, which
 * must not be blocked.
 */
public final class AgentConnection implements AutoCloseable {

  private final Link link;
  private final Greeting greeting;
  private final OomWatch oom;
  private final Files files;

  AgentConnection(Link link, Greeting greeting, OomWatch oom) {
    this.link = link;
    this.greeting = greeting;
    this.oom = oom;
    this.files = new GuestFiles(link);
  }

  /** Whether the guest was set up, over this connection or an earlier one. */
  public boolean isSetUp() {
    return greeting.setUp();
  }

  /** Ids of the commands that the guest knew when this connection was made. */
  public Set<String> knownExecs() {
    return Set.copyOf(greeting.execs());
  }

  /** Tells the guest what it is; once in its life. */
  public Uni<Void> setUp(AgentSetup setup) {
    return link.uni(emitter -> greeting.setUp(setup, emitter));
  }

  /** As {@link dev.sandgate.spi.Sandbox#exec}. */
  public Uni<Exec> exec(ExecSpec spec) {
    return link.handover(
        waiter -> {
          GuestChecks.exec(spec);
          new ExecExchange(link, new ExecOpening.Start(spec), oom, waiter).open();
        });
  }

  /** As {@link dev.sandgate.spi.Sandbox#attach}; an earlier handle of the command ends with a failure. */
  public Uni<Exec> attach(String execId, OutputOffsets from) {
    return attach(new ExecOpening.Attach(execId, from, null));
  }

  /** As {@link dev.sandgate.spi.Sandbox#attachInSession}. */
  public Uni<Exec> attachInSession(String sessionId, String execId, OutputOffsets from) {
    return attach(new ExecOpening.Attach(execId, from, SessionOpening.shellId(sessionId)));
  }

  private Uni<Exec> attach(ExecOpening.Attach opening) {
    return link.handover(
        waiter -> {
          ExecExchange earlier = link.boundExec(opening.id());
          new ExecExchange(link, opening, oom, waiter).open();
          if (earlier != null) {
            earlier.supersede();
          }
        });
  }

  /** As {@link dev.sandgate.spi.Sandbox#openSession}. */
  public Uni<Exec> openSession(SessionSpec spec) {
    return link.handover(
        waiter -> {
          GuestChecks.session(spec);
          new ExecExchange(link, new SessionOpening.Shell(spec), oom, waiter).open();
        });
  }

  /** As {@link dev.sandgate.spi.Sandbox#attachSession}; an earlier handle of the shell ends with a failure. */
  public Uni<Exec> attachSession(String sessionId) {
    return attach(SessionOpening.shellId(sessionId), OutputOffsets.START);
  }

  /** As {@link dev.sandgate.spi.Sandbox#runInSession}. */
  public Uni<Exec> runInSession(SessionCommand command) {
    return link.handover(
        waiter -> {
          GuestChecks.script(command);
          new ExecExchange(link, new SessionOpening.Script(command), oom, waiter).open();
        });
  }

  /** The guest's files. */
  public Files files() {
    return files;
  }

  /** As {@link dev.sandgate.spi.Sandbox#connect}. */
  public Uni<Connection> connect(int port) {
    return link.handover(
        waiter -> {
          GuestChecks.between("port", port, 1, 65535);
          new PortExchange(link, port, waiter).open();
        });
  }

  /** Asks the guest for its counts. */
  public Uni<AgentStats> stats() {
    return Request.ask(
        link, new Question(Operation.EXEC, "stats", FrameType.STATS, 0, f -> {}), AgentStats::of);
  }

  /** Says that the guest stands still, so that its silence means nothing, or that it goes on. */
  public void standStill(boolean still) {
    link.execute(() -> link.standStill(still));
  }

  /** Completes with the reason when the agent is gone, does not answer, or {@link #close} was called. */
  public CompletableFuture<String> lost() {
    return link.lost().copy();
  }

  /**
   * Whether the kernel killed more in the guest for memory than commands were told of, or the agent survived: after {@link #lost},
   * the agent.
   */
  public Uni<Boolean> killedForMemory() {
    return oom.rose();
  }

  /** Hangs up; the guest and its commands live on. Idempotent, does not block. */
  @Override
  public void close() {
    close("the connection was closed");
  }

  /** The same; what is pending fails with this reason. */
  public void close(String why) {
    link.execute(() -> link.close(why));
  }
}
