// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.DownloadArchiveRequest;
import dev.sandgate.proto.v1.DownloadArchiveResponse;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.FileEventKind;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.FsChanges;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.TrajectoriesGrpcClient;
import dev.sandgate.proto.v1.UploadArchiveRequest;
import dev.sandgate.proto.v1.UploadArchiveResponse;
import dev.sandgate.proto.v1.WatchFilesRequest;
import dev.sandgate.proto.v1.WatchFilesResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The whole way on a node: gRPC, the container backend, the guest agent, a real command. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContainerNodeTest {

  private ContainerNode host;
  private TestNode node;

  @BeforeAll
  void begin() {
    host = new ContainerNode();
    node = host.node();
  }

  @AfterAll
  void end() {
    List<String> left = host.agents().keySet().stream().sorted().toList();
    host.close();
    assertEquals(List.of(), left, "sandboxes are left");
  }

  private static CreateSandboxRequest.Builder request() {
    return CreateSandboxRequest.newBuilder()
        .setSpec(SandboxSpec.newBuilder().setEnvironment("busybox"));
  }

  private String create() {
    return node.rpc().unary(SandboxesGrpcClient.Create, request().build()).getSandboxId();
  }

  private void delete(String id) {
    assertTrue(
        node.rpc()
            .unary(
                SandboxesGrpcClient.Delete,
                DeleteSandboxRequest.newBuilder().setSandboxId(id).build())
            .getExisted());
  }

  private Ran run(String sandbox, String... argv) {
    return Ran.of(node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, "", argv)).rest());
  }

  @Test
  void shouldRunCommandsApartFromEachOtherAsAnOrdinaryUser() {
    String one = create();
    String two = create();
    assertEquals("user\n", run(one, "id", "-un").stdout());
    assertEquals("/home/user\n", run(one, "pwd").stdout());
    assertEquals(0, run(one, "sh", "-c", "echo mine > /tmp/file").result().getExitCode());
    assertEquals("mine\n", run(one, "cat", "/tmp/file").stdout());
    assertEquals(1, run(two, "cat", "/tmp/file").result().getExitCode());
    assertEquals("", run(one, "cat").stdout());
    Ran both = run(one, "sh", "-c", "echo out; echo err >&2; exit 7");
    assertEquals("out\n", both.stdout());
    assertEquals("err\n", both.stderr());
    assertEquals(7, both.result().getExitCode());
    delete(one);
    delete(two);
  }

  @Test
  void shouldDeliverFiveMillionLinesUnchanged() throws Exception {
    String id = create();
    MessageDigest expected = MessageDigest.getInstance("SHA-256");
    for (int i = 1; i <= 5_000_000; i++) {
      expected.update((i + "\n").getBytes(StandardCharsets.US_ASCII));
    }
    MessageDigest received = MessageDigest.getInstance("SHA-256");
    long begun = System.nanoTime();
    Answers<?, ExecEvent> call =
        node.rpc().stream(ExecsGrpcClient.Start, start(id, "", "seq", "1", "5000000"));
    int messages = 0;
    for (Optional<ExecEvent> next = call.next(); next.isPresent(); next = call.next()) {
      if (next.get().hasOutput()) {
        messages++;
        received.update(next.get().getOutput().getData().asReadOnlyByteBuffer());
      }
    }
    System.out.printf(
        "38.9 MB in %d ms, %d messages%n",
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun), messages);
    assertEquals(
        HexFormat.of().formatHex(expected.digest()), HexFormat.of().formatHex(received.digest()));
    delete(id);
  }

  private ExecResult changing(String sandbox, String execId, String script) {
    Command command = Command.newBuilder().addArgv("sh").addArgv("-c").addArgv(script).build();
    return node.rpc()
        .unary(
            ExecsGrpcClient.Run,
            RunExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(execId)
                .setCommand(command)
                .setReportChanges(true)
                .build());
  }

  private static Set<String> shown(FsChanges changes) {
    return changes.getChangesList().stream()
        .map(change -> change.getKind() + " " + change.getPath())
        .map(line -> line.replace("FILE_CHANGE_KIND_", ""))
        .collect(Collectors.toSet());
  }

  @Test
  void shouldSayWhatOneCommandChanged() {
    String id = create();
    run(id, "sh", "-c", "cd /tmp; echo 1 > keep; echo 1 > edit; echo 1 > drop; mkdir d");
    String script = "cd /tmp; echo 2 > edit; rm drop; echo 1 > d/new; touch t; rm t";
    ExecResult result = changing(id, "c1", script);
    assertEquals(
        Set.of("MODIFIED /tmp/edit", "REMOVED /tmp/drop", "ADDED /tmp/d/new"),
        shown(result.getFsChanges()));
    assertEquals(1, result.getFsChanges().getAdded());
    assertEquals(1, result.getFsChanges().getModified());
    assertEquals(1, result.getFsChanges().getRemoved());
    assertEquals(false, changing(id, "c1", script).hasFsChanges());
    assertEquals(Set.of(), shown(changing(id, "c2", "cat /tmp/keep; ls -R /tmp").getFsChanges()));
    delete(id);
  }

  @Test
  void shouldCarryArchivesBothWaysAndEvents() {
    String id = create();
    run(id, "sh", "-c", "mkdir -p /tmp/from/a; seq 1 100000 > /tmp/from/a/f");
    Answers<WatchFilesRequest, WatchFilesResponse> events =
        node.rpc().stream(
            FilesGrpcClient.Watch,
            WatchFilesRequest.newBuilder().setSandboxId(id).setPath("/tmp").build());
    assertEquals(FileEventKind.FILE_EVENT_KIND_STARTED, events.next().orElseThrow().getKind());
    Answers<UploadArchiveRequest, UploadArchiveResponse> upload =
        node.rpc().open(FilesGrpcClient.UploadArchive, 0);
    upload.send(
        UploadArchiveRequest.newBuilder()
            .setSandboxId(id)
            .setPath("/tmp/to")
            .setParents(true)
            .build());
    for (DownloadArchiveResponse part :
        node.rpc().stream(
                FilesGrpcClient.DownloadArchive,
                DownloadArchiveRequest.newBuilder().setSandboxId(id).setPath("/tmp/from").build())
            .rest()) {
      upload.send(UploadArchiveRequest.newBuilder().setData(part.getData()).build());
    }
    upload.end();
    assertEquals(3, upload.only().getEntries());
    assertEquals(0, run(id, "cmp", "/tmp/from/a/f", "/tmp/to/a/f").result().getExitCode());
    WatchFilesResponse made = events.next().orElseThrow();
    assertEquals("FILE_EVENT_KIND_CREATED /tmp/to", made.getKind() + " " + made.getPath());
    events.cancel();
    delete(id);
  }

  @Test
  void shouldTakeBackContainersAndTheirCommands() {
    String id = create();
    Answers<?, ExecEvent> call =
        node.rpc().stream(
            ExecsGrpcClient.Start,
            start(id, "long", "sh", "-c", "echo begun; sleep 3; echo done; exit 5"));
    call.next();
    node.restart();
    Ran after =
        Ran.of(
            node.rpc().stream(
                    ExecsGrpcClient.Attach,
                    AttachExecRequest.newBuilder().setSandboxId(id).setExecId("long").build())
                .rest());
    assertEquals(5, after.result().getExitCode());
    assertTrue(after.stdout().endsWith("done\n"), after.stdout());
    assertEquals("again\n", run(id, "echo", "again").stdout());
    delete(id);
  }

  @Test
  void shouldCountWhatACommandsTreeWritesToStorage() {
    String sandbox = create();
    String write = "dd if=/dev/zero bs=1M count=8 conv=fsync of=/home/user/";
    String orphan =
        "(setsid sh -c '"
            + write
            + "b; : > /tmp/done' &) ; until [ -e /tmp/done ]; do sleep 0.1; done";
    ExecResult result =
        run(sandbox, "sh", "-c", "{ " + write + "a; " + orphan + "; sleep 0.2; } 2>&1").result();
    assertTrue(result.hasStorageReadBytes());
    long mebibytes = result.getStorageWrittenBytes() >> 20;
    assertTrue(mebibytes >= 16 && mebibytes <= 17, result::toString);
    assertTrue(run(sandbox, "true").result().getStorageWrittenBytes() < 1 << 20);
    ListTrajectoryRequest all = ListTrajectoryRequest.newBuilder().setSandboxId(sandbox).build();
    ExecResult recorded =
        node.rpc().unary(TrajectoriesGrpcClient.List, all).getEntries(0).getExec().getResult();
    assertEquals(result.getStorageWrittenBytes(), recorded.getStorageWrittenBytes());
    delete(sandbox);
  }

  @Test
  void shouldKillTheWholeTreeOfACommandThatTakesTooLong() {
    String id = create();
    Command tree =
        Command.newBuilder()
            .setShell("echo begun; (setsid sleep 987 &) ; sleep 987")
            .setTimeoutMillis(300)
            .build();
    Ran ran =
        Ran.of(
            node.rpc().stream(
                    ExecsGrpcClient.Start,
                    dev.sandgate.proto.v1.StartExecRequest.newBuilder()
                        .setSandboxId(id)
                        .setCommand(tree)
                        .build())
                .rest());
    assertEquals("begun\n", ran.stdout());
    assertEquals("COMMAND_TIMEOUT", ran.result().getKillReason());
    assertFalse(run(id, "ps").stdout().contains("sleep 987"));
    delete(id);
  }

  @Test
  void shouldMakeManyInOneCall() {
    List<CreateSandboxBatchItem> items =
        node.rpc().stream(
                SandboxesGrpcClient.CreateBatch,
                CreateSandboxBatchRequest.newBuilder()
                    .setSpec(request().getSpec())
                    .setCount(50)
                    .build())
            .rest();
    assertEquals(50, items.size());
    assertEquals(50, items.stream().map(CreateSandboxBatchItem::getIndex).distinct().count());
    for (CreateSandboxBatchItem item : items) {
      assertTrue(item.hasSandbox(), item.getMessage());
      String id = item.getSandbox().getSandboxId();
      assertEquals("ok\n", run(id, "echo", "ok").stdout());
      delete(id);
    }
  }

  @Test
  void shouldAnswerATrivialCommandQuickly() {
    String id = create();
    RunExecRequest request =
        RunExecRequest.newBuilder()
            .setSandboxId(id)
            .setCommand(Command.newBuilder().addArgv("/bin/true"))
            .build();
    List<Long> micros = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      long begun = System.nanoTime();
      assertEquals(0, node.rpc().unary(ExecsGrpcClient.Run, request).getExitCode());
      if (i >= 200) {
        micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun));
      }
    }
    micros.sort(null);
    long middle = micros.get(micros.size() / 2);
    System.out.printf(
        "Run of true: p50 %d µs, p99 %d µs%n", middle, micros.get(micros.size() * 99 / 100));
    assertTrue(middle < 20_000, middle + " µs");
    delete(id);
  }

  @Test
  void shouldFailASandboxWhoseAgentDies() {
    String id = create();
    Answers<?, ExecEvent> call =
        node.rpc().stream(ExecsGrpcClient.Start, start(id, "x", "sleep", "987"));
    List<ExecEvent> events = new ArrayList<>(List.of(call.next().orElseThrow()));
    long pid = host.agents().getOrDefault(id, 0L);
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    // No look at it fails, and once it has ended it says so.
    Sandbox shown = get(id);
    for (int looks = 0; shown.getState() == SandboxState.SANDBOX_STATE_RUNNING; looks++) {
      assertTrue(looks < 5_000, "still running: " + shown);
      shown = get(id);
    }
    events.addAll(call.rest());
    assertEquals("SANDBOX_LOST", Ran.of(events).result().getKillReason());
    assertEquals(SandboxState.SANDBOX_STATE_FAILED, shown.getState(), shown.toString());
    assertEquals(shown, get(id));
  }

  private Sandbox get(String id) {
    return node.rpc()
        .unary(SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build());
  }
}
