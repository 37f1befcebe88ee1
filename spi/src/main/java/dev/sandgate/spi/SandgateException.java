// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import org.jspecify.annotations.Nullable;

/** The one exception of the SPI: an {@link ErrorCode}, the field at fault if any, and what to do about it. */
public final class SandgateException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final String field;

  /**
   * An error that no single request field is to blame for.
   *
   * @param code the kind
   * @param message what happened and the fix, for a human
   */
  public SandgateException(ErrorCode code, String message) {
    this(code, "", message, null);
  }

  /**
   * An error with everything that is known.
   *
   * @param code the kind
   * @param field the request field at fault, in the API's spelling ({@code limits.memory_bytes}), or empty
   * @param message what happened and the fix, for a human
   * @param cause the underlying failure, or null
   */
  public SandgateException(
      ErrorCode code, String field, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.field = field;
  }

  /**
   * A bad request field.
   *
   * @param field the field, in the API's spelling
   * @param message what is wrong with it and what would be right
   * @return {@link ErrorCode#INVALID_ARGUMENT}
   */
  public static SandgateException invalid(String field, String message) {
    return new SandgateException(ErrorCode.INVALID_ARGUMENT, field, field + ": " + message, null);
  }

  /**
   * The kind of error.
   *
   * @return never null
   */
  public ErrorCode code() {
    return code;
  }

  /**
   * The request field at fault.
   *
   * @return the field, or an empty string
   */
  public String field() {
    return field;
  }
}
