// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One output stream of one command, by absolute offset: {@code [start, end)} is kept — first the head, then
 * what is in the spool file, then pages that are not (or not only) there yet — and {@code [end, produced)}
 * was dropped.
 *
 * <p>Guarded by its record's lock, like everything of a record.
 */
final class Track {

  private static final int PAGES_KEPT = 2;

  private final Head head;
  private final List<Page> pages = new ArrayList<>(0);
  private final boolean spooling;
  private long cap;
  private long start;
  private long end;
  private long produced;
  private long spooled;

  /**
   * An empty track.
   *
   * @param cap offset from which on output is dropped
   * @param spooling whether pages go to a file; otherwise they stay until they are trimmed
   */
  Track(MemoryBudget budget, long cap, boolean spooling) {
    this.head = new Head(budget);
    this.cap = cap;
    this.spooling = spooling;
  }

  long start() {
    return start;
  }

  long end() {
    return end;
  }

  long produced() {
    return produced;
  }

  /** Output that is in no file yet. */
  long unspooled() {
    return pages.isEmpty() ? 0 : end - spooled;
  }

  /** Takes what the command wrote; what was taken before is skipped. */
  void append(long offset, ByteBuffer data) {
    if (offset > produced) {
      skipTo(offset);
    }
    int known = (int) Math.min(data.remaining(), produced - offset);
    data.position(data.position() + known);
    int kept = (int) Math.max(0, Math.min(data.remaining(), cap - end));
    produced += data.remaining();
    if (kept > 0 && spooling && pages.isEmpty() && spooled == start + head.length()) {
      int taken = head.append(data, kept);
      end += taken;
      spooled = end;
      kept -= taken;
    }
    while (kept > 0) {
      int taken = lastPage().append(data, kept);
      end += taken;
      kept -= taken;
    }
  }

  /** Says how much the command wrote in all, whether it arrived or not. */
  void wrote(long bytes) {
    produced = Math.max(produced, bytes);
  }

  /** What is kept from a position on, in memory, as far as it is in one piece; empty when it is not in memory. */
  ByteString inMemory(long position) {
    long headEnd = start + head.length();
    if (spooling && position < headEnd) {
      return head.from((int) (position - start));
    }
    if (pages.isEmpty() || position < pages.getFirst().offset()) {
      return ByteString.EMPTY;
    }
    int index = (int) ((position - pages.getFirst().offset()) / Page.SIZE);
    return pages.get(index).from(position);
  }

  /** Where the spool file begins. */
  long spoolStart() {
    return start + head.length();
  }

  /** Up to where the file has everything. */
  long spooled() {
    return spooled;
  }

  /** What must still go to the file. */
  List<ByteBuffer> toSpool() {
    List<ByteBuffer> buffers = new ArrayList<>(pages.size());
    for (Page page : pages) {
      if (page.end() > spooled) {
        buffers.add(page.bufferFrom(Math.max(spooled, page.offset())));
      }
    }
    return buffers;
  }

  /** Says that the file has everything below a position; old pages go. */
  void spooledTo(long position, boolean ended) {
    spooled = position;
    int keep = ended ? 0 : PAGES_KEPT;
    while (pages.size() > keep
        && pages.getFirst().end() <= spooled
        && (ended || pages.getFirst().full())) {
      pages.removeFirst();
    }
  }

  /** The file cannot take more: what comes from here on is dropped. */
  void capHere() {
    cap = end;
  }

  /** Forgets full pages below a position, for a track without a file. */
  void trim(long position) {
    while (!pages.isEmpty() && pages.getFirst().full() && pages.getFirst().end() <= position) {
      start = pages.removeFirst().end();
    }
  }

  /** Forgets everything; readers that are still there see a gap. */
  void release() {
    head.release();
    pages.clear();
    start = produced;
    end = produced;
    spooled = produced;
  }

  private void skipTo(long offset) {
    head.release();
    pages.clear();
    start = offset;
    end = offset;
    spooled = offset;
    produced = offset;
  }

  private Page lastPage() {
    if (pages.isEmpty() || pages.getLast().full()) {
      pages.add(new Page(end));
    }
    return pages.getLast();
  }
}
