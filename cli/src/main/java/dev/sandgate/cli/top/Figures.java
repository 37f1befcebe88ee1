// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.top;

import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.SandboxState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Some living sandboxes together.
 *
 * @param running that run
 * @param paused that stand still
 * @param cpuMillis thousandths of a core that they use
 * @param memoryBytes that they hold
 */
record Figures(long running, long paused, long cpuMillis, long memoryBytes) {

  static Figures of(List<Meter> meters) {
    return new Figures(
        count(meters, SandboxState.SANDBOX_STATE_RUNNING),
        count(meters, SandboxState.SANDBOX_STATE_PAUSED),
        meters.stream().mapToLong(Meter::getCpuMillisNow).sum(),
        meters.stream().mapToLong(Meter::getMemoryBytesNow).sum());
  }

  private static long count(List<Meter> meters, SandboxState state) {
    return meters.stream().filter(meter -> meter.getState() == state).count();
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("running", running);
    json.put("paused", paused);
    json.put("cpu_millis_now", cpuMillis);
    json.put("memory_bytes_now", memoryBytes);
    return json;
  }
}
