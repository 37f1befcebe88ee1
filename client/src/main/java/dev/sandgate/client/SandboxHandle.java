// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.RenewSandboxResponse;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.Snapshot;
import io.smallrye.mutiny.Uni;
import java.time.Duration;

/**
 * One sandbox. Its own methods block and may not be called on an event loop; what {@link #execs}, {@link #files} and
 * {@link #ports} give never blocks. Closing the handle deletes the sandbox. Failures are SandgateClientException.
 */
public final class SandboxHandle implements AutoCloseable {

  private static final int MAX_FILE_BYTES = 1 << 30;

  private final Calls calls;
  private final Duration reconnect;
  private final Sandbox sandbox;

  SandboxHandle(Calls calls, Duration reconnect, Sandbox sandbox) {
    this.calls = calls;
    this.reconnect = reconnect;
    this.sandbox = sandbox;
  }

  /**
   * The sandbox's id.
   *
   * @return {@code sb-<node>-<random>}
   */
  public String id() {
    return sandbox.getSandboxId();
  }

  /**
   * What the platform said when it was made.
   *
   * @return the answer to the create call; only the id is filled in for a handle made from an id
   */
  public Sandbox created() {
    return sandbox;
  }

  /**
   * Its commands.
   *
   * @return a view, cheap to make
   */
  public Execs execs() {
    return new Execs(calls, reconnect, id());
  }

  /**
   * Its files, as its user.
   *
   * @return a view, cheap to make
   */
  public Files files() {
    return new Files(calls, id(), "");
  }

  /**
   * Its persistent shells.
   *
   * @return a view, cheap to make
   */
  public Sessions sessions() {
    return new Sessions(calls, reconnect, id());
  }

  /**
   * Opens a persistent shell: what one command changes is there for the next. Blocks.
   *
   * @return the session, which the caller closes
   */
  public ShellSession session() {
    return Blocking.await(sessions().open());
  }

  /**
   * Its TCP ports.
   *
   * @return a view, cheap to make
   */
  public Ports ports() {
    return new Ports(calls, id());
  }

  /**
   * Runs a line of shell to its end. Blocks.
   *
   * @param line for {@code /bin/sh -c}
   * @return the result; a non-zero exit code is a result
   */
  public ExecResult run(String line) {
    return Blocking.await(execs().run(Execs.shell(line).build()));
  }

  /**
   * Reads a file. Blocks.
   *
   * @param path absolute
   * @return its bytes, at most 1 GiB
   */
  public byte[] readFile(String path) {
    return Blocking.await(files().readAll(path, MAX_FILE_BYTES));
  }

  /**
   * Writes a file, replacing what is there and making missing directories. Blocks.
   *
   * @param path absolute
   * @param bytes all of it
   */
  public void writeFile(String path, byte[] bytes) {
    Blocking.await(files().write(path, bytes));
  }

  /**
   * Lets its lease run anew from now. Calling it again is harmless; cancelling may leave it done.
   *
   * @param lease for how long, up to 7 days; zero for as long as its spec says
   * @return until when it lives; fails with NOT_FOUND, or LEASE_EXPIRED when it came too late
   */
  public Uni<RenewSandboxResponse> renew(Duration lease) {
    return new Sandboxes(calls, reconnect).renew(id(), lease);
  }

  /**
   * Returns it to its environment's state in place, as {@link Sandboxes#reset}.
   *
   * @return the sandbox, once it takes commands again
   */
  public Uni<Sandbox> reset() {
    return new Sandboxes(calls, reconnect).reset(id());
  }

  /**
   * Seals what it wrote, with the rules of {@link Snapshots#create}.
   *
   * @param name of the snapshot, which sandboxes can be made of
   * @return the snapshot
   */
  public Uni<Snapshot> snapshot(String name) {
    return new Snapshots(calls)
        .create(CreateSnapshotRequest.newBuilder().setSandboxId(id()).setName(name).build());
  }

  /**
   * Kills everything in it and removes it.
   *
   * @return whether it was there, once nothing is left; idempotent
   */
  public Uni<Boolean> delete() {
    return new Sandboxes(calls, reconnect).delete(id());
  }

  /** Deletes the sandbox and waits until nothing is left. Idempotent. Blocks. */
  @Override
  public void close() {
    Blocking.await(delete());
  }
}
