// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.FunctionCase;
import dev.sandgate.proto.v1.FunctionFile;
import dev.sandgate.proto.v1.FunctionGpu;
import dev.sandgate.proto.v1.FunctionLanguage;
import dev.sandgate.proto.v1.FunctionPool;
import dev.sandgate.proto.v1.FunctionRun;
import dev.sandgate.proto.v1.FunctionVerdict;
import dev.sandgate.proto.v1.FunctionsGrpcClient;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.proto.v1.InvokeResponse;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Function calls through the node's API, on busybox. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FunctionCallsTest {

  private ContainerNode host;

  @BeforeAll
  void begin() {
    String mark = UUID.randomUUID().toString().substring(0, 8);
    Map<String, String> settings =
        Map.of(
            "enabled",
            "true",
            "run",
            "/run/sgtf-" + mark,
            "cgroup-name",
            "sgtf-" + mark,
            "workers",
            "2");
    host = ContainerNode.configured(config -> with(config, settings));
  }

  private static NodeConfig with(NodeConfig config, Map<String, String> settings) {
    NodeConfig changed = config;
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      changed = TestNode.with(changed, "backend.fncall." + setting.getKey(), setting.getValue());
    }
    return changed;
  }

  @AfterAll
  void end() {
    host.close();
  }

  private static InvokeRequest.Builder shell(String source) {
    return InvokeRequest.newBuilder()
        .setEnvironment("busybox")
        .setLanguage(FunctionLanguage.FUNCTION_LANGUAGE_SHELL)
        .setSource(source);
  }

  private InvokeResponse invoke(InvokeRequest.Builder request) {
    return host.rpc().unary(FunctionsGrpcClient.Invoke, request.build());
  }

  private Failed refused(GrpcStatus status, InvokeRequest.Builder request) {
    Failed failed = assertThrows(Failed.class, () -> invoke(request));
    assertEquals(status, failed.status(), failed.getMessage());
    return failed;
  }

  @Test
  void shouldGiveTheStructuredResultOfAProgram() {
    InvokeResponse answer =
        invoke(
            shell("cat helper; read line; echo \"$line $1 $COLOUR\"; echo no >&2; exit 3")
                .addArguments("arg")
                .putEnv("COLOUR", "red")
                .addFiles(
                    FunctionFile.newBuilder()
                        .setPath("helper")
                        .setData(ByteString.copyFromUtf8("file ")))
                .addCases(FunctionCase.newBuilder().setStdin(ByteString.copyFromUtf8("input\n"))));
    FunctionRun run = answer.getRuns(0);
    assertEquals(FunctionVerdict.FUNCTION_VERDICT_RUNTIME_ERROR, answer.getVerdict());
    assertEquals("file input arg red\n", run.getStdout().toStringUtf8());
    assertEquals("no\n", run.getStderr().toStringUtf8());
    assertEquals(3, run.getExitCode());
    assertEquals(3, run.getStderrBytes());
    assertTrue(run.getWallMicros() > 0 && run.getPeakMemoryBytes() > 0, run::toString);
    assertEquals("n1", answer.getNodeId());
    assertFalse(run.getStdoutTruncated() || run.getTimedOut() || run.getOutOfMemory());
  }

  @Test
  void shouldRunACallOfOneIdOnce() {
    String id = UUID.randomUUID().toString();
    InvokeRequest.Builder request =
        shell("cat /proc/sys/kernel/random/uuid; sleep 0.3").setInvocationId(id);
    CompletableFuture<InvokeResponse> together =
        CompletableFuture.supplyAsync(() -> invoke(request.clone()));
    InvokeResponse first = invoke(request.clone());
    assertEquals(first, together.join());
    assertEquals(first, invoke(request.clone()));
    Failed other = refused(GrpcStatus.ALREADY_EXISTS, shell("echo another").setInvocationId(id));
    assertEquals("invocation_id", other.detail().getField());
    assertNotEquals(
        first.getRuns(0).getStdout(),
        invoke(request.clone().setInvocationId("")).getRuns(0).getStdout());
  }

  @Test
  void shouldNameWhatIsWrongWithARequest() {
    wrong("language", request -> request.clearLanguage());
    wrong("timeout_millis", request -> request.setTimeoutMillis(-1));
    wrong("memory_bytes", request -> request.setMemoryBytes(5));
    wrong("preload", request -> request.addPreload("json"));
    wrong("files.path", request -> request.addFiles(FunctionFile.newBuilder().setPath("../x")));
    wrong("files.path", request -> request.addFiles(FunctionFile.newBuilder().setPath("/x")));
    wrong("env", request -> request.putEnv("A=B", ""));
    wrong("invocation_id", request -> request.setInvocationId("a b"));
    assertEquals(
        "environment",
        refused(GrpcStatus.NOT_FOUND, shell("").setEnvironment("nosuch")).detail().getField());
    Failed gpu =
        refused(GrpcStatus.UNAVAILABLE, shell("").setGpu(FunctionGpu.FUNCTION_GPU_EXCLUSIVE));
    assertEquals("BACKEND_UNAVAILABLE", gpu.detail().getCode());
  }

  private void wrong(String field, Consumer<InvokeRequest.Builder> change) {
    InvokeRequest.Builder request = shell("true");
    change.accept(request);
    assertEquals(field, refused(GrpcStatus.INVALID_ARGUMENT, request).detail().getField());
  }

  @Test
  void shouldRefuseWithPoolExhaustedWhenEveryWorkerIsBusy() {
    List<CompletableFuture<InvokeResponse>> both =
        List.of(
            CompletableFuture.supplyAsync(() -> invoke(shell("sleep 3"))),
            CompletableFuture.supplyAsync(() -> invoke(shell("sleep 3"))));
    Eventually.holds("both run", () -> pool().getBusy() == 2);
    Failed failed =
        refused(GrpcStatus.RESOURCE_EXHAUSTED, shell("true").setAcquireTimeoutMillis(100));
    assertEquals("POOL_EXHAUSTED", failed.detail().getCode());
    assertEquals(203, failed.detail().getNumber());
    assertTrue(failed.detail().getRetryAfterMillis() > 0);
    both.forEach(call -> assertEquals(0, call.join().getRuns(0).getExitCode()));
    assertTrue(pool().getExhausted() >= 1);
  }

  private FunctionPool pool() {
    return host
        .rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getBackendsList()
        .stream()
        .filter(backend -> backend.getName().equals("fncall"))
        .findFirst()
        .orElseThrow()
        .getPool();
  }

  @Test
  void shouldRefuseToMakeASandbox() {
    SandboxSpec spec =
        SandboxSpec.newBuilder().setBackend("fncall").setEnvironment("busybox").build();
    Failed failed =
        assertThrows(
            Failed.class,
            () ->
                host.rpc()
                    .unary(
                        SandboxesGrpcClient.Create,
                        CreateSandboxRequest.newBuilder().setSpec(spec).build()));
    assertEquals(GrpcStatus.UNIMPLEMENTED, failed.status());
  }
}
