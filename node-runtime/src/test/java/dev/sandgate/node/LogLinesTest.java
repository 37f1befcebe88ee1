// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.spi.Termination.Reason;
import dev.sandgate.tck.Eventually;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the node logs can be found by sandbox and by episode. */
class LogLinesTest {

  private final ByteArrayOutputStream logged = new ByteArrayOutputStream();

  private List<String> linesWith(String text) {
    return logged.toString(StandardCharsets.UTF_8).lines().filter(l -> l.contains(text)).toList();
  }

  @Test
  void shouldCarryTheSandboxAndItsEpisode() {
    PrintStream before = System.err;
    System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
    try (TestNode node = TestNode.start()) {
      String id =
          node.rpc()
              .unary(
                  SandboxesGrpcClient.Create,
                  CreateSandboxRequest.newBuilder()
                      .setSpec(
                          TestNode.spec().putLabels("episode", "ep\n7").putLabels("job", "night"))
                      .build())
              .getSandboxId();
      var call = node.rpc().stream(ExecsGrpcClient.Start, Ran.start(id, "lost", "sleep", "60"));
      call.next();
      node.host().kill(id, Reason.CHANNEL_LOST);
      call.rest();
      Eventually.holds("its end is logged", () -> !linesWith("ended: CHANNEL_LOST").isEmpty());
      List<String> lines = linesWith(id);
      assertTrue(lines.size() >= 2, lines.toString());
      lines.forEach(
          line ->
              assertTrue(
                  line.contains("episode=\"ep?7\"") && line.contains("job=\"night\""), line));
      assertEquals(lines, linesWith("episode=\"ep?7\""));
      assertTrue(lines.stream().anyMatch(line -> line.contains("exec lost")), lines.toString());
    } finally {
      System.setErr(before);
    }
  }
}
