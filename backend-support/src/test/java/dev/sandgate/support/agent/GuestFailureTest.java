// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.wire.Errno;
import dev.sandgate.support.wire.MalformedFrameException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the guest's refusals become. */
final class GuestFailureTest {

  @ParameterizedTest
  @CsvSource({
    "1, 0, FILE, INVALID_ARGUMENT",
    "2, 0, EXEC, NOT_FOUND",
    "3, 0, EXEC, ALREADY_EXISTS",
    "4, 2, FILE, NOT_FOUND",
    "4, 2, EXEC, EXEC_FAILED",
    "4, 13, FILE, PERMISSION_DENIED",
    "4, 13, EXEC, EXEC_FAILED",
    "4, 1, FILE, PERMISSION_DENIED",
    "4, 17, FILE, ALREADY_EXISTS",
    "4, 28, FILE, RESOURCE_EXHAUSTED",
    "4, 122, FILE, RESOURCE_EXHAUSTED",
    "4, 11, EXEC, RESOURCE_EXHAUSTED",
    "4, 22, FILE, FILE_FAILED",
    "4, 111, CONNECT, CONNECT_FAILED",
    "5, 0, EXEC, RESOURCE_EXHAUSTED",
    "6, 0, EXEC, FAILED_PRECONDITION",
    "7, 0, EXEC, EXEC_FAILED",
    "7, 0, FILE, FILE_FAILED",
  })
  void shouldBecomeItsCode(int kind, int errno, Operation operation, ErrorCode code) {
    SandgateException cause = new GuestFailure(kind, errno, "text").toException(operation, "/it");
    assertEquals(code, cause.code());
    assertTrue(cause.getMessage().startsWith("/it: text"), cause.getMessage());
  }

  @Test
  void shouldNameTheErrorAndNoSubjectTwice() {
    GuestFailure failure = new GuestFailure(4, Errno.ENOENT, "open /x: none");
    assertEquals("open /x: none (ENOENT)", failure.toException(Operation.FILE, "/x").getMessage());
    assertEquals("EHWPOISON", Errno.name(133));
    assertEquals("ENOTEMPTY", Errno.name(39));
    assertEquals("EDQUOT", Errno.name(Errno.EDQUOT));
    assertEquals("errno 41", Errno.name(41));
    assertEquals("errno 999", Errno.name(999));
  }

  @Test
  void shouldRefuseKindsThatDoNotExist() {
    GuestFailure failure = new GuestFailure(8, 0, "");
    assertThrows(MalformedFrameException.class, () -> failure.toException(Operation.FILE, "/x"));
  }
}
