// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.ExecEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Both output streams of a command, with their files. Safe for any thread. */
final class Output {

  private static final long UNSPOOLED_LIMIT = 256 << 10;
  private static final long SPOOL_AT = 128 << 10;
  private static final long LAG_LIMIT = 1 << 20;

  private final boolean blocking;
  private final Track[] tracks;
  private final Spool[] spools;
  private boolean ended;
  private boolean spooling;
  private boolean filed;

  /**
   * Empty output.
   *
   * @param policy what happens to output that nobody reads
   * @param cap bytes kept of each stream
   * @param files one of each stream
   */
  Output(OutputPolicy policy, long cap, MemoryBudget budget, List<Spool> files) {
    blocking = policy == OutputPolicy.OUTPUT_POLICY_BLOCK;
    long most = blocking ? Long.MAX_VALUE : cap;
    tracks = new Track[] {new Track(budget, most, !blocking), new Track(budget, most, !blocking)};
    spools = files.toArray(Spool[]::new);
  }

  /** Where a reader finds the next bytes. */
  sealed interface Next {
    /** Bytes at hand. */
    record Bytes(ByteString bytes) implements Next {}

    /** Bytes of the file. */
    record Stored(long position, int length) implements Next {}

    /** Bytes that are not kept. */
    record Gap(long to) implements Next {}

    /** Nothing yet, or nothing any more. */
    record None() implements Next {}
  }

  private static final Next NONE = new Next.None();

  synchronized void append(ExecEvent.Output event) {
    tracks[event.stream() == ExecEvent.Stream.STDERR ? 1 : 0].append(
        event.offset(), event.data().duplicate());
  }

  /** Says that the command ended with these many bytes written. */
  synchronized void end(long stdout, long stderr) {
    ended = true;
    tracks[0].wrote(stdout);
    tracks[1].wrote(stderr);
  }

  /** Whether more may be taken from the command now; with the slowest reader's positions, when there are readers. */
  synchronized boolean hasRoom(OptionalLong slowestStdout, OptionalLong slowestStderr) {
    if (!blocking) {
      return tracks[0].unspooled() + tracks[1].unspooled() < UNSPOOLED_LIMIT;
    }
    slowestStdout.ifPresent(tracks[0]::trim);
    slowestStderr.ifPresent(tracks[1]::trim);
    return tracks[0].end() - slowestStdout.orElse(tracks[0].start()) < LAG_LIMIT
        && tracks[1].end() - slowestStderr.orElse(tracks[1].start()) < LAG_LIMIT;
  }

  /** Whether {@link #spool} should run now; if so, the caller must run it. */
  synchronized boolean startSpooling() {
    if (blocking || spooling) {
      return false;
    }
    long waiting = tracks[0].unspooled() + tracks[1].unspooled();
    spooling = waiting >= SPOOL_AT || (ended && (waiting > 0 || filed));
    filed |= spooling;
    return spooling;
  }

  /** Writes pages to the files; blocks, one at a time. Returns the failure of a full disk. */
  void spool() throws IOException {
    try {
      for (int i = 0; i < tracks.length; i++) {
        spool(i);
      }
    } finally {
      synchronized (this) {
        spooling = false;
        if (ended && tracks[0].unspooled() + tracks[1].unspooled() == 0) {
          filed = false;
          spools[0].finish();
          spools[1].finish();
        }
      }
    }
  }

  synchronized Next next(OutputStream stream, long position) {
    Track track = track(stream);
    if (position < track.start()) {
      return new Next.Gap(track.start());
    }
    if (position >= track.end()) {
      boolean dropped = ended && position < track.produced();
      return dropped ? new Next.Gap(track.produced()) : NONE;
    }
    ByteString bytes = track.inMemory(position);
    if (!bytes.isEmpty()) {
      return new Next.Bytes(bytes);
    }
    return new Next.Stored(position, (int) Math.min(Page.SIZE, track.spooled() - position));
  }

  /** Reads from the file; blocks. */
  ByteString stored(OutputStream stream, Next.Stored part) throws IOException {
    long begin;
    synchronized (this) {
      begin = track(stream).spoolStart();
    }
    return spools[index(stream)].read(part.position() - begin, part.length());
  }

  synchronized long produced(OutputStream stream) {
    return track(stream).produced();
  }

  /** What is missing of a finished record. */
  synchronized List<ExecTruncated> gaps() {
    List<ExecTruncated> gaps = new ArrayList<>(0);
    for (OutputStream stream :
        List.of(OutputStream.OUTPUT_STREAM_STDOUT, OutputStream.OUTPUT_STREAM_STDERR)) {
      Track track = track(stream);
      if (track.start() > 0 && !blocking) {
        gaps.add(gap(stream, 0, track.start()));
      }
      if (track.produced() > track.end()) {
        gaps.add(gap(stream, track.end(), track.produced()));
      }
    }
    return gaps;
  }

  synchronized void release() {
    for (int i = 0; i < tracks.length; i++) {
      tracks[i].release();
      spools[i].delete();
    }
  }

  static ExecTruncated gap(OutputStream stream, long from, long to) {
    return ExecTruncated.newBuilder().setStream(stream).setFrom(from).setTo(to).build();
  }

  private void spool(int index) throws IOException {
    List<ByteBuffer> buffers;
    long to;
    synchronized (this) {
      buffers = tracks[index].toSpool();
      to = tracks[index].end();
    }
    try {
      spools[index].append(buffers);
    } catch (IOException e) {
      synchronized (this) {
        tracks[index].capHere();
      }
      throw e;
    }
    synchronized (this) {
      tracks[index].spooledTo(to, ended && to == tracks[index].end());
    }
  }

  private Track track(OutputStream stream) {
    return tracks[index(stream)];
  }

  private static int index(OutputStream stream) {
    return stream == OutputStream.OUTPUT_STREAM_STDERR ? 1 : 0;
  }
}
