// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.FsChanges;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.ListExecsRequest;
import dev.sandgate.proto.v1.ListExecsResponse;
import dev.sandgate.proto.v1.ResizeExecRequest;
import dev.sandgate.proto.v1.ResizeExecResponse;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SignalExecRequest;
import dev.sandgate.proto.v1.SignalExecResponse;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.WaitExecRequest;
import dev.sandgate.proto.v1.WriteStdinRequest;
import dev.sandgate.proto.v1.WriteStdinResponse;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The methods of {@code sandgate.v1.Execs}. */
final class ExecsService {

  private static final int RADIX = 36;
  private static final long DEFAULT_WAIT = 30_000;
  private static final long MAX_WAIT = 3_600_000;

  private final Sandboxes sandboxes;
  private final Records records;
  private final Executions executions;
  private final Recall recall;

  ExecsService(Sandboxes sandboxes, Records records, Executions executions, Recall recall) {
    this.recall = recall;
    this.sandboxes = sandboxes;
    this.records = records;
    this.executions = executions;
  }

  void route(Routes routes) {
    routes.answers(ExecsGrpcService.Start, StartExecRequest.parser(), this::start);
    routes.answers(ExecsGrpcService.Attach, AttachExecRequest.parser(), this::attach);
    routes.stream(
        ExecsGrpcService.Interact,
        InteractRequest.parser(),
        call -> new Interaction(this, call).begin());
    routes.unary(ExecsGrpcService.Run, RunExecRequest.parser(), new RunCall(this)::run);
    routes.unary(ExecsGrpcService.WriteStdin, WriteStdinRequest.parser(), this::writeStdin);
    routes.unary(ExecsGrpcService.Signal, SignalExecRequest.parser(), this::signal);
    routes.unary(ExecsGrpcService.Resize, ResizeExecRequest.parser(), this::resize);
    routes.unary(ExecsGrpcService.Wait, WaitExecRequest.parser(), this::await);
    routes.unary(
        ExecsGrpcService.Get,
        GetExecRequest.parser(),
        request -> known(request.getSandboxId(), request.getExecId()).map(Execs::shown));
    routes.unary(ExecsGrpcService.List, ListExecsRequest.parser(), this::list);
  }

  /** Starts or finds the command of a request. */
  CompletableFuture<ExecRecord> started(String sandboxId, String execId, Command asked) {
    String id =
        execId.isEmpty() ? UUID.randomUUID().toString() : Fields.callerId("exec_id", execId);
    Command command = Commands.read(asked);
    LiveSandbox live = sandboxes.find(sandboxId);
    CompletableFuture<LiveSandbox> settled = sandboxes.settled(live);
    return settled.isDone()
        ? start(live, id, command)
        : settled.thenCompose(known -> start(known, id, command));
  }

  private CompletableFuture<ExecRecord> start(LiveSandbox live, String id, Command command) {
    return executions.start(live, id, Commands.within(live.cwd(), command));
  }

  /** Whether a command was started with this id. */
  boolean knows(String sandboxId, String execId) {
    return !execId.isEmpty() && records.find(sandboxId, execId) != null;
  }

  /** Records which files a command changed. */
  CompletableFuture<Void> changed(ExecRecord record, FsChanges changes) {
    return executions.changed(record, changes);
  }

  /** A running sandbox whose backend can do this. */
  Uni<Sandbox> running(String sandboxId, Capability capability) {
    LiveSandbox live = sandboxes.find(sandboxId);
    return Uni.createFrom()
        .completionStage(() -> sandboxes.settled(live).copy())
        .map(settled -> settled.running(capability));
  }

  /** Finds the record of a command. */
  Uni<ExecRecord> known(String sandboxId, String execId) {
    Fields.callerId("exec_id", execId);
    LiveSandbox live = sandboxes.find(sandboxId);
    return Uni.createFrom()
        .completionStage(() -> sandboxes.settled(live).copy())
        .flatMap(_ -> record(live, execId));
  }

