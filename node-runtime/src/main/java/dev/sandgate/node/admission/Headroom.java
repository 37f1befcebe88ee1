// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.admission;

import static dev.sandgate.node.config.Setting.check;

import dev.sandgate.proto.v1.Admission;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the machine must have left for another sandbox: memory that is available, measured, and little waiting. What lives goes on
 * whatever is left. The kernel is asked ten times a second at most; sandboxes made since count with {@link #SANDBOX_BYTES} each.
 * Safe for any thread; blocks for a moment.
 */
public final class Headroom {

  static final String RESERVE = "node.memory-reserve-bytes";
  static final String CPU = "node.max-cpu-pressure";
  static final String MEMORY = "node.max-memory-pressure";
  static final String IO = "node.max-io-pressure";

  /** What a sandbox takes before its commands do, about. */
  static final long SANDBOX_BYTES = 1L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(Headroom.class);
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long USUAL_MOST = 1L << 30;
  private static final long USUAL_SHARE = 20;
  private static final OptionalDouble USUAL_MEMORY = OptionalDouble.of(40);
  private static final long SCARCE_SHARE = 4;

  private final Machine machine;
  private final long freshNanos;
  private final long total;
  private final long reserve;
  private final OptionalDouble mostCpu;
  private final OptionalDouble mostMemory;
  private final OptionalDouble mostIo;
  private Reading last;
  private int admitted;
  private long refused;
  private boolean refusing;

  private record Reading(
      long nanos, long available, OptionalDouble cpu, OptionalDouble memory, OptionalDouble io) {}

  /**
   * Reads {@code node.memory-reserve-bytes} (by default a twentieth of the memory, at most 1 GiB; 0: none),
   * {@code node.max-memory-pressure} (percent, 40 by default, counted when less than a quarter of the memory is available: a sandbox at its own
   * limit waits too), {@code node.max-cpu-pressure} and {@code node.max-io-pressure} (percent, no bound by default); INVALID_CONFIG.
   */
  public Headroom(Map<String, String> settings, Machine machine) {
    this(settings, machine, FRESH_NANOS);
  }

  Headroom(Map<String, String> settings, Machine machine, long freshNanos) {
    this.machine = machine;
    this.freshNanos = freshNanos;
    this.total = machine.memoryBytes();
    this.reserve = bytes(settings).orElse(Math.min(USUAL_MOST, total / USUAL_SHARE));
    this.mostCpu = percent(settings, CPU, OptionalDouble.empty());
    this.mostMemory = percent(settings, MEMORY, USUAL_MEMORY);
    this.mostIo = percent(settings, IO, OptionalDouble.empty());
    this.last = read();
  }

  private static OptionalLong bytes(Map<String, String> settings) {
    String value = settings.getOrDefault(RESERVE, "");
    check(value.matches("\\d{0,18}"), RESERVE, "give a whole number of bytes, 0 for none");
    return value.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
  }

  private static OptionalDouble percent(
      Map<String, String> settings, String name, OptionalDouble otherwise) {
    String value = settings.getOrDefault(name, "");
    check(
        value.matches("(\\d{1,2}(\\.\\d{1,3})?|100)?"),
        name,
        "give 0 to 100 percent, 100 for no bound");
    return value.isEmpty() ? otherwise : OptionalDouble.of(Double.parseDouble(value));
  }

  private Reading read() {
    return new Reading(
        System.nanoTime(),
        machine.availableBytes(),
        machine.pressure("cpu"),
        machine.pressure("memory"),
        machine.pressure("io"));
  }

  private Reading current() {
    if (System.nanoTime() - last.nanos > freshNanos) {
      last = read();
      admitted = 0;
    }
    return last;
  }

  /**
   * Counts on a sandbox that is about to be made.
   *
   * @throws SandgateException RESOURCE_EXHAUSTED, with the setting that is in the way
   */
  public synchronized void require() {
    String why = missing(current());
    if (why.isEmpty()) {
      admitted++;
      tell(false, why);
      return;
    }
    refused++;
    tell(true, why);
    String setting = why.substring(0, why.indexOf(':'));
    throw new SandgateException(ErrorCode.RESOURCE_EXHAUSTED, setting, why, null);
  }

  private void tell(boolean now, String why) {
    if (now != refusing) {
      refusing = now;
      LOG.warn(now ? "no sandboxes are made: {}" : "sandboxes are made again{}", why);
    }
  }

  /** The setting and why it is in the way, or nothing. */
  private String missing(Reading reading) {
    long available = reading.available - admitted * SANDBOX_BYTES;
    if (available < reserve) {
      return "%s: %,d bytes of memory are available, which is less than the reserve of %,d; delete or pause sandboxes or lower the setting"
          .formatted(RESERVE, Math.max(0, available), reserve);
    }
    if (available < total / SCARCE_SHARE && above(reading.memory, mostMemory)) {
      return waited(MEMORY, "memory", reading.memory, mostMemory);
    }
    if (above(reading.cpu, mostCpu)) {
      return waited(CPU, "a processor", reading.cpu, mostCpu);
    }
    return above(reading.io, mostIo) ? waited(IO, "a disk", reading.io, mostIo) : "";
  }

  private static boolean above(OptionalDouble measured, OptionalDouble most) {
    return measured.isPresent() && most.isPresent() && measured.getAsDouble() > most.getAsDouble();
  }

  private static String waited(
      String setting, String what, OptionalDouble measured, OptionalDouble most) {
    return "%s: tasks waited for %s in %.0f %% of the last 10 s, more than %.0f %%; retry later or raise the setting"
        .formatted(setting, what, measured.getAsDouble(), most.getAsDouble());
  }

  /** What there is and whether it is enough, as callers are told. */
  public synchronized Admission.Builder shown() {
    Reading reading = current();
    return Admission.newBuilder()
        .setMemoryBytes(total)
        .setMemoryAvailableBytes(reading.available)
        .setMemoryReserveBytes(reserve)
        .setCpuPressure(reading.cpu.orElse(-1))
        .setMemoryPressure(reading.memory.orElse(-1))
        .setIoPressure(reading.io.orElse(-1))
        .setRefused(refused)
        .setRefusing(missing(reading));
  }
}
