// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.util.List;

/**
 * Finds a node for a sandbox and has it made there, under an id chosen here.
 *
 * <p>Without an idempotency key a node that refuses, or cannot be reached at all, is followed by another one. With a key
 * the node depends on the key, so that any gateway at any time finds what was made before; only a node that does not
 * have the backend is passed over, since nothing can have been made there.
 */
final class Creation {

  private static final char[] ALPHABET = "abcdefghijklmnopqrstuvwxyz234567".toCharArray();
  private static final int RANDOM_CHARACTERS = 20;
  private static final long DEFAULT_TIMEOUT_MILLIS = 120_000;
  private static final long MAX_TIMEOUT_MILLIS = 3_600_000;
  private static final long GRACE_MILLIS = 2_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Fleet fleet;

  Creation(Fleet fleet) {
    this.fleet = fleet;
  }

  /** Makes a sandbox for a client. */
  Future<Sandbox> create(CreateSandboxRequest request, Caller caller) {
    if (!request.getAssignedId().isEmpty()) {
      throw CallFailed.invalid("assigned_id", "it is set by the gateway; leave it empty");
    }
    long timeout = request.getTimeoutMillis();
    if (timeout < 0 || timeout > MAX_TIMEOUT_MILLIS) {
      throw CallFailed.invalid(
          "timeout_millis", timeout + " is not within 0 to " + MAX_TIMEOUT_MILLIS);
    }
    String backend = request.getSpec().getBackend();
    String wanted = backend.isEmpty() ? "container" : backend;
    String key = request.getIdempotencyKey();
    List<Fleet.Member> nodes = key.isEmpty() ? fleet.leastBusy(wanted) : fleet.byKey(key);
    if (nodes.isEmpty()) {
      return Future.failedFuture(Fleet.nobodyOffers(wanted));
    }
    return new Attempt(request, caller, nodes).on(0);
  }

  /** One sandbox's way from node to node. */
  private static final class Attempt {
    private final CreateSandboxRequest request;
    private final Caller caller;
    private final List<Fleet.Member> nodes;
    private final long timeoutMillis;

    Attempt(CreateSandboxRequest request, Caller caller, List<Fleet.Member> nodes) {
      this.request = request;
      this.caller = caller;
      this.nodes = nodes;
      long asked =
          request.getTimeoutMillis() == 0 ? DEFAULT_TIMEOUT_MILLIS : request.getTimeoutMillis();
      timeoutMillis = asked + GRACE_MILLIS;
    }

    Future<Sandbox> on(int index) {
      Fleet.Member node = nodes.get(index);
      CreateSandboxRequest there = request.toBuilder().setAssignedId(id(node.nodeId())).build();
      return node.during(
              node.client().ask(SandboxesGrpcClient.Create, there, timeoutMillis, caller))
          .onSuccess(_ -> node.made())
          .recover(failure -> next(index + 1, CallFailed.of(failure)));
    }

    private Future<Sandbox> next(int index, CallFailed refusal) {
      boolean goOn = index < nodes.size() && !caller.gone() && passesOver(refusal);
      return goOn ? on(index) : Future.failedFuture(refusal);
    }

    // A snapshot is on the node of the sandbox that wrote it: others do not know the environment.
    private boolean passesOver(CallFailed refusal) {
      if (refusal.is(Code.NOT_FOUND)) {
        return true;
      }
      if (!request.getIdempotencyKey().isEmpty()) {
        return refusal.is(Code.BACKEND_UNAVAILABLE);
      }
      return refusal.is(Code.BACKEND_UNAVAILABLE)
          || refusal.is(Code.RESOURCE_EXHAUSTED)
          || !refusal.sent();
    }
  }

  private static String id(String nodeId) {
    byte[] random = new byte[RANDOM_CHARACTERS];
    RANDOM.nextBytes(random);
    StringBuilder id = new StringBuilder("sb-").append(nodeId).append('-');
    for (byte value : random) {
      id.append(ALPHABET[value & (ALPHABET.length - 1)]);
    }
    return id.toString();
  }
}
