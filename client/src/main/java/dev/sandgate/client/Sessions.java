// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.CloseSessionRequest;
import dev.sandgate.proto.v1.CloseSessionResponse;
import dev.sandgate.proto.v1.ListSessionsRequest;
import dev.sandgate.proto.v1.ListSessionsResponse;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.Session;
import dev.sandgate.proto.v1.SessionSpec;
import dev.sandgate.proto.v1.SessionsGrpcClient;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Persistent shells in one sandbox. Nothing happens before a Uni is subscribed to; methods may be called from any thread
 * and never block. Failures are SandgateClientException.
 */
public final class Sessions {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Calls calls;
  private final Duration reconnect;
  private final String sandboxId;

  Sessions(Calls calls, Duration reconnect, String sandboxId) {
    this.calls = calls;
    this.reconnect = reconnect;
    this.sandboxId = sandboxId;
  }

  /**
   * Opens a session with the usual shell, in the user's home, under a new id.
   *
   * @return as {@link #open(String, SessionSpec)}
   */
  public Uni<ShellSession> open() {
    return Uni.createFrom()
        .deferred(() -> open(UUID.randomUUID().toString(), SessionSpec.getDefaultInstance()));
  }

  /**
   * Opens a session, or finds the one that is open under this id.
   *
   * @param sessionId 1–60 characters of [A-Za-z0-9._-]
   * @param spec how its shell begins
   * @return the session, once its shell is there; fails with ALREADY_EXISTS when it is open with another spec, UNSUPPORTED
   *     when the backend has no sessions, EXEC_FAILED for a wrong shell, directory or user. Cancelling may leave it open
   */
  public Uni<ShellSession> open(String sessionId, SessionSpec spec) {
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setSessionId(sessionId)
            .setSpec(spec)
            .build();
    return calls
        .unary(SessionsGrpcClient.Open, request, LIMIT)
        .map(opened -> handle(opened.getSessionId()));
  }

  /**
   * A handle on a session that is known by its id; no call is made.
   *
   * @param sessionId the id
   * @return its handle
   */
  public ShellSession handle(String sessionId) {
    return new ShellSession(this, new Execs(calls, reconnect, sandboxId), sessionId);
  }

  /**
   * Ends a session with everything that runs in it, and forgets it.
   *
   * @param sessionId its id
   * @return whether it was known; idempotent
   */
  public Uni<Boolean> close(String sessionId) {
    CloseSessionRequest request =
        CloseSessionRequest.newBuilder().setSandboxId(sandboxId).setSessionId(sessionId).build();
    return calls
        .unary(SessionsGrpcClient.Close, request, LIMIT)
        .map(CloseSessionResponse::getExisted);
  }

  /**
   * Lists the sandbox's sessions, newest first.
   *
   * @return open ones, and those that ended by themselves with how they ended
   */
  public Uni<List<Session>> list() {
    return calls
        .unary(
            SessionsGrpcClient.List,
            ListSessionsRequest.newBuilder().setSandboxId(sandboxId).build())
        .map(ListSessionsResponse::getSessionsList);
  }
}
