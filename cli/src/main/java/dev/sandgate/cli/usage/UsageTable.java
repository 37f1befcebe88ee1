// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.usage;

import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Names;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Meters as rows, and their total. */
final class UsageTable {

  private static final double MIB_MILLIS_OF_GIB_SECOND = 1_024 * 1_000.0;

  private UsageTable() {}

  static void show(Console console, Grouping grouping, List<Meter> meters, MeterPage last) {
    List<List<String>> rows = new ArrayList<>();
    meters.forEach(meter -> rows.add(row(grouping, name(meter), meter)));
    if (last.getExpired().getSandboxes() > 0) {
      rows.add(row(grouping, "expired", last.getExpired()));
    }
    rows.add(row(grouping, "total", last.getTotal()));
    console.table(
        List.of(
            grouping.header(),
            grouping.isBySandbox() ? "STATE" : "SANDBOXES",
            "CPU",
            "MEMORY",
            "READ",
            "WRITTEN",
            "ALIVE",
            "PAUSED",
            "NOTES"),
        rows);
  }

  private static String name(Meter meter) {
    return meter.getKey().isEmpty() ? "-" : meter.getKey();
  }

  private static List<String> row(Grouping grouping, String name, Meter meter) {
    boolean one = grouping.isBySandbox() && name.equals(meter.getKey());
    return List.of(
        name,
        one ? Names.of(meter.getState()) : Long.toString(meter.getSandboxes()),
        seconds(meter.getCpuMicros()),
        String.format(
            Locale.ROOT, "%.3f GiB-s", meter.getMemoryMibMillis() / MIB_MILLIS_OF_GIB_SECOND),
        meter.hasReadBytes() ? Sizes.show(meter.getReadBytes()) : "-",
        meter.hasWrittenBytes() ? Sizes.show(meter.getWrittenBytes()) : "-",
        Sizes.show(Duration.ofMillis(meter.getWallMillis())),
        Sizes.show(Duration.ofMillis(meter.getPausedMillis())),
        notes(meter));
  }

  private static String seconds(long micros) {
    return String.format(Locale.ROOT, "%.3f s", micros / 1e6);
  }

  private static String notes(Meter meter) {
    List<String> notes = new ArrayList<>();
    if (meter.getIncomplete() > 0) {
      notes.add(meter.getIncomplete() + " incomplete");
    }
    if (meter.getMemoryEstimatedMillis() > 0) {
      notes.add(Sizes.show(Duration.ofMillis(meter.getMemoryEstimatedMillis())) + " estimated");
    }
    if (meter.getStorageUnmeasured() > 0) {
      notes.add(meter.getStorageUnmeasured() + " without storage");
    }
    return notes.isEmpty() ? "-" : String.join(", ", notes);
  }
}
