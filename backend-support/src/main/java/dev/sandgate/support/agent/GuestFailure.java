// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.wire.Errno;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;

/**
 * What the guest says when it refuses: the one place where that becomes an {@link ErrorCode}.
 *
 * @param kind the protocol's kind, 1–7
 * @param errno the kernel's number, or 0
 * @param text the guest's words
 */
record GuestFailure(int kind, int errno, String text) {

  /** What was asked for; it decides what an error number means. */
  enum Operation {
    EXEC,
    FILE,
    CONNECT
  }

  private static final int SYSTEM = 4;
  private static final int BAD_STATE = 6;

  static GuestFailure of(Frame frame) {
    FieldReader fields = frame.fields();
    GuestFailure failure = new GuestFailure(fields.u16(), fields.i32(), fields.str());
    fields.end();
    return failure;
  }

  boolean isBadState() {
    return kind == BAD_STATE;
  }

  /**
   * The error for the caller.
   *
   * @param operation what was asked for
   * @param subject what it was about: a path, a program, a port
   */
  SandgateException toException(Operation operation, String subject) {
    String what = text.contains(subject) ? text : subject + ": " + text;
    String name = errno == 0 ? "" : " (" + Errno.name(errno) + ")";
    return new SandgateException(code(operation), what + name);
  }

  private ErrorCode code(Operation operation) {
    return switch (kind) {
      case 1 -> ErrorCode.INVALID_ARGUMENT;
      case 2 -> ErrorCode.NOT_FOUND;
      case 3 -> ErrorCode.ALREADY_EXISTS;
      case SYSTEM -> systemError(operation);
      case 5 -> ErrorCode.RESOURCE_EXHAUSTED;
      case BAD_STATE -> ErrorCode.FAILED_PRECONDITION;
      case 7 -> operation == Operation.EXEC ? ErrorCode.EXEC_FAILED : ErrorCode.FILE_FAILED;
      default -> throw new MalformedFrameException("failure of unknown kind " + kind);
    };
  }

  private ErrorCode systemError(Operation operation) {
    return switch (operation) {
      case EXEC -> isExhausted() ? ErrorCode.RESOURCE_EXHAUSTED : ErrorCode.EXEC_FAILED;
      case FILE -> isExhausted() ? ErrorCode.RESOURCE_EXHAUSTED : fileError();
      case CONNECT -> ErrorCode.CONNECT_FAILED;
    };
  }

  private boolean isExhausted() {
    return switch (errno) {
      case Errno.ENOSPC, Errno.EDQUOT, Errno.ENOMEM, Errno.EAGAIN, Errno.EMFILE, Errno.ENFILE ->
          true;
      default -> false;
    };
  }

  private ErrorCode fileError() {
    return switch (errno) {
      case Errno.ENOENT -> ErrorCode.NOT_FOUND;
      case Errno.EACCES, Errno.EPERM -> ErrorCode.PERMISSION_DENIED;
      case Errno.EEXIST -> ErrorCode.ALREADY_EXISTS;
      default -> ErrorCode.FILE_FAILED;
    };
  }
}
