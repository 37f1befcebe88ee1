// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.ListExecsRequest;
import dev.sandgate.proto.v1.ListExecsResponse;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.WaitExecRequest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs commands in one sandbox. Nothing happens before a Uni or Multi is subscribed to; methods may be called from
 * any thread and never block. A command runs at most once per subscription, whatever breaks on the way.
 */
public final class Execs {

  private static final int PAGE = 1_000;
  private static final Duration WAIT_MARGIN = Duration.ofSeconds(30);

  private final Calls calls;
  private final Duration reconnect;
  private final String sandboxId;

  Execs(Calls calls, Duration reconnect, String sandboxId) {
    this.calls = calls;
    this.reconnect = reconnect;
    this.sandboxId = sandboxId;
  }

  /**
   * A line for {@code /bin/sh -c}.
   *
   * @param line the line
   * @return the command, to be built further
   */
  public static Command.Builder shell(String line) {
    return Command.newBuilder().setShell(line);
  }

  /**
   * A program with its arguments, without a shell.
   *
   * @param argv program and arguments
   * @return the command, to be built further
   */
  public static Command.Builder program(String... argv) {
    return Command.newBuilder().addAllArgv(Arrays.asList(argv));
  }

  /**
   * Runs a command to its end with nothing on stdin.
   *
   * @param command what to run
   * @return the result with up to 4 MiB of each output; a non-zero exit code is a result. Fails with
   *     SandgateClientException, UNKNOWN_OUTCOME when the command may or may not have run. Cancelling leaves it running
   */
  public Uni<ExecResult> run(Command command) {
    return run(command, new byte[0]);
  }

  /**
   * Runs a command to its end.
   *
   * @param command what to run
   * @param stdin all of its stdin
   * @return as {@link #run(Command)}
   */
  public Uni<ExecResult> run(Command command, byte[] stdin) {
    return Uni.createFrom()
        .deferred(
            () -> {
              String execId = newId();
              return runOrCollect(execId, command, stdin);
            });
  }

  private Uni<ExecResult> runOrCollect(String execId, Command command, byte[] stdin) {
    return runOnce(execId, command, stdin)
        .onFailure(Execs::lost)
        .recoverWithUni(failure -> collect(execId));
  }

  private Uni<ExecResult> runOnce(String execId, Command command, byte[] stdin) {
    RunExecRequest request =
        RunExecRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setExecId(execId)
            .setCommand(command)
            .setStdin(ByteString.copyFrom(stdin))
            .build();
    return calls.unary(ExecsGrpcClient.Run, request, Duration.ZERO).map(ExecResult::new);
  }

  /**
   * Runs a command to its end as {@link #run(String, Command)} and finds out which files changed meanwhile, at the cost of two
   * looks at what the sandbox changed so far; the command's entry in the trajectory has them, too.
   *
   * @param execId 1–64 characters of [A-Za-z0-9._-]
   * @param command what to run
   * @return the result, whose message has `fs_changes` unless it had run before or the answer was lost; fails with UNSUPPORTED
   *     when the backend cannot tell
   */
  public Uni<ExecResult> runReportingChanges(String execId, Command command) {
    RunExecRequest request =
        RunExecRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setExecId(execId)
            .setCommand(command)
            .setReportChanges(true)
            .build();
    return calls
        .unary(ExecsGrpcClient.Run, request, Duration.ZERO)
        .map(ExecResult::new)
        .onFailure(Execs::lost)
        .recoverWithUni(failure -> collect(execId));
  }

  private static boolean lost(Throwable failure) {
    return failure instanceof SandgateClientException known
        && known.requestSent()
        && known.unreachable();
  }

  // The answer was lost: what the command did is read from its record; it is not asked for again.
  private Uni<ExecResult> collect(String execId) {
    CollectedOutput output = new CollectedOutput();
    return open(execId, new Offsets(0, 0), ExecSession.attach(sandboxId, execId, new Offsets(0, 0)))
        .onItem()
        .transformToMulti(ExecHandle::events)
        .onItem()
        .invoke(output::add)
        .collect()
        .last()
        .map(last -> output.result())
        .onFailure(SandgateClientException.class)
        .transform(
            failure ->
                SandgateClientException.unknownOutcome(
                    "exec "
                        + execId
                        + " in "
                        + sandboxId
                        + " may have run, and is never run again: "
                        + failure.getMessage(),
                    failure));
  }

  /**
   * Starts a command under a new id.
   *
   * @param command what to run
   * @return its handle, once it runs; fails as {@link #start(String, Command)}
   */
  public Uni<ExecHandle> start(Command command) {
    return Uni.createFrom().deferred(() -> start(newId(), command));
  }

