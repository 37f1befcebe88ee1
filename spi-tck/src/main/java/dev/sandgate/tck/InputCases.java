// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Standard input: closed unless asked for, back-pressured, addressed by offset, ended explicitly. */
interface InputCases {

  /** The most that one write takes. */
  int CHUNK = 65_536;

  Fixture fixture();

  @Test
  default void shouldEndAtOnceWhenACommandReadsStdinNobodyAskedFor() {
    Running running = fixture().start(Command.of("cat"));
    Result result = running.events().result(Duration.ofSeconds(5)).succeeded();
    assertEquals(0, result.out().count());
    Waiting.on(running.exec().release());
  }

  @Test
  default void shouldGiveWhatWasWrittenAndThenTheEnd() {
    Running running = fixture().start(Command.of("cat").stdin());
    assertEquals(5, running.write(0, "hello", false));
    running.events().awaitStdout("hello");
    assertEquals(11, running.write(5, " world", false));
    assertEquals(11, running.write(11, "", true));
    assertEquals("hello world", running.result().line());
  }

  @Test
  default void shouldCarryEightMebibytesUnchanged() {
    byte[] data = new byte[8 << 20];
    new Random(7).nextBytes(data);
    Running running = fixture().start(Command.of("sha256sum").stdin());
    assertEquals(data.length, feed(running.exec(), data));
    assertEquals(Capture.sha256Hex(data), running.result().line().substring(0, 64));
  }

  @Test
  default void shouldCarryBothWaysAtOnce() {
    byte[] data = new byte[4 << 20];
    new Random(8).nextBytes(data);
    Running running = fixture().start(Command.of("cat").stdin());
    feed(running.exec(), data);
    Result result = running.result();
    assertEquals(data.length, result.out().count());
    assertEquals(Capture.sha256Hex(data), result.out().sha256Hex());
  }

  /** Writes everything and the end; returns the last position. */
  private static long feed(Exec exec, byte[] data) {
    long offset = 0;
    while (offset < data.length) {
      int size = (int) Math.min(CHUNK, data.length - offset);
      ByteBuffer chunk = ByteBuffer.wrap(data, (int) offset, size);
      offset = Waiting.on(exec.write(offset, chunk, offset + size == data.length));
    }
    return offset;
  }

  @Test
  default void shouldSayThatTheCommandClosedItsStdin() {
    Running running = fixture().start(Command.sh("head -c1; exec <&-; sleep 1000").stdin());
    Throwable refusal = writesUntilRefused(running.exec());
    assertEquals(ErrorCode.FAILED_PRECONDITION, Waiting.codeOf(refusal));
    assertFalse(running.events().ended());
    assertEquals("x", running.kill().stdout());
  }

  @Test
  default void shouldNotHangWhenTheCommandEndsWithoutReading() {
    Running running = fixture().start(Command.of("head", "-c1").stdin());
    assertEquals(ErrorCode.FAILED_PRECONDITION, Waiting.codeOf(writesUntilRefused(running.exec())));
    assertEquals("x", running.result().line());
  }

  private static Throwable writesUntilRefused(Exec exec) {
    ByteBuffer chunk =
        ByteBuffer.wrap("x".repeat(CHUNK).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    long offset = 0;
    for (int i = 0; i < 1000; i++) {
      CompletableFuture<Long> write =
          exec.write(offset, chunk.duplicate(), false).subscribeAsCompletionStage();
      Eventually.value("the write ends", Waiting.PATIENCE, write::isDone, done -> done);
      if (write.isCompletedExceptionally()) {
        return Waiting.failureOf(write);
      }
      offset = write.join();
    }
    throw new AssertionError("64 MiB were taken by a command that read one byte");
  }

  @Test
  default void shouldDropWhatItAlreadyHas() {
    Running running = fixture().start(Command.of("cat").stdin());
    assertEquals(3, running.write(0, "abc", false));
    assertEquals(3, running.write(0, "abc", false));
    assertEquals(5, running.write(1, "bcde", false));
    assertEquals(6, running.write(5, "f", true));
    assertEquals("abcdef", running.result().line());
  }

  @Test
  default void shouldRefuseAGapAndGoOn() {
    Running running = fixture().start(Command.of("cat").stdin());
    running.write(0, "ab", false);
    Exec exec = running.exec();
    assertEquals(
        ErrorCode.FAILED_PRECONDITION,
        Waiting.codeOf(exec.write(3, ByteBuffer.wrap(new byte[] {1}), false)));
    running.write(2, "c", true);
    assertEquals("abc", running.result().line());
  }

  @Test
  default void shouldRefuseWritesWhenStdinIsNotOpen() {
    Running closed = fixture().start(Command.of("sleep", "1000"));
    assertRefused(closed.exec(), 0);
    closed.kill();
    Running ended = fixture().start(Command.sh("cat >/dev/null; sleep 1000").stdin());
    ended.write(0, "x", true);
    assertRefused(ended.exec(), 1);
    ended.kill();
  }

  private static void assertRefused(Exec exec, long offset) {
    assertEquals(
        ErrorCode.FAILED_PRECONDITION,
        Waiting.codeOf(exec.write(offset, ByteBuffer.wrap(new byte[] {1}), false)));
  }

  @Test
  default void shouldMakeTheWriterWaitForACommandThatDoesNotRead() {
    Running running = fixture().start(Command.of("sleep", "1000").stdin());
    CompletableFuture<Long> pending = writesUntilPending(running.exec());
    running.kill();
    Eventually.holds("the pending write ends with the command", pending::isDone);
    assertTrue(pending.isCompletedExceptionally(), "bytes nobody read count as written");
    assertEquals(ErrorCode.FAILED_PRECONDITION, Waiting.codeOf(Waiting.failureOf(pending)));
  }

  private static CompletableFuture<Long> writesUntilPending(Exec exec) {
    long offset = 0;
    long most = 4 << 20;
    while (offset < most) {
      CompletableFuture<Long> write =
          exec.write(offset, ByteBuffer.allocate(CHUNK), false).subscribeAsCompletionStage();
      if (!Eventually.settles("the write", Duration.ofMillis(300), write::isDone)) {
        return write;
      }
      offset = write.join();
    }
    throw new AssertionError("4 MiB were taken by a command that reads nothing");
  }
}
