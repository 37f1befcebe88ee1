// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Files.FileInfo;
import dev.sandgate.spi.Files.FileType;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.FieldWriter;
import dev.sandgate.support.wire.MalformedFrameException;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The entries of a directory; asked for at the first demand. Event loop only. */
final class ListExchange extends Exchange implements DemandStream.Source<FileInfo> {

  /** An entry and what it counts in the window. */
  private record Entry(FileInfo info, int bytes) {}

  private static final FileType[] TYPES = FileType.values();

  private final Link link;
  private final String path;
  private final Consumer<FieldWriter> question;
  private final ReceiveWindow window = ReceiveWindow.fresh(1);
  private final ArrayDeque<Entry> waiting = new ArrayDeque<>();
  private final DemandStream<FileInfo> stream;
  private int handedBytes;

  ListExchange(Link link, String path, Consumer<FieldWriter> question) {
    this.link = link;
    this.path = path;
    this.question = question;
    this.stream = new DemandStream<>(link, this);
  }

  DemandStream<FileInfo> stream() {
    return stream;
  }

  /** Reads an ENTRY frame. */
  static FileInfo entry(Frame frame) {
    if (frame.type() != FrameType.ENTRY) {
      throw new MalformedFrameException("frame type " + frame.type() + " instead of an entry");
    }
    FieldReader f = frame.fields();
    String path = f.str();
    int type = f.u8();
    if (type >= TYPES.length) {
      throw new MalformedFrameException("entry of unknown type " + type);
    }
    FileInfo info =
        new FileInfo(path, TYPES[type], f.i32(), f.i32(), f.i32(), f.u64(), f.u64(), f.str());
    f.end();
    return info;
  }

  @Override
  void onFrame(Frame frame) {
    switch (frame.type()) {
      case FrameType.ENTRY -> add(frame);
      case FrameType.OK -> end(null);
      case FrameType.FAIL -> end(GuestFailure.of(frame).toException(Operation.FILE, path));
      default -> throw new MalformedFrameException("frame type " + frame.type() + " for a list");
    }
  }

  private void add(Frame frame) {
    int bytes = frame.payload().remaining();
    window.arrived(bytes);
    waiting.add(new Entry(entry(frame), bytes));
    stream.offerMore();
  }

  private void end(@Nullable SandgateException cause) {
    link.forget(this);
    stream.end(cause);
  }

  @Override
  void onLost(SandgateException reason) {
    stream.abort(reason);
  }

  @Override
  public @Nullable FileInfo poll() {
    Entry entry = waiting.poll();
    handedBytes = entry == null ? 0 : entry.bytes;
    return entry == null ? null : entry.info;
  }

  @Override
  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  @Override
  public void delivered(FileInfo item) {
    window.delivered(handedBytes);
  }

  @Override
  public void wanting() {
    try {
      if (channel == 0) {
        link.open(this, FrameType.LIST, 0, question);
      }
      window.grant(link, channel);
    } catch (SandgateException e) {
      stream.end(e);
    }
  }

  @Override
  public void cancelled() {
    waiting.clear();
    if (channel != 0) {
      link.send(FrameType.CANCEL, 0, channel, f -> {});
      link.forget(this);
    }
  }
}
