// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.admission;

import dev.sandgate.proto.v1.Limits;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.OptionalDouble;

/**
 * What the living sandboxes asked for. One that asks for more than is left is refused at once; how much they use does not count
 * here. Safe for any thread, never blocks.
 */
public final class Commitments {

  private static final long CORE = 1_000;

  private final int most;
  private final Overcommit overcommit;
  private final long cpuMillis;
  private final long memoryBytes;
  private int sandboxes;
  private long askedCpu;
  private long askedMemory;

  /**
   * Nothing is asked for yet.
   *
   * @param most how many sandboxes may live
   * @param overcommit how much they may ask for
   * @param memoryBytes of the machine
   */
  public Commitments(int most, Overcommit overcommit, long memoryBytes) {
    this.most = most;
    this.overcommit = overcommit;
    this.cpuMillis = Runtime.getRuntime().availableProcessors() * CORE;
    this.memoryBytes = memoryBytes;
  }

  /**
   * Takes a place for a sandbox; {@link #free} gives it back.
   *
   * @throws SandgateException RESOURCE_EXHAUSTED, with the setting that is in the way
   */
  public synchronized void claim(Limits limits) {
    requireRoom();
    long cpu = askedCpu + limits.getCpuMillis();
    if (exceeds(cpu, cpuMillis, overcommit.cpu())) {
      throw refused(
          Overcommit.CPU,
          "with this one sandboxes would have asked for %.1f processors, and %.3f times %.1f may be asked for"
              .formatted(cpu / 1e3, overcommit.cpu().getAsDouble(), cpuMillis / 1e3),
          "limits.cpu_millis");
    }
    long memory = askedMemory + limits.getMemoryBytes();
    if (exceeds(memory, memoryBytes, overcommit.memory())) {
      throw refused(
          Overcommit.MEMORY,
          "with this one sandboxes would have asked for %,d bytes, and %.3f times %,d may be asked for"
              .formatted(memory, overcommit.memory().getAsDouble(), memoryBytes),
          "limits.memory_bytes");
    }
    take(limits);
  }

  private static boolean exceeds(long asked, long has, OptionalDouble ratio) {
    return ratio.isPresent() && asked > has * ratio.getAsDouble();
  }

  /** Counts one that lives already. */
  public synchronized void take(Limits limits) {
    sandboxes++;
    askedCpu += limits.getCpuMillis();
    askedMemory += limits.getMemoryBytes();
  }

  /** Gives back what a sandbox asked for. */
  public synchronized void free(Limits limits) {
    sandboxes--;
    askedCpu -= limits.getCpuMillis();
    askedMemory -= limits.getMemoryBytes();
  }

  /** Fails with RESOURCE_EXHAUSTED when there are as many sandboxes as there may be. */
  public synchronized void requireRoom() {
    if (sandboxes >= most) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "the node has its %,d sandboxes; delete some or retry later".formatted(most));
    }
  }

  /** Thousandths of processors that the machine has. */
  public long cpuMillis() {
    return cpuMillis;
  }

  /** How many sandboxes live. */
  public synchronized int sandboxes() {
    return sandboxes;
  }

  /** Thousandths of processors that were asked for. */
  public synchronized long askedCpuMillis() {
    return askedCpu;
  }

  /** Bytes of memory that were asked for. */
  public synchronized long askedMemoryBytes() {
    return askedMemory;
  }

  private static SandgateException refused(String setting, String why, String field) {
    return new SandgateException(
        ErrorCode.RESOURCE_EXHAUSTED,
        setting,
        "%s: %s; delete sandboxes, ask for less in %s, or raise the setting"
            .formatted(setting, why, field),
        null);
  }
}
