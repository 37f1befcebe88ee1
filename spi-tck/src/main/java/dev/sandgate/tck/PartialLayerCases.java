// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Layers whose data is elsewhere when a sandbox starts on them. */
interface PartialLayerCases {

  Fixture fixture();

  @Test
  default void shouldStartOnALayerWhoseDataIsElsewhereAndBringWhatIsRead() {
    fixture().assumeHas(Capability.PARTIAL_LAYERS);
    SandboxSpec whole = fixture().newSpec();
    try (PartialImage partial = PartialImage.of(whole.layers().getFirst(), fixture().directory())) {
      assertEquals(0, partial.brought());
      List<Layer> layers = new ArrayList<>(whole.layers());
      layers.set(0, partial.layer());
      Sandbox sandbox = fixture().fresh(on(whole, layers));
      String sums = "cd / && find bin usr etc -type f 2>/dev/null | sort | xargs cksum";
      String seen = Fixture.run(sandbox, Command.sh(sums)).stdout();
      assertEquals(fixture().sh(sums).stdout(), seen);
      assertTrue(partial.brought() > 0, "nothing was brought");
      long once = partial.brought();
      assertEquals(seen, Fixture.run(sandbox, Command.sh(sums)).stdout());
      assertEquals(once, partial.brought(), "it was brought twice");
    }
  }

  private static SandboxSpec on(SandboxSpec spec, List<Layer> layers) {
    return new SandboxSpec(
        spec.id(),
        layers,
        spec.limits(),
        spec.qosClass(),
        spec.user(),
        spec.env(),
        spec.hostname(),
        spec.labels());
  }
}
