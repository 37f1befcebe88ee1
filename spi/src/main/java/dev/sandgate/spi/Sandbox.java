// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.Optional;

/**
 * A live isolated environment.
 *
 * <p>States as the backend sees them: {@code live → (paused → live)* → terminated}. It leaves {@code live}
 * by {@link #destroy}, or by itself when its guest dies; either completes {@link #terminated}. After that
 * every call fails with {@link ErrorCode#SANDBOX_LOST}, and what was pending fails too: nothing hangs.
 *
 * <p>Threads: as {@link Backend}. All methods may be called concurrently.
 */
public interface Sandbox {

  /**
   * The id it was created with.
   *
   * @return constant
   */
  String id();

  /**
   * Starts a command. Completes when it is running.
   *
   * <p>At most once per {@link ExecSpec#id()}: an id the guest knows fails with {@link
   * ErrorCode#ALREADY_EXISTS}. Cancelling before completion leaves no process behind. Errors: {@link
   * ErrorCode#EXEC_FAILED}, {@link ErrorCode#RESOURCE_EXHAUSTED}.
   *
   * @param spec the command
   * @return the running command
   */
  Uni<Exec> exec(ExecSpec spec);

  /**
   * Takes back a command after the node restarted, ended or not. Errors: {@link ErrorCode#NOT_FOUND}.
   *
   * @param execId the id it was started with
   * @param from the first byte wanted of each output; the guest keeps what was not yet acknowledged
   * @return the command
   */
  Uni<Exec> attach(String execId, OutputOffsets from);

  /**
   * File operations, all done inside the sandbox. Needs {@link Capability#FILES}.
   *
   * @return constant
   * @throws SandgateException with {@link ErrorCode#UNSUPPORTED} without the capability
   */
  default Files files() {
    throw new SandgateException(ErrorCode.UNSUPPORTED, "backend lacks " + Capability.FILES);
  }

  /**
   * What is different from the environment it was made of, a snapshot of no single moment while commands
   * run. Costs in proportion to the changes. Needs {@link Capability#CHANGES}. Back-pressured.
   *
   * @return changes, a directory before what is in it
   */
  default Multi<Change> changes() {
    return Multi.createFrom()
        .failure(
            () ->
                new SandgateException(
                    ErrorCode.UNSUPPORTED, "backend lacks " + Capability.CHANGES));
  }

  /**
   * Opens a TCP connection to the sandbox's loopback. Needs {@link Capability#CONNECT}. Errors: {@link
   * ErrorCode#CONNECT_FAILED}.
   *
   * @param port 1–65535
   * @return the connection, owned by the caller, who closes it
   */
  default Uni<Connection> connect(int port) {
    return unsupported(Capability.CONNECT);
  }

  /**
   * Opens a persistent shell. Needs {@link Capability#SESSIONS}. Completes when it is there.
   *
   * <p>The shell is an exec whose id is the session's: its events end with {@link ExecEvent.Exited} when the session ends,
   * by {@code exit}, {@code exec}, a failure under {@code set -e} or a signal; {@link Exec#signal} to the tree ends it with
   * everything that runs in it. Errors: {@link ErrorCode#ALREADY_EXISTS}, {@link ErrorCode#EXEC_FAILED}, {@link
   * ErrorCode#RESOURCE_EXHAUSTED}. Cancelling before completion leaves no process behind.
   *
   * @param spec the session
   * @return its shell
   */
  default Uni<Exec> openSession(SessionSpec spec) {
    return unsupported(Capability.SESSIONS);
  }

  /**
   * Takes back a session after the node restarted, ended or not. Needs {@link Capability#SESSIONS}. Errors: {@link
   * ErrorCode#NOT_FOUND}.
   *
   * @param sessionId the id it was opened with
   * @return its shell
   */
  default Uni<Exec> attachSession(String sessionId) {
    return unsupported(Capability.SESSIONS);
  }

  /**
   * Runs a script in a session's shell. Needs {@link Capability#SESSIONS}. Completes when it is running.
   *
   * <p>Each script has streams of its own and is an exec as any other: {@link #attachInSession} finds it by its id, its exit code is
   * the script's, a syntax error is a nonzero one. One at a time: nothing ran when it fails with {@link
   * ErrorCode#FAILED_PRECONDITION} because the session is busy or has ended, or with {@link ErrorCode#NOT_FOUND}. A signal
   * to the tree kills what the session runs but not its shell; when the shell itself does not come to rest within half a
   * second, the session ends.
   *
   * @param command the script
   * @return the running script
   */
  default Uni<Exec> runInSession(SessionCommand command) {
    return unsupported(Capability.SESSIONS);
  }

