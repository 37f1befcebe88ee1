// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * The closed, numbered list of everything that can go wrong. Numbers are part of the API and never reused:
 * 1xx the caller's, 2xx resources, 3xx external, 4xx internal.
 */
public enum ErrorCode {
  /** A field is missing, malformed or out of range; the message names it and the fix. */
  INVALID_ARGUMENT(101, Category.USER),
  /** The sandbox, exec, environment, layer or path does not exist, or is not the caller's. */
  NOT_FOUND(102, Category.USER),
  /** The id or path is taken, or an idempotency key was used with other arguments. */
  ALREADY_EXISTS(103, Category.USER),
  /** The operation is not legal in the present state. */
  FAILED_PRECONDITION(104, Category.USER),
  /** The backend does not declare the capability that the call needs. */
  UNSUPPORTED(105, Category.USER),
  /** No credentials, or wrong ones. */
  UNAUTHENTICATED(106, Category.USER),
  /** The credentials do not allow this. */
  PERMISSION_DENIED(107, Category.USER),
  /** A root file system was refused before use: an entry the platform relies on is not what it must be. */
  ROOTFS_UNSAFE(108, Category.USER),
  /** The command could not be started: not found, not executable, no such directory or user. */
  EXEC_FAILED(109, Category.USER),
  /** A file operation failed inside the sandbox; the message has the path and the system error. */
  FILE_FAILED(110, Category.USER),
  /** A configuration setting is wrong; the message names the key and the fix. */
  INVALID_CONFIG(111, Category.USER),
  /** The sandbox was ended by one of its time limits; the message says which: SESSION, LEASE or IDLE_TTL. */
  LEASE_EXPIRED(112, Category.USER),
  /** A limit of the node, a project or the sandbox is reached; retry later or ask for less. */
  RESOURCE_EXHAUSTED(201, Category.RESOURCES),
  /** A deadline passed. */
  DEADLINE_EXCEEDED(202, Category.RESOURCES),
  /** No worker of the pool came free in time; retry later. */
  POOL_EXHAUSTED(203, Category.RESOURCES),
  /** The node of the sandbox cannot be reached; its sandboxes may be alive. */
  NODE_UNREACHABLE(301, Category.EXTERNAL),
  /** The backend cannot run on this node; the message says what is missing. */
  BACKEND_UNAVAILABLE(302, Category.EXTERNAL),
  /** The guest refused a connection to a port. */
  CONNECT_FAILED(303, Category.EXTERNAL),
  /** The shared directory of layers cannot be read or written, or not in time; the message names it. */
  LAYERS_UNAVAILABLE(304, Category.EXTERNAL),
  /** The sandbox is gone or its agent no longer answers. */
  SANDBOX_LOST(401, Category.INTERNAL),
  /** Whether the command ran is not known; it is never run again. */
  UNKNOWN_OUTCOME(402, Category.INTERNAL),
  /** The caller gave up. */
  CANCELLED(403, Category.INTERNAL),
  /** A defect of the platform. */
  INTERNAL(499, Category.INTERNAL);

  /** Whose problem an error is. */
  public enum Category {
    /** The request must change. */
    USER,
    /** The request may succeed later, or with less. */
    RESOURCES,
    /** Something the platform depends on failed. */
    EXTERNAL,
    /** The platform failed. */
    INTERNAL
  }

  private final int number;
  private final Category category;

  ErrorCode(int number, Category category) {
    this.number = number;
    this.category = category;
  }

  /**
   * The stable number.
   *
   * @return 101–499
   */
  public int number() {
    return number;
  }

  /**
   * Whose problem it is.
   *
   * @return the category
   */
  public Category category() {
    return category;
  }
}
