// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecEvent.Stream;
import dev.sandgate.spi.OutputOffsets;
import io.smallrye.mutiny.Multi;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** The recorder that every case reads through accepts a right stream and no wrong one. */
final class RecorderTest {

  private static Output output(Stream stream, long offset, String text) {
    return new Output(
        stream, offset, ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }

  private static Exited exit(long stdout, long stderr) {
    ExecUsage usage = new ExecUsage(Duration.ZERO, Duration.ZERO, 0);
    return new Exited(0, 0, false, new OutputOffsets(stdout, stderr), usage);
  }

  private static Recorder record(ExecEvent... events) {
    Recorder recorder = new Recorder();
    Multi.createFrom().items(events).subscribe(recorder);
    return recorder;
  }

  private static void refused(String complaint, ExecEvent... events) {
    String message = String.valueOf(record(events).failure().getMessage());
    assertTrue(message.contains(complaint), message);
  }

  @Test
  void shouldAcceptInterleavedStreamsAndTheirExit() {
    Result result =
        record(
                output(Stream.STDOUT, 0, "ab"),
                output(Stream.STDERR, 0, "x"),
                output(Stream.STDOUT, 2, "c"),
                exit(3, 1))
            .result();
    assertEquals("abc", result.stdout());
    assertEquals("x", result.stderr());
  }

  @Test
  void shouldRefuseAGapAndARepeat() {
    refused(
        "STDOUT at 3 instead of 2", output(Stream.STDOUT, 0, "ab"), output(Stream.STDOUT, 3, "c"));
    refused(
        "STDOUT at 0 instead of 2", output(Stream.STDOUT, 0, "ab"), output(Stream.STDOUT, 0, "ab"));
  }

  @Test
  void shouldRefuseOutputAfterTheExit() {
    refused("after the exit", exit(0, 0), output(Stream.STDOUT, 0, "late"));
    refused("after the exit", exit(0, 0), exit(0, 0));
  }

  @Test
  void shouldRefuseAStreamWithoutAnExit() {
    refused("without an exit", output(Stream.STDOUT, 0, "a"));
    refused("without an exit");
  }

  @Test
  void shouldRefuseAnExitThatDisagreesWithTheOutput() {
    refused("exit says", output(Stream.STDOUT, 0, "a"), exit(2, 0));
  }

  @Test
  void shouldRefuseEmptyAndOversizedChunks() {
    refused("a chunk of 0 bytes", output(Stream.STDOUT, 0, ""));
    refused("a chunk of 65537 bytes", output(Stream.STDOUT, 0, "x".repeat(65_537)));
  }

  @Test
  void shouldRefuseWhatNobodyAskedFor() {
    Recorder recorder = new Recorder(1, OutputOffsets.START);
    recorder.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {}
        });
    recorder.onNext(output(Stream.STDOUT, 0, "a"));
    recorder.onNext(output(Stream.STDOUT, 1, "b"));
    String message = String.valueOf(recorder.failure().getMessage());
    assertTrue(message.contains("nobody asked for"), message);
  }
}
