// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.TestNode;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A setting that nobody reads is a mistake, and told. */
class SettingsTest {

  @ParameterizedTest
  @CsvSource({
    "node.idle-timout, node.idle-timeout",
    "node.idletimeout, node.idle-timeout",
    "Node.Lease, node.lease",
    "spool-bytes, node.spool-bytes",
    "node.trajectory-byte, node.trajectory-bytes",
    "a.b, node."
  })
  void shouldRefuseAnUnknownSettingAndNameTheNearest(String wrong, String nearest) {
    SandgateException refused =
        assertThrows(
            SandgateException.class,
            () -> TestNode.start(config -> TestNode.with(config, wrong, "1")).close());
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    assertEquals(wrong, refused.field());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(wrong) && message.contains(nearest), message);
  }

  @Test
  void shouldTakeEverySettingThatIsKnown() {
    TestNode.start(
            config ->
                TestNode.with(
                    TestNode.with(config, "node.idle-timeout", "5m"), "node.journal", "power"))
        .close();
  }

  @ParameterizedTest
  @CsvSource({
    "node.shared-layers, relative/path, absolute",
    "node.shared-layers-pull, maybe, on or off",
    "node.shared-layers-timeout-ms, 5, 100 to",
    "node.shared-layers-local-bytes, much, whole number"
  })
  void shouldRefuseWrongSettingsOfTheSharedDirectory(String key, String value, String fix) {
    SandgateException refused =
        assertThrows(
            SandgateException.class,
            () -> TestNode.start(config -> TestNode.with(config, key, value)).close());
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    assertEquals(key, refused.field());
    assertTrue(String.valueOf(refused.getMessage()).contains(fix), refused.getMessage());
  }
}
