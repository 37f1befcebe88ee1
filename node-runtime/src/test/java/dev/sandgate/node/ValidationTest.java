// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.TestNode.request;
import static dev.sandgate.node.support.TestNode.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.NetworkPolicy;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StatFileRequest;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.grpc.common.GrpcStatus;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad input: a typed error that names the field, and nothing is made. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ValidationTest {

  private TestNode node;
  private String sandbox;

  @BeforeAll
  void begin() {
    node = TestNode.start();
    sandbox = node.create().getSandboxId();
  }

  @AfterAll
  void end() {
    node.close();
  }

  static Stream<Arguments> specs() {
    String long300 = "x".repeat(300);
    Map<String, String> many =
        IntStream.range(0, 257).boxed().collect(Collectors.toMap(i -> "A" + i, i -> "v"));
    return Stream.of(
        Arguments.of("backend", spec().setBackend("nonsense")),
        Arguments.of("backend", spec().setBackend(long300)),
        Arguments.of("environment", spec().setEnvironment("base")),
        Arguments.of("layers", spec().addLayers("tool")),
        Arguments.of("limits.cpu_millis", limits(Limits.newBuilder().setCpuMillis(9))),
        Arguments.of("limits.cpu_millis", limits(Limits.newBuilder().setCpuMillis(-1))),
        Arguments.of("limits.memory_bytes", limits(Limits.newBuilder().setMemoryBytes(1))),
        Arguments.of("limits.pids", limits(Limits.newBuilder().setPids(7))),
        Arguments.of("limits.disk_bytes", limits(Limits.newBuilder().setDiskBytes(-5))),
        Arguments.of("limits.disk_bytes", limits(Limits.newBuilder().setDiskBytes(1_000))),
        Arguments.of("limits.disk_bytes", limits(Limits.newBuilder().setDiskBytes(9L << 40))),
        Arguments.of("limits.inodes", limits(Limits.newBuilder().setInodes(-1))),
        Arguments.of("limits.inodes", limits(Limits.newBuilder().setInodes(15))),
        Arguments.of("limits.open_files", limits(Limits.newBuilder().setOpenFiles(63))),
        Arguments.of("qos_class", spec().setQosClassValue(77)),
        Arguments.of("user", spec().setUser(long300)),
        Arguments.of("user", spec().setUser("-u")),
        Arguments.of("user", spec().setUser("a\0b")),
        Arguments.of("env", spec().putEnv("1A", "x")),
        Arguments.of("env", spec().putAllEnv(many)),
        Arguments.of("env", spec().putEnv("A", "x".repeat(33 << 10))),
        Arguments.of("env[A]", spec().putEnv("A", "\0")),
        Arguments.of("labels", spec().putLabels("sandgate.node", "x")),
        Arguments.of("labels", spec().putLabels("ÜPPER", "x")),
        Arguments.of("labels[a]", spec().putLabels("a", long300)),
        Arguments.of("hostname", spec().setHostname(long300)),
        Arguments.of("hostname", spec().setHostname("-a")),
        Arguments.of("hostname", spec().setHostname("a.b")),
        Arguments.of("lifetime_millis", spec().setLifetimeMillis(700_000_000)),
        Arguments.of("idle_timeout_millis", spec().setIdleTimeoutMillis(-1)),
        Arguments.of("lease_millis", spec().setLeaseMillis(700_000_000)),
        Arguments.of(
            "network.allow", spec().setNetwork(NetworkPolicy.newBuilder().addAllow("pypi"))));
  }

  private static SandboxSpec.Builder limits(Limits.Builder limits) {
    return spec().setLimits(limits);
  }

  @ParameterizedTest(name = "{0} {index}")
  @MethodSource("specs")
  void shouldNameTheFieldOfABadSpecAndMakeNothing(String field, SandboxSpec.Builder bad) {
    Set<String> before = node.host().sandboxIds();
    CreateSandboxRequest request = request().setSpec(bad).build();
    Failed failed =
        assertThrows(Failed.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, request));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, failed.status(), failed.getMessage());
    assertEquals(field, failed.detail().getField());
    assertTrue(String.valueOf(failed.getMessage()).contains(field + ": "), failed.getMessage());
    CreateSandboxBatchRequest batch =
        CreateSandboxBatchRequest.newBuilder().setSpec(bad).setCount(2).build();
    Failed all =
        assertThrows(
            Failed.class, () -> node.rpc().stream(SandboxesGrpcClient.CreateBatch, batch).rest());
    assertEquals(field, all.detail().getField());
    assertEquals(before, node.host().sandboxIds());
  }

  @Test
  void shouldRefuseToRankWhereTheBackendDoesNot() {
    Set<String> before = node.host().sandboxIds();
    CreateSandboxRequest ranked =
        request().setSpec(spec().setQosClass(QosClass.QOS_CLASS_LATENCY_SENSITIVE)).build();
    Failed failed =
        assertThrows(Failed.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, ranked));
    assertEquals("UNSUPPORTED", failed.detail().getCode());
    assertEquals(before, node.host().sandboxIds());
  }

  static Stream<Arguments> commands() {
    return Stream.of(
        Arguments.of("command.argv", Command.newBuilder()),
        Arguments.of("command.argv", Command.newBuilder().addArgv("a").setShell("b")),
        Arguments.of("command.argv[0]", Command.newBuilder().addArgv("")),
        Arguments.of("command.argv[1]", Command.newBuilder().addArgv("a").addArgv("b\0c")),
        Arguments.of(
            "command.argv", Command.newBuilder().addAllArgv(Collections.nCopies(4_097, "a"))),
        Arguments.of("command.argv", Command.newBuilder().addArgv("x".repeat(49 << 10))),
        Arguments.of("command.shell", Command.newBuilder().setShell("a\0b")),
        Arguments.of("command.env", command().putEnv("A B", "x")),
        Arguments.of("command.cwd", command().setCwd("relative")),
        Arguments.of("command.cwd", command().setCwd("../..")),
        Arguments.of("command.cwd", command().setCwd("/a/../b")),
        Arguments.of("command.cwd", command().setCwd("/proc/self/fd/7")),
        Arguments.of("command.cwd", command().setCwd("//proc//1/root")),
        Arguments.of("command.cwd", command().setCwd("/proc")),
        Arguments.of("command.cwd", command().setCwd("/a\0")),
        Arguments.of("command.cwd", command().setCwd("/" + "x".repeat(5_000))),
        Arguments.of("command.user", command().setUser("a:b")),
        Arguments.of("command.timeout_millis", command().setTimeoutMillis(-1)),
        Arguments.of("command.output_policy", command().setOutputPolicyValue(9)),
        Arguments.of("command.output_cap_bytes", command().setOutputCapBytes(2L << 30)));
  }

  private static Command.Builder command() {
    return Command.newBuilder().addArgv("true");
  }

  @ParameterizedTest(name = "{0} {index}")
  @MethodSource("commands")
  void shouldNameTheFieldOfABadCommandAndRunNothing(String field, Command.Builder bad) {
    int before = node.host().faults().passed(Point.EXEC);
    StartExecRequest request =
        StartExecRequest.newBuilder().setSandboxId(sandbox).setCommand(bad).build();
    Failed failed =
        assertThrows(Failed.class, () -> node.rpc().stream(ExecsGrpcClient.Start, request).rest());
    assertEquals(GrpcStatus.INVALID_ARGUMENT, failed.status(), failed.getMessage());
    assertEquals(field, failed.detail().getField());
    RunExecRequest run = RunExecRequest.newBuilder().setSandboxId(sandbox).setCommand(bad).build();
    Failed unary = assertThrows(Failed.class, () -> node.rpc().unary(ExecsGrpcClient.Run, run));
    assertEquals(field, unary.detail().getField());
    assertEquals(before, node.host().faults().passed(Point.EXEC));
  }

  @Test
  void shouldNameOtherBadFields() {
    assertEquals("idempotency_key", createFails(request().setIdempotencyKey("a b")));
    assertEquals("timeout_millis", createFails(request().setTimeoutMillis(-1)));
    assertEquals("assigned_id", createFails(request().setAssignedId("../x")));
    for (String path : new String[] {"", "a", "../x", "/a\0b", "/" + "x".repeat(4_095)}) {
      StatFileRequest stat =
          StatFileRequest.newBuilder().setSandboxId(sandbox).setPath(path).build();
      Failed failed =
          assertThrows(Failed.class, () -> node.rpc().unary(FilesGrpcClient.Stat, stat));
      assertEquals("path", failed.detail().getField());
    }
    StartExecRequest id =
        StartExecRequest.newBuilder()
            .setSandboxId(sandbox)
            .setExecId("x".repeat(65))
            .setCommand(command())
            .build();
    Failed failed =
        assertThrows(Failed.class, () -> node.rpc().stream(ExecsGrpcClient.Start, id).rest());
    assertEquals("exec_id", failed.detail().getField());
  }

  private String createFails(CreateSandboxRequest.Builder request) {
    Failed failed =
        assertThrows(
            Failed.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, request.build()));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, failed.status());
    return failed.detail().getField();
  }
}
