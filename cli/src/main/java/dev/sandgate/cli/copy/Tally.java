// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.output.Progress;
import dev.sandgate.cli.output.Sizes;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what was copied and tells it. Thread-safe. */
final class Tally {

  private final Progress progress;
  private final AtomicLong files = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  Tally(Progress progress) {
    this.progress = progress;
  }

  void addFile() {
    files.incrementAndGet();
    update();
  }

  void addBytes(long count) {
    bytes.addAndGet(count);
    update();
  }

  private void update() {
    progress.update(text());
  }

  private String text() {
    return files.get() + " files, " + Sizes.show(bytes.get());
  }

  void done() {
    progress.done("copied " + text());
  }

  long files() {
    return files.get();
  }

  long bytes() {
    return bytes.get();
  }
}
