// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.PauseSandboxRequest;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import dev.sandgate.proto.v1.ResetSandboxRequest;
import dev.sandgate.proto.v1.ResumeSandboxRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;

/**
 * A container for tests: its commands run as root.
 *
 * @param rpc its node
 * @param id its id
 */
public record Box(Rpc rpc, String id) implements AutoCloseable {

  /** Prints a line per entry of the whole view: type, mode, owner, size and content, or where a link leads. */
  public static final String MANIFEST =
      """
      cd /; find . -xdev \\( -path ./proc -o -path ./sys -o -path ./dev \\) -prune -o -print | sort |
      while read -r f; do if [ -L "$f" ]; then echo "$f $(readlink "$f")";
      elif [ -f "$f" ]; then echo "$f $(stat -c '%a %u %g %s' "$f") $(sha256sum < "$f")";
      else echo "$f $(stat -c '%F %a %u %g' "$f")"; fi; done | sha256sum
      """;

  /** Makes one of an environment. */
  public static Box of(Rpc rpc, String environment) {
    SandboxSpec spec = SandboxSpec.newBuilder().setEnvironment(environment).setUser("root").build();
    return of(rpc, spec);
  }

  /** Makes one. */
  public static Box of(Rpc rpc, SandboxSpec spec) {
    Sandbox made =
        rpc.unary(
            SandboxesGrpcClient.Create, CreateSandboxRequest.newBuilder().setSpec(spec).build());
    return new Box(rpc, made.getSandboxId());
  }

  /** Runs a line of shell to its end. */
  public ExecResult run(String line) {
    return rpc.unary(
        ExecsGrpcClient.Run,
        RunExecRequest.newBuilder()
            .setSandboxId(id)
            .setCommand(Command.newBuilder().setShell(line))
            .build());
  }

  /** What a line of shell that must succeed prints. */
  public String says(String line) {
    ExecResult result = run(line);
    if (result.getExitCode() != 0) {
      throw new AssertionError(line + ": " + result);
    }
    return result.getStdout().toStringUtf8().strip();
  }

  /** Starts a line of shell and leaves it running once it has said something. */
  public Answers<?, ?> start(String execId, String line) {
    return rpc.stream(
        ExecsGrpcClient.Start,
        StartExecRequest.newBuilder()
            .setSandboxId(id)
            .setExecId(execId)
            .setCommand(Command.newBuilder().setShell(line))
            .build());
  }

  /** Seals it under a name. */
  public Snapshot seal(String name) {
    return seal(CreateSnapshotRequest.newBuilder().setName(name));
  }

  /** Seals it. */
  public Snapshot seal(CreateSnapshotRequest.Builder request) {
    return rpc.unary(SnapshotsGrpcClient.Create, request.setSandboxId(id).build());
  }

  /** Resets it. */
  public Sandbox reset() {
    return rpc.unary(
        SandboxesGrpcClient.Reset, ResetSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  /** Lets it stand still. */
  public PauseSandboxResponse pause() {
    return rpc.unary(
        SandboxesGrpcClient.Pause, PauseSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  /** Lets it go on. */
  public Sandbox resume() {
    return rpc.unary(
        SandboxesGrpcClient.Resume, ResumeSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  /** How it is. */
  public Sandbox get() {
    return rpc.unary(
        SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  @Override
  public void close() {
    rpc.unary(
        SandboxesGrpcClient.Delete, DeleteSandboxRequest.newBuilder().setSandboxId(id).build());
  }
}
