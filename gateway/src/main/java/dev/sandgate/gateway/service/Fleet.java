// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import dev.sandgate.gateway.relay.SandboxId;
import dev.sandgate.proto.v1.Node;
import io.vertx.core.Future;
import io.vertx.grpc.common.ServiceMethod;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.zip.CRC32C;

/** The nodes, how busy each is as far as this gateway knows, and the choice among them. Thread-safe. */
final class Fleet {

  private final Map<String, Member> members = new TreeMap<>();

  /** A node with what was last heard of it. */
  static final class Member {
    private final NodeClient client;
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile Node seen = Node.getDefaultInstance();

    private Member(NodeClient client) {
      this.client = client;
    }

    NodeClient client() {
      return client;
    }

    String nodeId() {
      return client.nodeId();
    }

    private int load() {
      return inFlight.get() + seen.getSandboxes();
    }

    // A node that was never heard is tried: it knows best what it offers.
    private boolean offers(String backend) {
      return seen.getBackendsCount() == 0
          || seen.getBackendsList().stream()
              .anyMatch(known -> known.getName().equals(backend) && known.getAvailable());
    }

    /** What the node says about itself. */
    void heard(Node node) {
      seen = node;
    }

    /** The node is not there: nothing is known of it. */
    void silent() {
      seen = Node.getDefaultInstance();
    }

    /** Whether the last attempt to hear of the node failed, or none was made yet. */
    boolean unheard() {
      return !seen.getReachable();
    }

    /** Counts something that is under way on the node. */
    <T> Future<T> during(Future<T> work) {
      inFlight.incrementAndGet();
      return work.onComplete(_ -> inFlight.decrementAndGet());
    }

    /** A sandbox was made there. */
    void made() {
      Node now = seen;
      seen = now.toBuilder().setSandboxes(now.getSandboxes() + 1).build();
    }
  }

  Fleet(List<NodeClient> nodes) {
    nodes.forEach(node -> members.put(node.nodeId(), new Member(node)));
  }

  List<Member> all() {
    return List.copyOf(members.values());
  }

  /**
   * Of two nodes taken at random among those that offer a backend, the less busy one, then the others in random order.
   * When none is known to offer it, all: what is known may be old, and a node says best what is wrong.
   */
  List<Member> leastBusy(String backend) {
    List<Member> candidates = new ArrayList<>();
    for (Member member : members.values()) {
      if (member.offers(backend) && !member.unheard()) {
        candidates.add(member);
      }
    }
    if (candidates.isEmpty()) {
      candidates.addAll(members.values());
    }
    for (int i = candidates.size() - 1; i > 0; i--) {
      int other = ThreadLocalRandom.current().nextInt(i + 1);
      Member swapped = candidates.set(i, candidates.get(other));
      candidates.set(other, swapped);
    }
    if (candidates.size() > 1 && candidates.get(1).load() < candidates.get(0).load()) {
      candidates.add(0, candidates.remove(1));
    }
    return candidates;
  }

  /** All nodes in an order that depends on the key alone, the same in every gateway. */
  List<Member> byKey(String key) {
    return members.values().stream()
        .sorted(
            Comparator.comparingLong((Member member) -> weight(key, member.nodeId())).reversed())
        .toList();
  }

  private static long weight(String key, String nodeId) {
    CRC32C hash = new CRC32C();
    hash.update((nodeId + '/' + key).getBytes(StandardCharsets.UTF_8));
    long mixed = hash.getValue() * 0x9E3779B97F4A7C15L;
    return (mixed ^ (mixed >>> 29)) >>> 1;
  }

  /** What no node offers. */
  static CallFailed nobodyOffers(String backend) {
    return new CallFailed(
        Failure.of(
                Code.BACKEND_UNAVAILABLE,
                "no node offers the backend '" + backend + "'; 'nodes list' shows what each has")
            .field("spec.backend"));
  }

  /** Asks every node the same; completes with each one's answer or failure, never fails itself. */
  static <Q, A> Future<List<Answer<A>>> askAll(
      List<Member> members,
      ServiceMethod<A, Q> method,
      Function<Member, Q> message,
      Asking asking) {
    List<Future<Answer<A>>> answers = new ArrayList<>();
    for (Member member : members) {
      Future<A> asked =
          member
              .client()
              .ask(method, message.apply(member), asking.timeoutMillis(), asking.caller());
      answers.add(
          asked.transform(
              result ->
                  Future.succeededFuture(
                      result.succeeded()
                          ? new Answer<>(member, List.of(result.result()), List.of())
                          : new Answer<A>(
                              member, List.of(), List.of(CallFailed.of(result.cause()))))));
    }
    return Future.join(answers).map(_ -> answers.stream().map(Future::result).toList());
  }

  /**
   * For whom nodes are asked and how long.
   *
   * @param caller whose leaving ends it
   * @param timeoutMillis at most this long
   */
  record Asking(Caller caller, long timeoutMillis) {}

  /**
   * What a node said.
   *
   * @param member the node
   * @param value the answer, or nothing
   * @param failure why there is none, or nothing
   */
  record Answer<A>(Member member, List<A> value, List<CallFailed> failure) {

    boolean succeeded() {
      return failure.isEmpty();
    }

    boolean failedWith(Code code) {
      return !succeeded() && failure.getFirst().is(code);
    }
  }

  /** The node that runs a sandbox; fails with INVALID_ARGUMENT or NOT_FOUND. */
  Future<NodeClient> ofSandbox(String sandboxId) {
    String nodeId = SandboxId.node(sandboxId);
    if (nodeId == null) {
      return Future.failedFuture(
          CallFailed.invalid("sandbox_id", "ids look like sb-<node>-<random>"));
    }
    return all().stream()
        .filter(member -> member.nodeId().equals(nodeId))
        .findFirst()
        .map(member -> Future.succeededFuture(member.client()))
        .orElseGet(() -> Future.failedFuture(unknown(nodeId)));
  }

  private static CallFailed unknown(String nodeId) {
    return new CallFailed(
        Failure.of(Code.NOT_FOUND, "there is no node '" + nodeId + "'").field("sandbox_id"));
  }
}
