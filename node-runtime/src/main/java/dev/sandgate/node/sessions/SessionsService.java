// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sessions;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.checks.Variables;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.proto.v1.CloseSessionRequest;
import dev.sandgate.proto.v1.CloseSessionResponse;
import dev.sandgate.proto.v1.ListSessionsRequest;
import dev.sandgate.proto.v1.ListSessionsResponse;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.Session;
import dev.sandgate.proto.v1.SessionSpec;
import dev.sandgate.proto.v1.SessionState;
import dev.sandgate.proto.v1.SessionsGrpcService;
import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;

/** The methods of {@code sandgate.v1.Sessions}. */
final class SessionsService {

  private static final Comparator<Session> NEWEST_FIRST =
      Comparator.comparing(SessionsService::openedAt).reversed();

  private final Sessions sessions;

  SessionsService(Sessions sessions) {
    this.sessions = sessions;
  }

  void route(Routes routes) {
    routes.blocking(SessionsGrpcService.Open, OpenSessionRequest.parser(), this::open);
    routes.blocking(SessionsGrpcService.Close, CloseSessionRequest.parser(), this::close);
    routes.blocking(SessionsGrpcService.List, ListSessionsRequest.parser(), this::list);
  }

  private static Instant openedAt(Session session) {
    Timestamp opened = session.getOpenedAt();
    return Instant.ofEpochSecond(opened.getSeconds(), opened.getNanos());
  }

  private Session open(OpenSessionRequest request) {
    String id =
        request.getSessionId().isEmpty()
            ? UUID.randomUUID().toString()
            : Fields.sessionId("session_id", request.getSessionId());
    check(request.getSpec());
    LiveSandbox sandbox = sessions.settled(request.getSandboxId());
    return sessions.open(
        sandbox,
        Session.newBuilder()
            .setSandboxId(sandbox.id())
            .setSessionId(id)
            .setSpec(within(sandbox, request.getSpec()))
            .setState(SessionState.SESSION_STATE_OPEN)
            .setOpenedAt(OpenSession.now())
            .build());
  }

  private static SessionSpec within(LiveSandbox sandbox, SessionSpec spec) {
    return spec.getCwd().isEmpty() ? spec.toBuilder().setCwd(sandbox.cwd()).build() : spec;
  }

  private static void check(SessionSpec spec) {
    Fields.text("spec.shell", spec.getShell(), 4_095);
    Variables.environment("spec.env", spec.getEnvMap());
    Fields.workingDirectory("spec.cwd", spec.getCwd());
    Fields.user("spec.user", spec.getUser());
  }

  private CloseSessionResponse close(CloseSessionRequest request) {
    String id = Fields.sessionId("session_id", request.getSessionId());
    LiveSandbox sandbox = sessions.settled(request.getSandboxId());
    return CloseSessionResponse.newBuilder().setExisted(sessions.close(sandbox, id)).build();
  }

  private ListSessionsResponse list(ListSessionsRequest request) {
    LiveSandbox sandbox = sessions.settled(request.getSandboxId());
    return ListSessionsResponse.newBuilder()
        .addAllSessions(
            sessions.list(sandbox.id()).stream()
                .map(OpenSession::record)
                .sorted(NEWEST_FIRST)
                .toList())
        .build();
  }
}
