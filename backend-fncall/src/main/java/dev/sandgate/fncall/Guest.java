// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.support.Undo;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.agent.AgentSetup;
import dev.sandgate.support.host.AgentView;
import dev.sandgate.support.spawner.Activation;
import dev.sandgate.support.spawner.Blank;
import dev.sandgate.support.spawner.DiskBound;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The sandbox of a worker: a blank with a root in which nothing is written yet.
 *
 * @param host what it was made with
 * @param id its name, never used again
 * @param agent does what is asked inside
 * @param view of it from outside
 * @param layers names of its images, lowest first
 * @param undo takes it away
 */
record Guest(
    Host host, String id, AgentConnection agent, AgentView view, List<String> layers, Undo undo) {

  /** Makes one; blocks. After a failure nothing is left. */
  static Guest make(Host host, String id, WorkerKey key) {
    Undo undo = new Undo();
    try {
      return make(host, id, key, undo);
    } catch (RuntimeException e) {
      throw undo.runBecause(Host.explain(e));
    }
  }

  private static Guest make(Host host, String id, WorkerKey key, Undo undo) {
    FncallSettings.WorkerLimits limits = host.settings().usual();
    List<String> layers = host.layers().hold(id, key.layers());
    undo.push("layers of " + id, () -> host.layers().release(id, key.layers()));
    undo.push("worker " + id, () -> host.spawner().destroy(id, Host.upper(id)));
    int pid =
        host.spawner()
            .create(new Blank(id, false, limits.cpuMillis(), key.memoryBytes(), limits.pids()));
    AgentView view = host.view(pid);
    Uni<AgentConnection> greeting = greet(host, id, view, undo);
    host.spawner()
        .activate(new Activation(id, pid, Host.upper(id), DiskBound.NONE, layers, "worker", null));
    AgentConnection agent = greeting.await().indefinitely();
    String user = key.user().isEmpty() ? "root" : key.user();
    agent.setUp(new AgentSetup("", user, Map.of(), 0)).await().indefinitely();
    return new Guest(host, id, agent, view, layers, undo);
  }

  /** Connects to the agent, which greets before it has a root: meanwhile the root is made. */
  private static Uni<AgentConnection> greet(Host host, String id, AgentView view, Undo undo) {
    CompletableFuture<AgentConnection> greeting =
        host.connect(id, view).subscribeAsCompletionStage();
    undo.push(
        "agent of " + id,
        () -> {
          var _ = greeting.thenAccept(AgentConnection::close);
        });
    return Uni.createFrom().completionStage(greeting);
  }

  boolean isAlive() {
    return !agent.lost().isDone();
  }

  /** How many of its processes the kernel killed for memory. */
  long memoryKills() {
    return view.memoryKills().await().indefinitely();
  }

  /** Kills everything in it and removes every trace; blocks, idempotent. */
  void destroy() {
    undo.run();
  }
}
