// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.admission;

import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.proto.v1.Limits;
import java.nio.file.Path;
import java.util.Map;

/**
 * The node's last word on whether there is room for another sandbox. What is there is measured when it is asked for, nothing is set
 * apart: what a paused sandbox gave back is there for others.
 *
 * @param commitments what the living asked for
 * @param headroom what the machine has left
 * @param disk what must stay free of the disk
 */
public record Admission(Commitments commitments, Headroom headroom, DiskReserve disk) {

  /**
   * Of this machine; blocks for a moment.
   *
   * @param settings of the node; INVALID_CONFIG names the wrong one
   * @param most how many sandboxes may live
   * @param data the node's directory
   */
  public static Admission of(Map<String, String> settings, int most, Path data) {
    Machine machine = new Machine(Path.of("/proc"));
    return new Admission(
        new Commitments(most, Overcommit.of(settings), machine.memoryBytes()),
        new Headroom(settings, machine),
        new DiskReserve(settings, data));
  }

  /** Takes a place for a sandbox with such limits, to be given back to the commitments; RESOURCE_EXHAUSTED. */
  public void claim(Limits limits) {
    headroom.require();
    commitments.claim(limits);
  }

  /** What is told of it. */
  public dev.sandgate.proto.v1.Admission shown() {
    return headroom
        .shown()
        .setCpuMillis(commitments.cpuMillis())
        .setAskedCpuMillis(commitments.askedCpuMillis())
        .setAskedMemoryBytes(commitments.askedMemoryBytes())
        .build();
  }
}
