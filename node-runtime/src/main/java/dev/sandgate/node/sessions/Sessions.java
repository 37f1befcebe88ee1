// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sessions;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Claim;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.SandboxListener;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Session;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SessionSpec;
import dev.sandgate.spi.Usage;
import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions of this node's sandboxes; blocking code on virtual threads. */
public final class Sessions {

  private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
  private static final int PER_SANDBOX = 256;
  private static final long OPEN_MILLIS = 60_000;
  private static final long CLOSE_MILLIS = 30_000;
  private static final int SIGKILL = 9;

  private final Sandboxes sandboxes;
  private final SessionRows rows;
  private final ConcurrentHashMap<String, ConcurrentHashMap<String, OpenSession>> bySandbox =
      new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Follows the sandboxes. */
  public Sessions(Sandboxes sandboxes, Database database) {
    this.sandboxes = sandboxes;
    this.rows = new SessionRows(database);
    sandboxes.listen(new Following());
  }

  /** Answers the methods of {@code sandgate.v1.Sessions}. */
  public void route(Routes routes) {
    new SessionsService(this).route(routes);
  }

  /** From here on no end is recorded: what breaks now breaks because the node goes. */
  public void close() {
    closed = true;
  }

  /** A sandbox that runs, once it is known whether it does. */
  LiveSandbox settled(String sandboxId) {
    return Blocking.await(sandboxes.settled(sandboxes.find(sandboxId)), OPEN_MILLIS);
  }

  /** Ids of a sandbox's sessions that have not ended. */
  public List<String> open(String sandboxId) {
    return of(sandboxId).values().stream()
        .filter(session -> !session.isEnded())
        .map(OpenSession::id)
        .toList();
  }

  Session open(LiveSandbox sandbox, Session wanted) {
    long epoch = sandbox.epoch();
    dev.sandgate.spi.Sandbox running = sandbox.running(Capability.SESSIONS);
    OpenSession mine = new OpenSession(wanted);
    OpenSession first = place(sandbox, mine);
    if (first != mine) {
      return same(first, wanted);
    }
    try {
      mine.follow(shell(sandbox, epoch, () -> running.openSession(spec(wanted))));
    } catch (RuntimeException e) {
      SandgateException known = Failures.known(e);
      of(sandbox.id()).remove(mine.id(), mine);
      mine.opened().completeExceptionally(known);
      throw known;
    }
    Blocking.await(rows.put(wanted), OPEN_MILLIS);
    recordItsEnd(mine);
    return mine.record();
  }

