// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import dev.sandgate.proto.v1.MeterCounts;
import dev.sandgate.spi.Usage;
import dev.sandgate.spi.Usage.Storage;
import java.util.concurrent.TimeUnit;

/**
 * Counts that only grow.
 *
 * @param cpuMicros user and system time
 * @param storage what was moved, or {@link Storage#NOT_MEASURED}
 */
record Counts(long cpuMicros, Storage storage) {

  static final Counts NONE = new Counts(0, Storage.NOT_MEASURED);

  static Counts of(Usage usage) {
    return new Counts(TimeUnit.NANOSECONDS.toMicros(usage.cpu().toNanos()), usage.storage());
  }

  static Counts of(MeterCounts stored) {
    return new Counts(
        stored.getCpuMicros(),
        stored.hasReadBytes()
            ? new Storage(stored.getReadBytes(), stored.getWrittenBytes())
            : Storage.NOT_MEASURED);
  }

  boolean storageMeasured() {
    return storage.readBytes() != Usage.UNKNOWN;
  }

  /** Both together; what was moved is what is known of it. */
  Counts plus(Counts other) {
    return new Counts(cpuMicros + other.cpuMicros, plus(storage, other.storage));
  }

  private static Storage plus(Storage one, Storage other) {
    if (one.readBytes() == Usage.UNKNOWN) {
      return other;
    }
    return other.readBytes() == Usage.UNKNOWN
        ? one
        : new Storage(
            one.readBytes() + other.readBytes(), one.writtenBytes() + other.writtenBytes());
  }

  /** The larger of each: what a later reading does not know, or knows less of, is known from an earlier one. */
  Counts orMore(Counts later) {
    return new Counts(
        Math.max(cpuMicros, later.cpuMicros),
        new Storage(
            Math.max(storage.readBytes(), later.storage.readBytes()),
            Math.max(storage.writtenBytes(), later.storage.writtenBytes())));
  }

  MeterCounts stored() {
    MeterCounts.Builder stored = MeterCounts.newBuilder().setCpuMicros(cpuMicros);
    if (storageMeasured()) {
      stored.setReadBytes(storage.readBytes()).setWrittenBytes(storage.writtenBytes());
    }
    return stored.build();
  }
}
