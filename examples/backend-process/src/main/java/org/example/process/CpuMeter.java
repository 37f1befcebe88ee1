// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.Usage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** CPU time of processes that come and go, as of the last reading of each: it never falls. */
final class CpuMeter {

  private Map<ProcessHandle, Duration> running = new HashMap<>();
  private Duration ended = Duration.ZERO;

  synchronized Usage reading(List<ProcessHandle> alive) {
    Map<ProcessHandle, Duration> now = new HashMap<>();
    long memory = 0;
    for (ProcessHandle process : alive) {
      now.put(process, ProcessTree.cpu(process));
      memory += ProcessTree.memory(process);
    }
    running.forEach((process, last) -> ended = now.containsKey(process) ? ended : ended.plus(last));
    running = now;
    Duration total = now.values().stream().reduce(ended, Duration::plus);
    return new Usage(total, memory, 0, alive.size(), 0);
  }
}