  /**
   * Starts a command; attaches to it when it was started under this id before.
   *
   * @param execId 1–64 characters of [A-Za-z0-9._-]
   * @param command what to run
   * @return its handle, once it runs; fails with ALREADY_EXISTS when the id was used with another command, with
   *     EXEC_FAILED when it cannot be started, with UNKNOWN_OUTCOME when the connection was lost and it is not known
   *     whether it ran. Cancelling leaves it running
   */
  public Uni<ExecHandle> start(String execId, Command command) {
    StartExecRequest start =
        StartExecRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setExecId(execId)
            .setCommand(command)
            .build();
    InteractRequest first =
        InteractRequest.newBuilder().setSandboxId(sandboxId).setStart(start).build();
    return Uni.createFrom().deferred(() -> open(execId, new Offsets(0, 0), first));
  }

  /**
   * Attaches to a command from the start of its output.
   *
   * @param execId its id
   * @return its handle; fails with NOT_FOUND
   */
  public Uni<ExecHandle> attach(String execId) {
    return attach(execId, 0, 0);
  }

  /**
   * Attaches to a command, before or after its exit.
   *
   * @param execId its id
   * @param stdoutOffset first byte of stdout wanted
   * @param stderrOffset first byte of stderr wanted
   * @return its handle; fails with NOT_FOUND
   */
  public Uni<ExecHandle> attach(String execId, long stdoutOffset, long stderrOffset) {
    return Uni.createFrom()
        .deferred(
            () -> {
              Offsets offsets = new Offsets(stdoutOffset, stderrOffset);
              return open(execId, offsets, ExecSession.attach(sandboxId, execId, offsets));
            });
  }

  private Uni<ExecHandle> open(String execId, Offsets offsets, InteractRequest first) {
    return Uni.createFrom()
        .<ExecSession>emitter(
            emitter -> {
              ExecSession.Target target =
                  new ExecSession.Target(calls.lane(), sandboxId, execId, new Backoff(reconnect));
              ExecSession session = new ExecSession(target, offsets, emitter);
              emitter.onTermination(session::detachUnlessStarted);
              session.open(first);
            })
        .map(session -> new ExecHandle(calls, sandboxId, session));
  }

  /**
   * Starts a command and streams what it does.
   *
   * @param command what to run
   * @return as {@link ExecHandle#events}
   */
  public Multi<ExecEvent> stream(Command command) {
    return start(command).onItem().transformToMulti(ExecHandle::events);
  }

  /**
   * Waits for a command's end, without its output.
   *
   * @param execId its id
   * @param atMost up to 1 hour
   * @return as the node sees it: without a result when it still runs then; fails with NOT_FOUND
   */
  public Uni<Exec> await(String execId, Duration atMost) {
    WaitExecRequest request =
        WaitExecRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setExecId(execId)
            .setTimeoutMillis(Math.max(1, atMost.toMillis()))
            .build();
    return calls.unary(ExecsGrpcClient.Wait, request, atMost.plus(WAIT_MARGIN));
  }

  /**
   * Runs a command to its end under an id of the caller's; a command that ran under it before is not run again, its result
   * is given.
   *
   * @param execId 1–64 characters of [A-Za-z0-9._-]
   * @param command what to run
   * @return as {@link #run(Command)}; fails with ALREADY_EXISTS when the id was used with another command
   */
  public Uni<ExecResult> run(String execId, Command command) {
    return Uni.createFrom().deferred(() -> runOrCollect(execId, command, new byte[0]));
  }

  /**
   * Shows a command.
   *
   * @param execId its id
   * @return as the node sees it; fails with NOT_FOUND
   */
  public Uni<Exec> get(String execId) {
    return calls.unary(
        ExecsGrpcClient.Get,
        GetExecRequest.newBuilder().setSandboxId(sandboxId).setExecId(execId).build());
  }

  /**
   * Lists the sandbox's commands, newest first.
   *
   * @return all of them, page by page as they are asked for
   */
  public Multi<Exec> list() {
    return Multi.createBy()
        .repeating()
        .uni(() -> new AtomicReference<>(""), this::page)
        .whilst(page -> !page.getNextPageToken().isEmpty())
        .onItem()
        .transformToIterable(ListExecsResponse::getExecsList);
  }

  private Uni<ListExecsResponse> page(AtomicReference<String> token) {
    ListExecsRequest request =
        ListExecsRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPageSize(PAGE)
            .setPageToken(token.get())
            .build();
    return calls
        .unary(ExecsGrpcClient.List, request)
        .invoke(page -> token.set(page.getNextPageToken()));
  }

  private static String newId() {
    return UUID.randomUUID().toString();
  }
}