  /**
   * Takes back a script of a session after the node restarted, as {@link #attach}; a signal does to it what it does to one
   * of {@link #runInSession}, once {@link #attachSession} has taken the session back. Needs {@link Capability#SESSIONS}.
   * Errors: {@link ErrorCode#NOT_FOUND}.
   *
   * @param sessionId the session that runs it
   * @param execId the script's id
   * @param from as for {@link #attach}
   * @return the script
   */
  default Uni<Exec> attachInSession(String sessionId, String execId, OutputOffsets from) {
    return unsupported(Capability.SESSIONS);
  }

  /**
   * What it used so far. Idempotent, cheap enough for once a second.
   *
   * @return a reading
   */
  Uni<Usage> usage();

  /**
   * What it used until its end, since the latest {@link #reset}: read when nothing ran any more, memory as it was before. There
   * from when {@link #destroy} completes; never blocks.
   *
   * @return the last reading; empty when none was taken: what was used since the last {@link #usage} is then not known
   */
  default Optional<Usage> lastUsage() {
    return Optional.empty();
  }

  /**
   * Completes once, when the sandbox ended for whatever reason; never fails. Cancelling only stops
   * listening.
   *
   * @return why it ended
   */
  Uni<Termination> terminated();

  /**
   * Kills everything inside and removes every trace from the host. Idempotent: completes when it is gone,
   * also if it already was. Cancelling does not stop it.
   *
   * @return completion
   */
  Uni<Void> destroy();

  /**
   * Stops all processes where they are; what is asked of the sandbox waits for {@link #resume}. Needs {@link
   * Capability#PAUSE}; idempotent. {@link #destroy}, {@link #reset}, {@link #snapshot}, {@link #changes} and {@link #usage} work
   * meanwhile; a reset ends the pause.
   *
   * @return completion, when nothing runs inside any more
   */
  default Uni<Void> pause() {
    return unsupported(Capability.PAUSE);
  }

  /**
   * Gives the memory of a paused sandbox to the host, as far as the host has somewhere to put it. Needs {@link
   * Capability#PAUSE}. A {@link #resume} meanwhile does not wait for it and ends it.
   *
   * @return how much memory is charged to the sandbox before and after
   */
  default Uni<Reclaimed> reclaim() {
    return unsupported(Capability.PAUSE);
  }

  /**
   * Lets the processes go on. Needs {@link Capability#PAUSE}; idempotent. Memory that was given away comes back as it is used.
   *
   * @return completion, when commands are answered again
   */
  default Uni<Void> resume() {
    return unsupported(Capability.PAUSE);
  }

  /**
   * Copies what was written, at one moment: processes stand still meanwhile and go on afterwards, whatever comes of it.
   * Needs {@link Capability#DISK_SNAPSHOT}.
   *
   * <p>Errors: {@link ErrorCode#FAILED_PRECONDITION} names the limit or the entry that no layer can hold, {@link
   * ErrorCode#RESOURCE_EXHAUSTED} when the disk is full, {@link ErrorCode#SANDBOX_LOST} when the sandbox ended or was reset
   * meanwhile. Cancelling leaves no copy behind.
   *
   * @param limits how much it may be
   * @return the copy, owned by the node, which closes it
   */
  default Uni<DiskSnapshot> snapshot(SnapshotLimits limits) {
    return unsupported(Capability.DISK_SNAPSHOT);
  }

  /**
   * Returns to the environment's state in place: no process, no file written, no shared memory, socket or queue. Needs
   * {@link Capability#RESET}.
   *
   * <p>What ran is gone without a word: its events fail with {@link ErrorCode#SANDBOX_LOST}, as every call does until the
   * reset is done. {@link #usage} begins anew. How long it takes does not depend on how much was written. Concurrent resets
   * follow each other; one that meets {@link #destroy} fails. Cancelling does not stop it.
   *
   * @return what it used until then, as {@link #lastUsage}; after a failure the sandbox is dirty and must be destroyed
   */
  default Uni<Optional<Usage>> reset() {
    return unsupported(Capability.RESET);
  }

  private static <T> Uni<T> unsupported(Capability capability) {
    return Uni.createFrom()
        .failure(() -> new SandgateException(ErrorCode.UNSUPPORTED, "backend lacks " + capability));
  }
}
