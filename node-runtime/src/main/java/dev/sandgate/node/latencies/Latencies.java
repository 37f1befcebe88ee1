// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.latencies;

import dev.sandgate.proto.v1.Latency;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * How long each kind of work took since the node started. Recording neither blocks nor allocates, from any thread; memory is
 * that of a few histograms whatever is recorded. Times are right to 1 %, up to a day.
 */
public final class Latencies {

  private static final long HIGHEST_MICROS = TimeUnit.DAYS.toMicros(1);
  private static final int DIGITS = 2;

  private final Map<Operation, Series> all = new EnumMap<>(Operation.class);

  /** Nothing took any time yet. */
  public Latencies() {
    for (Operation operation : Operation.values()) {
      all.put(operation, new Series());
    }
  }

  /** Kinds of work. */
  public enum Operation {
    /** A create call from its arrival until the sandbox takes commands. */
    CREATE,
    /** Of that, what the backend did. */
    CREATE_IN_BACKEND,
    /** A create call that finds no room, from its arrival until it is refused. */
    CREATE_REFUSED,
    /** A create call for a sandbox of a snapshot. */
    RESTORE,
    /** From the call for a snapshot until it can be used. */
    SNAPSHOT,
    /** Of that, how long the sandbox stood still. */
    SNAPSHOT_FROZEN,
    /** From the call for a reset until the sandbox takes commands. */
    RESET,
    /** From the call for a pause until nothing runs. */
    PAUSE,
    /** From there until the memory is given away. */
    RECLAIM,
    /** From the first thing that is asked of a paused sandbox until it goes on. */
    RESUME,
    /** From a command's arrival until it runs, its record included. */
    EXEC_START,
    /** From a command's arrival until its end may be told. */
    EXEC_TOTAL,
    /** From a function call's arrival until its answer. */
    FUNCTION_CALL;

    private String shown() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Something that began at a {@link System#nanoTime} is done. */
  public void done(Operation operation, long begunNanos) {
    took(operation, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begunNanos));
  }

  /** Something took so long. */
  public void took(Operation operation, long micros) {
    of(operation).recorder.recordValue(Math.clamp(micros, 0, HIGHEST_MICROS));
  }

  /** All of them; of what never happened only the count, which is 0. */
  public List<Latency> shown() {
    return Arrays.stream(Operation.values())
        .map(operation -> of(operation).shown().setOperation(operation.shown()).build())
        .toList();
  }

  private Series of(Operation operation) {
    return Objects.requireNonNull(all.get(operation));
  }

  /** One kind's recorder, and what was recorded until somebody last looked. */
  private static final class Series {
    final Recorder recorder = new Recorder(HIGHEST_MICROS, DIGITS);
    private final Histogram until = new Histogram(HIGHEST_MICROS, DIGITS);

    synchronized Latency.Builder shown() {
      until.add(recorder.getIntervalHistogram());
      return Latency.newBuilder()
          .setCount(until.getTotalCount())
          .setP50Micros(until.getValueAtPercentile(50))
          .setP90Micros(until.getValueAtPercentile(90))
          .setP99Micros(until.getValueAtPercentile(99))
          .setMaxMicros(until.getMaxValue());
    }
  }
}
