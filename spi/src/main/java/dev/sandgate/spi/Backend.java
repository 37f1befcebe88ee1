// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Uni;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One way to run sandboxes on this node: function call, container, microVM, full VM, or a third party's own.
 *
 * <p>Lifecycle: {@link BackendProvider#open} → {@link #probe} → {@link #adopt} once, with what the node's
 * records say was alive → {@link #create} any number of times, concurrently → {@link #close}. Nothing is
 * called after {@code close}.
 *
 * <p>Threads: {@code Uni}s may be subscribed on any thread, also on an event loop: a backend must not block
 * the subscriber; blocking work belongs on virtual threads of its own. Items may be emitted on any thread.
 */
public interface Backend extends AutoCloseable {

  /**
   * How strongly a sandbox is kept apart from the host.
   *
   * @return constant
   */
  Isolation isolation();

  /**
   * What sandboxes of this backend can do beyond exec. A declared capability works; a call that needs an
   * undeclared one is refused by the node with {@link ErrorCode#UNSUPPORTED}, and by the backend too should it
   * get there.
   *
   * @return constant for the backend's life
   */
  Set<Capability> capabilities();

  /**
   * Whether the backend can run on this host, found out by trying, not by guessing. May block up to 30 s;
   * idempotent; called at start and by {@code sandgate doctor}.
   *
   * @return one line per thing examined
   */
  Probe probe();

  /**
   * Makes a sandbox and completes when its first exec can be sent.
   *
   * <p>Not idempotent; the node guarantees that an id is used once. Cancelling abandons the creation: what
   * was made is removed. Errors: {@link ErrorCode#INVALID_ARGUMENT} (a field of the spec), {@link
   * ErrorCode#ROOTFS_UNSAFE}, {@link ErrorCode#RESOURCE_EXHAUSTED}, {@link ErrorCode#BACKEND_UNAVAILABLE}.
   *
   * @param spec what is wanted, already validated by the node for ranges
   * @return the sandbox, owned by the node, which destroys it
   */
  Uni<Sandbox> create(SandboxSpec spec);

  /**
   * Takes back the sandboxes that survived a restart of the node, and removes every leftover (process,
   * mount, cgroup, directory) of this backend that is not in the list. Called once, before the first create;
   * must not take longer than 10 s before its first answer.
   *
   * @param known specs of the sandboxes that the node's records call alive
   * @return those that are alive and answer; the others are lost
   */
  Uni<List<Sandbox>> adopt(List<SandboxSpec> known);

  /**
   * Tells what is in a layer. Needs {@link Capability#DISK_SNAPSHOT}. Reads all of it; equal trees give equal digests on
   * every node.
   *
   * @param layer an image of this node
   * @param list file that gets the canonical list, one line per entry; replaced
   * @return the digest and counts
   */
  default Uni<Manifest> manifest(Layer layer, Path list) {
    return Uni.createFrom()
        .failure(
            () ->
                new SandgateException(
                    ErrorCode.UNSUPPORTED, "backend lacks " + Capability.DISK_SNAPSHOT));
  }

  /**
   * Says that the image of a layer was removed: what is kept of it that no sandbox stands on is let go of now, disk space
   * included, and the rest with the last sandbox. One that the backend never had is fine, and so is one that comes again
   * later. May block for a moment; any thread but an event loop; a failure is the backend's to log. By default nothing is kept.
   *
   * @param digest of the image
   */
  default void forget(String digest) {}

  /**
   * Stateless calls. Needs {@link Capability#FUNCTIONS}.
   *
   * @return constant
   * @throws SandgateException with {@link ErrorCode#UNSUPPORTED} without the capability
   */
  default Functions functions() {
    throw new SandgateException(ErrorCode.UNSUPPORTED, "backend lacks " + Capability.FUNCTIONS);
  }

  /**
   * What it makes ahead.
   *
   * @return constant; empty when it makes nothing ahead
   */
  default Optional<SandboxPool> pool() {
    return Optional.empty();
  }

  /** Releases what the backend holds; sandboxes stay alive so that a restarted node can adopt them. */
  @Override
  void close();
}