  private Uni<ExecRecord> record(LiveSandbox live, String execId) {
    ExecRecord record = records.find(live.id(), execId);
    return record == null
        ? Uni.createFrom().completionStage(() -> recall.record(live, execId))
        : Uni.createFrom().item(record);
  }

  static OutputOffsets offsets(long stdout, long stderr) {
    return new OutputOffsets(
        Fields.range("stdout_offset", stdout, 0, Long.MAX_VALUE),
        Fields.range("stderr_offset", stderr, 0, Long.MAX_VALUE));
  }

  private void start(StartExecRequest request, Call<StartExecRequest, ExecEvent> call) {
    OutputOffsets from = offsets(request.getStdoutOffset(), request.getStderrOffset());
    var _ =
        started(request.getSandboxId(), request.getExecId(), request.getCommand())
            .whenComplete(
                (record, failure) ->
                    call.execute(
                        () -> {
                          if (failure != null) {
                            call.fail(failure);
                          } else {
                            new Reader(record, call, from).begin();
                          }
                        }));
  }

  private void attach(AttachExecRequest request, Call<AttachExecRequest, ExecEvent> call) {
    OutputOffsets from = offsets(request.getStdoutOffset(), request.getStderrOffset());
    known(request.getSandboxId(), request.getExecId())
        .subscribe()
        .with(
            record -> call.execute(() -> new Reader(record, call, from).begin()),
            failure -> call.execute(() -> call.fail(failure)));
  }

  private Uni<Exec> await(WaitExecRequest request) {
    long millis =
        Fields.rangeOr("timeout_millis", request.getTimeoutMillis(), 1, MAX_WAIT, DEFAULT_WAIT);
    return known(request.getSandboxId(), request.getExecId())
        .flatMap(record -> Uni.createFrom().completionStage(record.endedWithin(millis)))
        .map(Execs::shown);
  }

  private Uni<WriteStdinResponse> writeStdin(WriteStdinRequest request) {
    return known(request.getSandboxId(), request.getExecId())
        .flatMap(record -> Input.write(record, request.getChunk()))
        .map(taken -> WriteStdinResponse.newBuilder().setAcceptedOffset(taken).build());
  }

  private Uni<SignalExecResponse> signal(SignalExecRequest request) {
    return known(request.getSandboxId(), request.getExecId())
        .flatMap(record -> Input.signal(record, request.getSignal()))
        .map(_ -> SignalExecResponse.getDefaultInstance());
  }

  private Uni<ResizeExecResponse> resize(ResizeExecRequest request) {
    return known(request.getSandboxId(), request.getExecId())
        .flatMap(record -> Input.resize(record, request.getSize()))
        .map(_ -> ResizeExecResponse.getDefaultInstance());
  }

  private Uni<ListExecsResponse> list(ListExecsRequest request) {
    int size = (int) Fields.rangeOr("page_size", request.getPageSize(), 1, 1_000, 100);
    long before = token(request.getPageToken());
    LiveSandbox live = sandboxes.find(request.getSandboxId());
    return Uni.createFrom()
        .completionStage(() -> sandboxes.settled(live).copy())
        .map(_ -> page(live.id(), size, before));
  }

  private ListExecsResponse page(String sandboxId, int size, long before) {
    ListExecsResponse.Builder page = ListExecsResponse.newBuilder();
    long last = before;
    for (ExecRecord record : records.newestFirst(sandboxId, before)) {
      if (page.getExecsCount() == size) {
        return page.setNextPageToken(Long.toString(last, RADIX)).build();
      }
      page.addExecs(Execs.shown(record));
      last = record.sequence();
    }
    return page.build();
  }

  private static long token(String token) {
    if (token.isEmpty()) {
      return Long.MAX_VALUE;
    }
    try {
      return Long.parseLong(token, RADIX);
    } catch (NumberFormatException e) {
      throw new SandgateException(
          ErrorCode.INVALID_ARGUMENT,
          "page_token",
          "page_token: give the next_page_token of an earlier answer",
          e);
    }
  }
}
