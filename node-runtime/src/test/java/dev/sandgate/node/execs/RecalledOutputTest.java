// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.ExecEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Output that is taken back from the journal while an earlier process left files of the same command. */
class RecalledOutputTest {

  private static final OutputStream STDOUT = OutputStream.OUTPUT_STREAM_STDOUT;

  @TempDir private Path directory;
  private DiskBudget disk = new DiskBudget(1 << 20, () -> false);

  /** As a process begins with it. */
  private Output output(long cap) {
    disk = new DiskBudget(1 << 20, () -> false);
    List<Spool> files =
        Stream.of("1.out", "1.err").map(name -> new Spool(directory.resolve(name), disk)).toList();
    return new Output(OutputPolicy.OUTPUT_POLICY_RECORD, cap, new MemoryBudget(1 << 20), files);
  }

  private static ByteString bytes(int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (i * 7 % 251);
    }
    return ByteString.copyFrom(bytes);
  }

  private static void write(Output output, ByteString all) {
    output.append(new ExecEvent.Output(ExecEvent.Stream.STDOUT, 0, all.asReadOnlyByteBuffer()));
  }

  private static ByteString read(Output output) throws IOException {
    ByteString read = ByteString.EMPTY;
    while (read.size() < output.produced(STDOUT)) {
      read =
          switch (output.next(STDOUT, read.size())) {
            case Output.Next.Bytes(ByteString bytes) -> read.concat(bytes);
            case Output.Next.Stored part -> read.concat(output.stored(STDOUT, part));
            case Output.Next.Gap gap -> throw new AssertionError("a gap: " + gap);
            case Output.Next.None _ -> throw new AssertionError("nothing at " + read.size());
          };
    }
    return read;
  }

  @ParameterizedTest
  @ValueSource(ints = {28, 90, 213})
  void shouldKeepEveryByteOnceWhateverFilesAnEarlierProcessLeft(int flushed) throws IOException {
    ByteString all = bytes(255);
    Output first = output(300);
    write(first, all.substring(0, flushed));
    assertTrue(first.startSpooling(true));
    first.spool();

    Output recalled = output(300);
    recalled.discardFiles();
    write(recalled, all);
    recalled.end(all.size(), 0);
    recalled.settle();
    assertEquals(all, read(recalled));

    Output restored = output(300);
    restored.restore();
    restored.end(all.size(), 0);
    assertEquals(all, read(restored));
    restored.release();
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(0, left.count());
    }
    assertEquals(0, disk.used());
  }
}
