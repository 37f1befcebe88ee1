// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.load.chaos.proxy.FaultyProxy;
import dev.sandgate.load.chaos.proxy.Shape;
import dev.sandgate.load.chaos.proxy.Way;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.SandboxSpec;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Output over links that are slow on both sides of the gateway, and one that breaks: whole, or not a success. */
@Tag("root")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SlowLinkTest {

  private static final boolean FULL = "full".equals(System.getProperty("sandgate.lessons"));
  private static final int LINES = FULL ? 2_000_000 : 100_000;
  private static final int DELAY_MILLIS = 50;
  private static final int LINK_BYTES = 10_000_000 / 8;
  private static final Duration LONG = Duration.ofMinutes(10);

  /** What came: the bytes are compared as they come. */
  private static final class Lines {
    private long at;
    private long line = 1;
    private int within;
    private int exitCode = -1;

    void add(ExecEvent event) {
      if (event instanceof ExecEvent.Output output) {
        assertEquals(at, output.offset());
        at += output.data().remaining();
        for (int i = output.data().position(); i < output.data().limit(); i++) {
          check(output.data().get(i));
        }
      } else if (event instanceof ExecEvent.Exited exited) {
        exitCode = exited.result().exitCode();
      }
    }

    private void check(byte found) {
      String expected = line + "\n";
      assertEquals(expected.charAt(within), found, () -> "at " + at);
      within++;
      if (within == expected.length()) {
        within = 0;
        line++;
      }
    }
  }

  private static void over(Shape shape) throws Exception {
    try (Site site = Site.start()) {
      Sandgate client = site.client(Duration.ofMinutes(5));
      SandboxSpec spec = SandboxSpec.newBuilder().setEnvironment(Site.ENVIRONMENT).build();
      SandboxHandle box = client.sandboxes().create(spec).await().atMost(LONG);
      for (FaultyProxy proxy : new FaultyProxy[] {site.beforeGateway(), site.beforeNode()}) {
        proxy.shape(shape, LONG);
      }
      Command command =
          Execs.shell("seq 1 " + LINES + "; exit 7")
              .setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK)
              .build();
      Lines lines =
          box.execs().stream(command).collect().in(Lines::new, Lines::add).await().atMost(LONG);
      assertEquals(LINES + 1, lines.line);
      assertEquals(7, lines.exitCode);
    }
  }

  @Test
  void shouldCarryEveryLineOverALinkThatIsLate() throws Exception {
    over(Shape.delayed(DELAY_MILLIS));
  }

  @Test
  void shouldCarryEveryLineOverALinkThatIsNarrow() throws Exception {
    over(Shape.throttled(LINK_BYTES));
  }

  @Test
  void shouldNeverEndWellACommandWhoseConnectionToTheNodeIsCut() throws Exception {
    try (Site site = Site.start()) {
      Sandgate client = site.client(Duration.ofMinutes(2));
      SandboxSpec spec = SandboxSpec.newBuilder().setEnvironment(Site.ENVIRONMENT).build();
      SandboxHandle box = client.sandboxes().create(spec).await().atMost(LONG);
      Command command =
          Execs.shell("for i in $(seq 60); do echo $i; sleep .1; done; exit 7").build();
      int[] cuts = new int[1];
      Lines lines =
          box.execs().stream(command)
              .onItem()
              .invoke(
                  event -> {
                    if (event instanceof ExecEvent.Output output
                        && output.offset() > 40L * cuts[0]) {
                      cuts[0]++;
                      site.beforeNode().cut(_ -> true, Way.BOTH, 0);
                    }
                  })
              .collect()
              .in(Lines::new, Lines::add)
              .await()
              .atMost(LONG);
      assertTrue(cuts[0] >= 3, () -> cuts[0] + " cuts");
      assertEquals(61, lines.line);
      assertEquals(7, lines.exitCode);
    }
  }
}
