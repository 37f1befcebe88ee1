// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One output stream of one command, by absolute offset. Kept are the head {@code [0, headEnd)} and the tail {@code
 * [tailStart, end)}: at most one range in between is missing. Bytes live in the head's memory, in pages, and in the spool
 * file, which has everything below {@code spooled}.
 *
 * <p>Guarded by its record's lock, like everything of a record.
 */
final class Track {

  private static final int PAGES_KEPT = 2;
  private static final long OPEN = Long.MAX_VALUE;

  private final Head head;
  private final HeadRoom room;
  private final List<Page> pages = new ArrayList<>(0);
  private long headEnd = OPEN;
  private long tailBase;
  private long ringBytes;
  private boolean ringBegun;
  private long end;
  private long spooled;

  Track(MemoryBudget budget, HeadRoom room) {
    this.head = new Head(budget);
    this.room = room;
  }

  /** What is to be written to the file. */
  record Work(
      long spooledTo,
      long headOffset,
      List<ByteBuffer> headBytes,
      boolean beginTail,
      long headEnd,
      long tailBase,
      long ringBytes,
      long tailOffset,
      List<ByteBuffer> tailBytes) {}

  /** How much the command wrote, as far as is known. */
  long produced() {
    return end;
  }

  /** Output in pages that is in no file yet. */
  long unspooled() {
    return pages.isEmpty() ? 0 : end - Math.max(spooled, pages.getFirst().offset());
  }

  /** Whether a file has not everything that is kept. */
  boolean dirty() {
    return spooled < end;
  }

  /** Whether all there is is in the head's memory, and little. */
  boolean isSmall(int most) {
    return end == head.length() && headEnd == OPEN && end <= most;
  }

  /** Takes what the command wrote; what was taken before is skipped, what never comes becomes the missing range. */
  void append(long offset, ByteBuffer data) {
    if (offset > end) {
      missing(offset);
    }
    int known = (int) Math.min(data.remaining(), end - offset);
    data.position(data.position() + known);
    if (headEnd == OPEN) {
      appendHead(data, room.take(data.remaining()));
      if (data.hasRemaining()) {
        closeHead(end, room.tail());
      }
    }
    toPages(data, data.remaining());
  }

  /** Says how much the command wrote in all, whether it arrived or not. */
  void wrote(long bytes) {
    if (bytes > end) {
      missing(bytes);
    }
  }

  /** What is kept from a position on, in memory, as far as it is in one piece; empty when it is not in memory. */
  ByteString inMemory(long position) {
    if (position < head.length()) {
      return head.from((int) position);
    }
    if (pages.isEmpty() || position < pages.getFirst().offset() || position >= end) {
      return ByteString.EMPTY;
    }
    for (int i = pages.size() - 1; i >= 0; i--) {
      Page page = pages.get(i);
      if (page.offset() <= position) {
        return position < page.end() ? page.from(position) : ByteString.EMPTY;
      }
    }
    return ByteString.EMPTY;
  }

  long headEnd() {
    return Math.min(headEnd, end);
  }

  /** Where the tail begins; the end when there is none, or nothing is missing. */
  long tailStart() {
    return headEnd == OPEN ? end : Math.max(tailBase, end - ringBytes);
  }

  /** Where a reader that is too slow goes on while more comes: not at the edge, or it would be too slow again. */
  long rejoin() {
    if (ringBytes == 0) {
      return pages.isEmpty() ? end : Math.max(tailBase, pages.getFirst().offset());
    }
    return Math.max(tailStart(), end - ringBytes / 2);
  }

  /** How far the file can be read from a position in head or tail on. */
  long readableTo(long position) {
    return position < headEnd ? Math.min(spooled, headEnd) : spooled;
  }

  /** Takes what must go to the file; {@link #spooledTo} says that it is there. */
  Work work() {
    List<ByteBuffer> headBytes = new ArrayList<>(pages.size() + 1);
    List<ByteBuffer> tailBytes = new ArrayList<>(pages.size());
    long tailFrom = Math.max(Math.max(spooled, tailBase), end - ringBytes);
    if (spooled < head.length()) {
      headBytes.add(head.bufferFrom((int) spooled));
    }
    for (Page page : pages) {
      if (headEnd == OPEN || page.offset() < headEnd) {
        if (page.end() > spooled) {
          headBytes.add(page.bufferFrom(Math.max(spooled, page.offset())));
        }
      } else if (page.end() > tailFrom && ringBytes > 0) {
        tailBytes.add(page.bufferFrom(Math.max(tailFrom, page.offset())));
      }
    }
    boolean begin = headEnd != OPEN && !ringBegun;
    ringBegun |= begin;
    return new Work(
        end, spooled, headBytes, begin, headEnd, tailBase, ringBytes, tailFrom, tailBytes);
  }

  /** Says that the file has everything below a position; old pages go. */
  void spooledTo(long position, boolean ended) {
    spooled = Math.max(spooled, position);
    int keep = ended ? 0 : PAGES_KEPT;
    while (pages.size() > keep && pages.getFirst().end() <= spooled) {
      pages.removeFirst();
    }
  }

  /** The file takes no more: only what it has of the head is kept, and for readers that keep up the newest pages. */
  void fileIsFull() {
    if (headEnd == OPEN || spooled < headEnd) {
      headEnd = Math.max(Math.min(spooled, headEnd), head.length());
      tailBase = Math.max(headEnd, pages.isEmpty() ? end : pages.getFirst().offset());
    }
    ringBytes = 0;
    ringBegun = true;
    spooledTo(end, false);
  }

  /** Continues what an earlier process recorded in a file. */
  void restore(Layout layout) {
    end = layout.end();
    spooled = end;
    room.taken(layout.isOpen() ? end : layout.headEnd());
    if (!layout.isOpen()) {
      headEnd = layout.headEnd();
      tailBase = layout.tailStart();
      ringBytes = layout.ringBytes();
      ringBegun = true;
    }
  }

  /** Forgets everything; readers that are still there see a gap. */
  void release() {
    head.release();
    pages.clear();
    headEnd = 0;
    tailBase = end;
    ringBytes = 0;
    spooled = end;
  }

  private void appendHead(ByteBuffer data, int kept) {
    int taken = pages.isEmpty() && end == head.length() ? head.append(data, kept) : 0;
    end += taken;
    toPages(data, kept - taken);
  }

  private void toPages(ByteBuffer data, int count) {
    int left = count;
    while (left > 0) {
      int taken = lastPage().append(data, left);
      end += taken;
      left -= taken;
    }
  }

  private Page lastPage() {
    boolean fresh =
        pages.isEmpty()
            || pages.getLast().full()
            || pages.getLast().end() != end
            || (headEnd != OPEN && pages.getLast().offset() < headEnd);
    if (fresh) {
      pages.add(new Page(end));
    }
    return pages.getLast();
  }

  private void closeHead(long base, long ring) {
    headEnd = end;
    tailBase = base;
    ringBytes = ring;
    ringBegun = false;
  }

  /** Everything between the head and here is missing from now on. */
  private void missing(long to) {
    if (headEnd == OPEN) {
      closeHead(to, room.tailWithTheRest());
    } else {
      pages.removeIf(page -> page.offset() >= headEnd);
      tailBase = to;
      ringBegun = false;
    }
    end = to;
  }
}
