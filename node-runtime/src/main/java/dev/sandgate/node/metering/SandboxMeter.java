// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import dev.sandgate.node.sandboxes.Times;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterState;
import dev.sandgate.spi.Usage;
import java.util.Optional;

/**
 * What one sandbox used. Readings begin at 0 with each reset; one that falls otherwise says that something is missing. Memory is
 * taken to have changed evenly between two readings, and to have been before the first what it was then. Safe for any thread.
 *
 * <p>Times are milliseconds since the epoch, on a clock that does not jump while the node runs.
 */
final class SandboxMeter {

  private static final long NONE = -1;
  private static final double MIB = 1 << 20;
  private static final long PERIODS_MISSED = 3;
  private static final long RATE_MILLIS = 200;

  private final long periodMillis;
  private Counts before = Counts.NONE;
  private Counts current = Counts.NONE;
  private double byteMillis;
  private long estimatedMillis;
  private long memoryBytes = NONE;
  private long cpuMillisNow;
  private long rateAt;
  private long rateCpu;
  private long at;
  private long resetMillis;
  private boolean sampled;
  private boolean incomplete;
  private boolean ended;

  /** A sandbox that takes commands since then. */
  SandboxMeter(long startMillis, long periodMillis) {
    this.at = startMillis;
    this.periodMillis = periodMillis;
  }

  /** One of an earlier run of the node, which knew of its latest reset if it was this one. */
  static SandboxMeter of(MeterState stored, long resetMillis, long periodMillis) {
    SandboxMeter meter = new SandboxMeter(stored.getAtMillis(), periodMillis);
    meter.before = Counts.of(stored.getBefore());
    meter.current = Counts.of(stored.getCurrent());
    meter.byteMillis = stored.getMemoryByteMillis();
    meter.estimatedMillis = stored.getMemoryEstimatedMillis();
    meter.memoryBytes = stored.getMemoryBytes();
    meter.resetMillis = stored.getResetMillis();
    meter.incomplete = stored.getIncomplete();
    meter.ended = stored.getEnded();
    if (meter.resetMillis != resetMillis) {
      meter.lost();
      meter.begin(meter.at, resetMillis);
    }
    return meter;
  }

  /** Takes a reading of the sandbox as it is since its latest reset. */
  synchronized void sample(Usage usage, long now) {
    if (!ended && now >= at) {
      add(usage, now);
    }
  }

  /** The sandbox was reset; without a reading what it used lately is missing. */
  synchronized void reset(Optional<Usage> used, long now, long resetAt) {
    last(used, now);
    begin(Math.max(at, now), resetAt);
  }

  /** The sandbox has ended; the first call counts. */
  synchronized void end(Optional<Usage> used, long now) {
    if (!ended) {
      last(used, now);
      ended = true;
      cpuMillisNow = 0;
      memoryBytes = NONE;
    }
  }

  /** Something is missing, from a crash for example. */
  synchronized void lost() {
    incomplete = true;
  }

  private void last(Optional<Usage> used, long now) {
    used.ifPresentOrElse(usage -> add(usage, Math.max(at, now)), this::lost);
    incomplete |=
        used.isPresent() && current.storageMeasured() && !Counts.of(used.get()).storageMeasured();
  }

  private void begin(long now, long resetAt) {
    before = before.plus(current);
    current = Counts.NONE;
    memoryBytes = NONE;
    at = now;
    resetMillis = resetAt;
  }

  private void add(Usage usage, long now) {
    Counts read = Counts.of(usage);
    if (read.cpuMicros() < current.cpuMicros()) {
      lost();
      before = before.plus(current);
      current = Counts.NONE;
    }
    current = current.orMore(read);
    addMemory(usage.memoryBytes(), now - at);
    rate(now);
    at = now;
    sampled = true;
  }

  /** Readings may follow each other closely. */
  private void rate(long now) {
    long cpu = before.cpuMicros() + current.cpuMicros();
    if (sampled && now - rateAt < RATE_MILLIS) {
      return;
    }
    cpuMillisNow = sampled ? (cpu - rateCpu) / (now - rateAt) : 0;
    rateAt = now;
    rateCpu = cpu;
  }

  private void addMemory(long bytes, long passed) {
    long earlier = memoryBytes == NONE ? bytes : memoryBytes;
    byteMillis += (earlier + bytes) / 2.0 * passed;
    estimatedMillis += passed > PERIODS_MISSED * periodMillis ? passed : 0;
    memoryBytes = bytes;
  }

  /** Fills in what it counted. */
  synchronized void show(Meter.Builder shown) {
    Counts all = before.plus(current);
    shown
        .setCpuMicros(all.cpuMicros())
        .setIncomplete(incomplete ? 1 : 0)
        .setMemoryMibMillis(Math.round(byteMillis / MIB))
        .setMemoryEstimatedMillis(estimatedMillis)
        .setStorageUnmeasured(all.storageMeasured() ? 0 : 1);
    if (all.storageMeasured()) {
      shown.setReadBytes(all.storage().readBytes()).setWrittenBytes(all.storage().writtenBytes());
    }
    if (sampled && !ended) {
      shown
          .setMeasuredAt(Times.timestamp(at))
          .setCpuMillisNow(cpuMillisNow)
          .setMemoryBytesNow(Math.max(0, memoryBytes));
    }
  }

  synchronized MeterState stored() {
    return MeterState.newBuilder()
        .setBefore(before.stored())
        .setCurrent(current.stored())
        .setMemoryByteMillis(byteMillis)
        .setMemoryEstimatedMillis(estimatedMillis)
        .setMemoryBytes(memoryBytes)
        .setAtMillis(at)
        .setResetMillis(resetMillis)
        .setIncomplete(incomplete)
        .setEnded(ended)
        .build();
  }
}
