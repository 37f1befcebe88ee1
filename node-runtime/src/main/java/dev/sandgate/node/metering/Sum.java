// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import dev.sandgate.node.sandboxes.Times;
import dev.sandgate.proto.v1.Meter;

/** What several sandboxes used together, in whole numbers: parts add up. One thread at a time. */
final class Sum {

  private final String key;
  private long sandboxes;
  private long living;
  private long incomplete;
  private long cpuMicros;
  private long mibMillis;
  private long estimatedMillis;
  private long readBytes;
  private long writtenBytes;
  private boolean storageMeasured;
  private long storageUnmeasured;
  private long wallMillis;
  private long pausedMillis;
  private long measuredAt = Long.MAX_VALUE;
  private long cpuMillisNow;
  private long memoryBytesNow;

  Sum(String key) {
    this.key = key;
  }

  void add(Meter part) {
    sandboxes += part.getSandboxes();
    living += part.getLiving();
    incomplete += part.getIncomplete();
    cpuMicros += part.getCpuMicros();
    mibMillis += part.getMemoryMibMillis();
    estimatedMillis += part.getMemoryEstimatedMillis();
    storageMeasured |= part.hasReadBytes();
    readBytes += part.getReadBytes();
    writtenBytes += part.getWrittenBytes();
    storageUnmeasured += part.getStorageUnmeasured();
    wallMillis += part.getWallMillis();
    pausedMillis += part.getPausedMillis();
    addNow(part);
  }

  private void addNow(Meter part) {
    if (part.hasMeasuredAt()) {
      measuredAt = Math.min(measuredAt, Times.millis(part.getMeasuredAt()));
    }
    cpuMillisNow += part.getCpuMillisNow();
    memoryBytesNow += part.getMemoryBytesNow();
  }

  Meter shown() {
    Meter.Builder shown =
        Meter.newBuilder()
            .setKey(key)
            .setSandboxes(sandboxes)
            .setLiving(living)
            .setIncomplete(incomplete)
            .setCpuMicros(cpuMicros)
            .setMemoryMibMillis(mibMillis)
            .setMemoryEstimatedMillis(estimatedMillis)
            .setStorageUnmeasured(storageUnmeasured)
            .setWallMillis(wallMillis)
            .setPausedMillis(pausedMillis)
            .setCpuMillisNow(cpuMillisNow)
            .setMemoryBytesNow(memoryBytesNow);
    if (storageMeasured) {
      shown.setReadBytes(readBytes).setWrittenBytes(writtenBytes);
    }
    if (measuredAt != Long.MAX_VALUE) {
      shown.setMeasuredAt(Times.timestamp(measuredAt));
    }
    return shown.build();
  }
}
