// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sandgate.proto.v1.Meter;
import dev.sandgate.spi.Usage;
import dev.sandgate.spi.Usage.Storage;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The arithmetic of one sandbox's meter. */
class SandboxMeterTest {

  private static final long PERIOD = 10_000;
  private static final long START = 1_000_000;
  private static final long MIB = 1 << 20;

  private final SandboxMeter meter = new SandboxMeter(START, PERIOD);

  private static Usage reading(long cpuMillis, long mebibytes) {
    return new Usage(Duration.ofMillis(cpuMillis), mebibytes * MIB, 0, 1, 0);
  }

  private static Usage reading(long cpuMillis, long mebibytes, long written) {
    return reading(cpuMillis, mebibytes).withStorage(new Storage(0, written));
  }

  private static Meter shown(SandboxMeter meter) {
    Meter.Builder shown = Meter.newBuilder();
    meter.show(shown);
    return shown.build();
  }

  private SandboxMeter restarted(long resetMillis) {
    return SandboxMeter.of(meter.stored(), resetMillis, PERIOD);
  }

  @Test
  void shouldTakeMemoryToHaveChangedEvenlyBetweenReadings() {
    meter.sample(reading(0, 10), START + 1_000);
    meter.sample(reading(0, 30), START + 3_000);
    meter.end(Optional.of(reading(0, 30)), START + 4_000);
    assertEquals(10_000 + 40_000 + 30_000, shown(meter).getMemoryMibMillis());
    assertEquals(0, shown(meter).getMemoryEstimatedMillis());
  }

  @Test
  void shouldCountOnOverResetsAndTheEnd() {
    meter.sample(reading(100, 1, 5), START + 1_000);
    meter.reset(Optional.of(reading(150, 1, 7)), START + 2_000, 77);
    meter.sample(reading(20, 1, 1), START + 3_000);
    meter.end(Optional.of(reading(40, 1, 2)), START + 4_000);
    meter.end(Optional.empty(), START + 9_000);
    Meter shown = shown(meter);
    assertEquals(190_000, shown.getCpuMicros());
    assertEquals(9, shown.getWrittenBytes());
    assertEquals(4_000, shown.getMemoryMibMillis());
    assertEquals(0, shown.getIncomplete());
  }

  @Test
  void shouldSayThatSomethingIsMissingAndKeepWhatIsKnown() {
    meter.sample(reading(100, 1), START + 1_000);
    meter.end(Optional.empty(), START + 60_000);
    assertEquals(1, shown(meter).getIncomplete());
    assertEquals(100_000, shown(meter).getCpuMicros());
    assertEquals(1_000, shown(meter).getMemoryMibMillis());
  }

  @Test
  void shouldTellACountThatFellAsIncomplete() {
    meter.sample(reading(100, 1), START + 1_000);
    meter.sample(reading(30, 1), START + 2_000);
    assertEquals(1, shown(meter).getIncomplete());
    assertEquals(130_000, shown(meter).getCpuMicros());
  }

  @Test
  void shouldGoOnAfterARestartAndSayForHowLongMemoryIsEstimated() {
    meter.sample(reading(100, 10), START + 1_000);
    SandboxMeter after = restarted(0);
    after.sample(reading(300, 20), START + 61_000);
    assertEquals(300_000, shown(after).getCpuMicros());
    assertEquals(10_000 + 15 * 60_000, shown(after).getMemoryMibMillis());
    assertEquals(60_000, shown(after).getMemoryEstimatedMillis());
    assertEquals(0, shown(after).getIncomplete());
  }

  @Test
  void shouldSayThatAResetWasCutShortByACrash() {
    meter.sample(reading(100, 10), START + 1_000);
    SandboxMeter after = restarted(START + 2_000);
    after.sample(reading(500, 10), START + 3_000);
    assertEquals(600_000, shown(after).getCpuMicros());
    assertEquals(1, shown(after).getIncomplete());
  }

  @Test
  void shouldNotCallUnmeasuredStorageNothing() {
    meter.sample(reading(1, 1), START + 1_000);
    assertFalse(shown(meter).hasReadBytes());
    assertEquals(1, shown(meter).getStorageUnmeasured());
    meter.sample(reading(1, 1, 4_096), START + 2_000);
    meter.sample(reading(1, 1), START + 3_000);
    assertEquals(4_096, shown(meter).getWrittenBytes());
    assertEquals(0, shown(meter).getIncomplete());
    meter.end(Optional.of(reading(1, 1)), START + 4_000);
    assertEquals(1, shown(meter).getIncomplete(), "what was written last is not known");
  }

  @Test
  void shouldTellTheRateBetweenTheLastTwoReadings() {
    meter.sample(reading(100, 1), START + 1_000);
    meter.sample(reading(1_100, 1), START + 3_000);
    assertEquals(500, shown(meter).getCpuMillisNow());
    meter.end(Optional.of(reading(1_200, 1)), START + 4_000);
    assertEquals(0, shown(meter).getCpuMillisNow());
  }
}
