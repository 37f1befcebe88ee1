// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.CloseSessionRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSessionsRequest;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.Session;
import dev.sandgate.proto.v1.SessionSpec;
import dev.sandgate.proto.v1.SessionState;
import dev.sandgate.proto.v1.SessionsGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Sessions through the whole node, with real shells. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContainerSessionsTest {

  private ContainerNode host;
  private String box = "";

  @BeforeAll
  void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  @BeforeEach
  void create() {
    box = host.create(SandboxSpec.newBuilder());
  }

  private Session open(String id) {
    return open(id, SessionSpec.getDefaultInstance());
  }

  private Session open(String id, SessionSpec spec) {
    return host.rpc()
        .unary(
            SessionsGrpcClient.Open,
            OpenSessionRequest.newBuilder()
                .setSandboxId(box)
                .setSessionId(id)
                .setSpec(spec)
                .build());
  }

  private boolean close(String id) {
    return host.rpc()
        .unary(
            SessionsGrpcClient.Close,
            CloseSessionRequest.newBuilder().setSandboxId(box).setSessionId(id).build())
        .getExisted();
  }

  private List<Session> list() {
    return host.rpc()
        .unary(SessionsGrpcClient.List, ListSessionsRequest.newBuilder().setSandboxId(box).build())
        .getSessionsList();
  }

  private static Command.Builder in(String session, String script) {
    return Command.newBuilder().setSession(session).setShell(script);
  }

  private ExecResult run(Command.Builder command) {
    return host.rpc()
        .unary(
            ExecsGrpcClient.Run,
            RunExecRequest.newBuilder().setSandboxId(box).setCommand(command).build());
  }

  private String says(String session, String script) {
    return run(in(session, script)).getStdout().toStringUtf8();
  }

  private Failed refused(Command.Builder command) {
    return assertThrows(Failed.class, () -> run(command));
  }

  @Test
  void shouldKeepWhatACommandChangesForTheNextOfItsSession() {
    open("one");
    open("two");
    says("one", "cd /tmp; X='a b'; export Y=1");
    assertEquals("/tmp a b 1\n", says("one", "echo $(pwd) $X $Y"));
    assertEquals("/home/user\n", says("two", "echo $(pwd) $X $Y"));
    Command.Builder words =
        Command.newBuilder()
            .setSession("one")
            .addAllArgv(List.of("printf", "%s|", "it's", "", "$X"));
    assertEquals("it's||$X|", run(words).getStdout().toStringUtf8());
  }

  @Test
  void shouldRecordEachCommandAsAnyOther() {
    open("s");
    StartExecRequest start =
        StartExecRequest.newBuilder()
            .setSandboxId(box)
            .setExecId("step-1")
            .setCommand(in("s", "echo out; echo err >&2; (exit 3)"))
            .build();
    assertEquals(
        3, Ran.of(host.rpc().stream(ExecsGrpcClient.Start, start).rest()).result().getExitCode());
    says("s", "echo other");
    AttachExecRequest attach =
        AttachExecRequest.newBuilder().setSandboxId(box).setExecId("step-1").build();
    Ran again = Ran.of(host.rpc().stream(ExecsGrpcClient.Attach, attach).rest());
    assertEquals("out\n", again.stdout());
    assertEquals("err\n", again.stderr());
    assertEquals(3, again.result().getExitCode());
    assertEquals(
        3, Ran.of(host.rpc().stream(ExecsGrpcClient.Start, start).rest()).result().getExitCode());
  }

  @Test
  void shouldRefuseWhatCannotRunInASession() {
    Failed unknown = refused(in("nosuch", "true"));
    assertEquals(GrpcStatus.NOT_FOUND, unknown.status());
    assertEquals("command.cwd", refused(in("s", "true").setCwd("/tmp")).detail().getField());
    assertEquals("command.user", refused(in("s", "true").setUser("root")).detail().getField());
    assertEquals("command.env", refused(in("s", "true").putEnv("A", "b")).detail().getField());
    open("s");
    Failed other =
        assertThrows(
            Failed.class, () -> open("s", SessionSpec.newBuilder().setCwd("/tmp").build()));
    assertEquals("ALREADY_EXISTS", other.detail().getCode());
    assertEquals(open("s").getOpenedAt(), open("s").getOpenedAt());
    var sleeping =
        host.rpc().stream(
            ExecsGrpcClient.Start,
            StartExecRequest.newBuilder()
                .setSandboxId(box)
                .setCommand(in("s", "sleep 100"))
                .build());
    sleeping.next();
    Failed busy = refused(in("s", "echo no"));
    assertEquals(GrpcStatus.FAILED_PRECONDITION, busy.status());
    assertTrue(String.valueOf(busy.getMessage()).contains("busy"), busy.getMessage());
    Failed noShell =
        assertThrows(
            Failed.class, () -> open("bad", SessionSpec.newBuilder().setShell("/nope").build()));
    assertEquals("EXEC_FAILED", noShell.detail().getCode());
    assertTrue(close("s"));
    assertFalse(close("s"));
  }

  @Test
  void shouldSayHowASessionEnded() {
    open("s");
    ExecResult last = run(in("s", "echo bye; exit 7"));
    assertEquals("bye\n", last.getStdout().toStringUtf8());
    assertEquals(7, last.getExitCode());
    Session ended =
        Eventually.value(
            "it ended",
            () -> list().getFirst(),
            found -> found.getState() == SessionState.SESSION_STATE_ENDED);
    assertEquals("EXITED", ended.getReason());
    assertEquals(7, ended.getExitCode());
    assertEquals(GrpcStatus.FAILED_PRECONDITION, refused(in("s", "echo no")).status());
    open("s");
    assertEquals("anew\n", says("s", "echo anew"));
    run(in("s", "kill -9 $$"));
    Eventually.holds("it was killed", () -> list().getFirst().getSignal() == 9);
    assertTrue(close("s"));
    assertEquals(List.of(), list());
  }

  @Test
  void shouldKillACommandAtItsTimeoutAndKeepTheSession() {
    open("s");
    says("s", "X=kept");
    ExecResult killed = run(in("s", "echo begun; sleep 987; echo no").setTimeoutMillis(300));
    assertEquals("COMMAND_TIMEOUT", killed.getKillReason());
    assertTrue(killed.getStdout().toStringUtf8().startsWith("begun\n"));
    assertEquals("kept\n", says("s", "echo $X"));
    ExecResult busy = run(in("s", "while :; do :; done").setTimeoutMillis(300));
    assertEquals("COMMAND_TIMEOUT", busy.getKillReason());
    Eventually.holds(
        "the session ended",
        () -> list().getFirst().getState() == SessionState.SESSION_STATE_ENDED);
  }

  @Test
  void shouldKeepSessionsAndTheirCommandsOverARestart() {
    open("s");
    says("s", "X=kept");
    var running =
        host.rpc().stream(
            ExecsGrpcClient.Start,
            StartExecRequest.newBuilder()
                .setSandboxId(box)
                .setExecId("long")
                .setCommand(in("s", "sleep 2; echo done"))
                .build());
    running.next();
    host.node().restart();
    host.node().node().adopted().join();
    assertEquals(SessionState.SESSION_STATE_OPEN, list().getFirst().getState());
    AttachExecRequest attach =
        AttachExecRequest.newBuilder().setSandboxId(box).setExecId("long").build();
    Ran after = Ran.of(host.rpc().stream(ExecsGrpcClient.Attach, attach).rest());
    assertEquals("done\n", after.stdout());
    assertEquals("kept\n", says("s", "echo $X"));
    assertTrue(close("s"));
  }

  @Test
  void shouldEndAfterARestartASessionWhoseShellIsBusyWhenItsCommandsTimeIsOver() {
    open("s");
    Command.Builder busy = in("s", "while :; do :; done").setTimeoutMillis(3_000);
    var running =
        host.rpc().stream(
            ExecsGrpcClient.Start,
            StartExecRequest.newBuilder()
                .setSandboxId(box)
                .setExecId("busy")
                .setCommand(busy)
                .build());
    running.next();
    host.node().restart();
    host.node().node().adopted().join();
    AttachExecRequest attach =
        AttachExecRequest.newBuilder().setSandboxId(box).setExecId("busy").build();
    Ran after = Ran.of(host.rpc().stream(ExecsGrpcClient.Attach, attach).rest());
    assertTrue(after.result().getTimedOut());
    assertEquals(9, after.result().getSignal());
    Eventually.holds(
        "the session ended",
        () -> list().getFirst().getState() == SessionState.SESSION_STATE_ENDED);
  }

  @Test
  void shouldNotCallASandboxUsedByWhatItDoesItself() {
    box = host.create(SandboxSpec.newBuilder().setIdleTimeoutMillis(1_000));
    open("s");
    says("s", "(while :; do date >>/tmp/beat; sleep 0.1; done) >/dev/null 2>&1 &");
    run(
        Command.newBuilder()
            .setShell("setsid sh -c 'while :; do date; sleep 0.1; done' >/tmp/other 2>&1 &"));
    ListSandboxesRequest ended =
        ListSandboxesRequest.newBuilder().addStates(SandboxState.SANDBOX_STATE_TERMINATED).build();
    List<Sandbox> found =
        Eventually.value(
            "it ended",
            () ->
                host.rpc().unary(SandboxesGrpcClient.List, ended).getSandboxesList().stream()
                    .filter(sandbox -> sandbox.getSandboxId().equals(box))
                    .toList(),
            list -> !list.isEmpty());
    assertEquals("IDLE_TTL", found.getFirst().getTermination().getReason());
  }
}
