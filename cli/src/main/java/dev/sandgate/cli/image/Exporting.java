// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.image;

import dev.sandgate.cli.output.Progress;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.ExportedImage;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/** An export as the archive's bytes, read as they are wanted; its progress is shown meanwhile. */
final class Exporting implements Iterator<ByteBuffer> {

  private static final int READ_AHEAD = 16;

  private final Iterator<ExportEnvironmentResponse> parts;
  private final Progress progress;
  private ExportedImage image = ExportedImage.getDefaultInstance();
  private @Nullable ByteBuffer next;

  Exporting(Sandgate sandgate, ExportEnvironmentRequest request, Progress progress) {
    this.progress = progress;
    parts =
        sandgate
            .environments()
            .export(request)
            .subscribe()
            .asIterable(READ_AHEAD, () -> new ArrayBlockingQueue<>(READ_AHEAD))
            .iterator();
  }

  @Override
  public boolean hasNext() {
    while (next == null && parts.hasNext()) {
      ExportEnvironmentResponse part = parts.next();
      switch (part.getEventCase()) {
        case PHASE -> progress.update(part.getPhase());
        case DATA -> next = part.getData().asReadOnlyByteBuffer();
        case IMAGE -> image = part.getImage();
        case EVENT_NOT_SET -> progress.update("");
      }
    }
    return next != null;
  }

  @Override
  public ByteBuffer next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException();
    }
    ByteBuffer taken = next;
    next = null;
    return taken;
  }

  /** What was written, once everything has been read. */
  ExportedImage rest() {
    while (hasNext()) {
      next();
    }
    return image;
  }
}
