// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.OutputOffsets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Both output streams of a command, with their files. Safe for any thread. The lock of the files is taken before that of
 * the record.
 */
final class Output {

  /** Outputs up to this size are kept with the result instead of in files. */
  static final int SMALL = 16 << 10;

  private static final List<OutputStream> STREAMS =
      List.of(OutputStream.OUTPUT_STREAM_STDOUT, OutputStream.OUTPUT_STREAM_STDERR);
  private static final long UNSPOOLED_LIMIT = 256 << 10;
  private static final long SPOOL_AT = 128 << 10;
  private static final long LAG_LIMIT = 1 << 20;
  private static final long LEAST_BLOCKING_TAIL = 2 << 20;
  private static final Next NONE = new Next.None();

  private final boolean blocking;
  private final Track[] tracks;
  private final Spool[] spools;
  private final long[] readTo = new long[2];
  private final ReentrantLock files = new ReentrantLock();
  private boolean ended;
  private boolean spooling;
  private boolean released;
  private boolean freed;

  /**
   * Empty output.
   *
   * @param policy what happens to output that nobody reads
   * @param cap bytes kept of both streams
   * @param files one of each stream
   */
  Output(OutputPolicy policy, long cap, MemoryBudget budget, List<Spool> files) {
    blocking = policy == OutputPolicy.OUTPUT_POLICY_BLOCK;
    HeadRoom room = new HeadRoom(cap, blocking ? LEAST_BLOCKING_TAIL : 0);
    tracks = new Track[] {new Track(budget, room), new Track(budget, room)};
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

  /** Says that nothing more comes, however much that was. */
  synchronized void seal() {
    ended = true;
  }

  /** Whether more may be taken from the command now; with the slowest reader's positions, when there are readers. */
  synchronized boolean hasRoom(OptionalLong slowestStdout, OptionalLong slowestStderr) {
    boolean room = tracks[0].unspooled() + tracks[1].unspooled() < UNSPOOLED_LIMIT;
    if (!blocking || freed) {
      return room;
    }
    readTo[0] = Math.max(readTo[0], slowestStdout.orElse(0));
    readTo[1] = Math.max(readTo[1], slowestStderr.orElse(0));
    return room
        && tracks[0].produced() - readTo[0] < LAG_LIMIT
        && tracks[1].produced() - readTo[1] < LAG_LIMIT;
  }

  /** Waits for readers no more: the command was killed, and what is left of its output is all that comes. */
  synchronized void free() {
    freed = true;
  }

  /** Whether {@link #spool} should run now; if so, the caller must run it. */
  synchronized boolean startSpooling(boolean everything) {
    if (spooling || ended || released) {
      return false;
    }
    spooling =
        everything
            ? tracks[0].dirty() || tracks[1].dirty()
            : tracks[0].unspooled() + tracks[1].unspooled() >= SPOOL_AT;
    return spooling;
  }

  /** Writes what is new to the files; blocks, one at a time. Throws the failure of a full disk, once. */
  void spool() throws IOException {
    files.lock();
    try {
      for (int i = 0; i < tracks.length; i++) {
        spool(i);
      }
    } finally {
      synchronized (this) {
        spooling = false;
      }
      files.unlock();
    }
  }

  /** Whether an ended command's output is little and in memory, so that it needs no file. */
  synchronized boolean isSmall() {
    return tracks[0].isSmall(SMALL) && tracks[1].isSmall(SMALL);
  }

  /** Whether there are files; a small output has some when the command ran for a while. */
  boolean hasFiles() {
    return spools[0].exists() || spools[1].exists();
  }

  /** Deletes the files of an output that is in memory; blocks. */
  void dropFiles() {
    files.lock();
    try {
      spools[0].clear();
      spools[1].clear();
    } finally {
      files.unlock();
    }
  }

  /** Deletes the files that an earlier process may have left of an output that is known from elsewhere; blocks. */
  void discardFiles() {
    files.lock();
    try {
      spools[0].discard();
      spools[1].discard();
    } finally {
      files.unlock();
    }
  }

  /** Brings an ended command's output into the files, as far as they take it, and closes them; blocks. */
  void settle() {
    files.lock();
    try {
      while (dirty()) {
        spoolOrGiveUp();
      }
    } finally {
      spools[0].finish();
      spools[1].finish();
      files.unlock();
    }
  }

  private void spoolOrGiveUp() {
    try {
      spool();
    } catch (IOException e) {
      Executions.LOG.error("output cannot be kept", e);
    }
  }

  /** All of a small output. */
  synchronized ByteString small(OutputStream stream) {
    return track(stream).inMemory(0);
  }

  /** Takes what an earlier process kept in files; the positions after it. Blocks. */
  OutputOffsets restore() {
    for (int i = 0; i < tracks.length; i++) {
      Optional<Layout> layout = spools[i].restore();
      synchronized (this) {
        if (layout.isPresent()) {
          tracks[i].restore(layout.get());
        }
      }
    }
    return positions();
  }

  synchronized OutputOffsets positions() {
    return new OutputOffsets(tracks[0].produced(), tracks[1].produced());
  }

  synchronized Next next(OutputStream stream, long position) {
    Track track = track(stream);
    if (position >= track.produced()) {
      return NONE;
    }
    ByteString bytes = track.inMemory(position);
    if (!bytes.isEmpty()) {
      return new Next.Bytes(bytes);
    }
    if (position >= track.headEnd() && position < track.tailStart()) {
      return new Next.Gap(ended ? track.tailStart() : track.rejoin());
    }
    return new Next.Stored(
        position, (int) Math.min(Page.SIZE, track.readableTo(position) - position));
  }

  /** Reads from the file; blocks. Empty when the bytes were given up meanwhile: ask {@link #next} again. */
  ByteString stored(OutputStream stream, Next.Stored part) throws IOException {
    Spool spool = spools[index(stream)];
    ByteString bytes = ByteString.EMPTY;
    @Nullable IOException failure = null;
    try {
      bytes =
          part.position() < headEnd(stream)
              ? spool.readHead(part.position(), part.length())
              : spool.readTail(part.position(), part.length());
    } catch (IOException e) {
      failure = e;
    }
    if (!keeps(stream, part.position())) {
      return ByteString.EMPTY;
    }
    if (failure != null) {
      throw failure;
    }
    return bytes;
  }

  synchronized long produced(OutputStream stream) {
    return track(stream).produced();
  }

  /** What is missing of a finished record. */
  synchronized List<ExecTruncated> gaps() {
    List<ExecTruncated> gaps = new ArrayList<>(0);
    for (OutputStream stream : STREAMS) {
      Track track = track(stream);
      if (track.headEnd() < track.tailStart()) {
        gaps.add(gap(stream, track.headEnd(), track.tailStart()));
      }
    }
    return gaps;
  }

  /** Gives up all that is kept. */
  synchronized void release() {
    released = true;
    for (int i = 0; i < tracks.length; i++) {
      tracks[i].release();
      spools[i].delete();
    }
  }

  static ExecTruncated gap(OutputStream stream, long from, long to) {
    return ExecTruncated.newBuilder().setStream(stream).setFrom(from).setTo(to).build();
  }

  private void spool(int index) throws IOException {
    Track track = tracks[index];
    Spool spool = spools[index];
    Track.Work work;
    synchronized (this) {
      work = track.work();
    }
    try {
      spool.append(work.headOffset(), work.headBytes());
      if (work.beginTail()) {
        spool.beginTail(work.headEnd(), work.tailBase(), work.ringBytes());
      }
      spool.writeTail(work.tailOffset(), work.tailBytes());
    } catch (IOException e) {
      synchronized (this) {
        track.fileIsFull();
        track.spooledTo(track.produced(), ended);
      }
      throw e;
    }
    synchronized (this) {
      track.spooledTo(work.spooledTo(), ended && work.spooledTo() == track.produced());
    }
  }

  private synchronized boolean dirty() {
    return !released && (tracks[0].dirty() || tracks[1].dirty());
  }

  private synchronized long headEnd(OutputStream stream) {
    return track(stream).headEnd();
  }

  private synchronized boolean keeps(OutputStream stream, long position) {
    Track track = track(stream);
    return position < track.headEnd() || position >= track.tailStart();
  }

  private Track track(OutputStream stream) {
    return tracks[index(stream)];
  }

  private static int index(OutputStream stream) {
    return stream == OutputStream.OUTPUT_STREAM_STDERR ? 1 : 0;
  }
}