  /** Opens a shell, but never in what a reset made of the sandbox since. */
  private static Exec shell(LiveSandbox sandbox, long epoch, Supplier<Uni<Exec>> open) {
    Claim<Exec> shell = new Claim<>(Sessions::kill);
    if (!sandbox.inEpoch(epoch, () -> open.get().subscribe().withSubscriber(shell))) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION, "sandbox " + sandbox.id() + " was reset; try again");
    }
    try {
      return shell.await(OPEN_MILLIS);
    } finally {
      shell.withdraw();
    }
  }

  private static void kill(Exec unwanted) {
    Blocking.report(
        "killing a shell that came too late",
        unwanted.signal(SIGKILL, SignalTarget.TREE).subscribeAsCompletionStage());
  }

  boolean close(LiveSandbox sandbox, String sessionId) {
    OpenSession session = of(sandbox.id()).get(sessionId);
    if (session == null) {
      return false;
    }
    Exec shell = session.shell();
    if (shell != null && !session.isEnded()) {
      Blocking.await(shell.signal(SIGKILL, SignalTarget.TREE), CLOSE_MILLIS);
    } else if (shell == null && !session.isEnded()) {
      session.lost();
    }
    Blocking.await(session.ended().copy(), CLOSE_MILLIS);
    forget(sandbox, session);
    return true;
  }

  Collection<OpenSession> list(String sandboxId) {
    return of(sandboxId).values();
  }

  private ConcurrentHashMap<String, OpenSession> of(String sandboxId) {
    return bySandbox.getOrDefault(sandboxId, new ConcurrentHashMap<>());
  }

  /** Puts a session in its place, or returns the one that has it; one that ended makes room. */
  private OpenSession place(LiveSandbox sandbox, OpenSession mine) {
    ConcurrentHashMap<String, OpenSession> of =
        bySandbox.computeIfAbsent(sandbox.id(), _ -> new ConcurrentHashMap<>());
    OpenSession before = of.get(mine.id());
    if (before != null && before.isEnded()) {
      forget(sandbox, before);
    }
    if (of.size() >= PER_SANDBOX) {
      of.values().stream().filter(OpenSession::isEnded).toList().forEach(e -> forget(sandbox, e));
    }
    if (of.size() >= PER_SANDBOX && !of.containsKey(mine.id())) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "sandbox %s has %d sessions; close some".formatted(sandbox.id(), of.size()));
    }
    OpenSession first = of.putIfAbsent(mine.id(), mine);
    return first == null ? mine : first;
  }

  private static Session same(OpenSession first, Session wanted) {
    if (!first.record().getSpec().equals(wanted.getSpec())) {
      throw new SandgateException(
          ErrorCode.ALREADY_EXISTS,
          "session_id",
          "session_id: " + first.id() + " is open with another spec; use a new id or close it",
          null);
    }
    return Blocking.await(first.opened().copy(), OPEN_MILLIS).record();
  }

  private void recordItsEnd(OpenSession session) {
    var _ =
        session
            .ended()
            .thenAccept(
                last -> {
                  if (!closed && of(last.getSandboxId()).get(last.getSessionId()) == session) {
                    Blocking.report("recording the end of a session", rows.put(last));
                  }
                });
  }

  private void forget(LiveSandbox sandbox, OpenSession session) {
    if (!of(sandbox.id()).remove(session.id(), session)) {
      return;
    }
    Blocking.report("forgetting session " + session.id(), rows.delete(session.record()));
    Exec shell = session.shell();
    if (shell != null && sandbox.isRunning()) {
      Blocking.await(shell.release(), CLOSE_MILLIS);
    }
  }

  private static SessionSpec spec(Session session) {
    dev.sandgate.proto.v1.SessionSpec spec = session.getSpec();
    return new SessionSpec(
        session.getSessionId(), spec.getShell(), spec.getEnvMap(), spec.getCwd(), spec.getUser());
  }

  /** What sandboxes' ends and returns mean for their sessions. */
  private final class Following implements SandboxListener {

    @Override
    public void adopted(LiveSandbox sandbox) {
      List<Session> known = rows.load(sandbox.id());
      ConcurrentHashMap<String, OpenSession> of =
          bySandbox.computeIfAbsent(sandbox.id(), _ -> new ConcurrentHashMap<>());
      for (Session record : known) {
        OpenSession session = new OpenSession(record);
        of.put(record.getSessionId(), session);
        take(sandbox.running(), session);
        recordItsEnd(session);
      }
    }

    private void take(dev.sandgate.spi.Sandbox running, OpenSession session) {
      try {
        session.follow(Blocking.await(running.attachSession(session.id()), OPEN_MILLIS));
      } catch (RuntimeException e) {
        LOG.warn("session {} of {} did not come back", session.id(), running.id(), e);
        session.lost();
        session.opened().complete(session);
      }
    }

    @Override
    public void ending(LiveSandbox sandbox, String killReason) {
      // Its shells' events end with it.
    }

    @Override
    public void reset(LiveSandbox sandbox, Optional<Usage> used) {
      of(sandbox.id()).values().stream().filter(open -> !open.isEnded()).forEach(OpenSession::lost);
      forgotten(sandbox);
    }

    @Override
    public void ended(LiveSandbox sandbox) {
      forgotten(sandbox);
    }

    @Override
    public void forgotten(LiveSandbox sandbox) {
      if (bySandbox.remove(sandbox.id()) != null) {
        Blocking.report("dropping sessions of " + sandbox.id(), rows.deleteAll(sandbox.id()));
      }
    }
  }
}
