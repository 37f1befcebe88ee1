// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.connection.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys are made once, are long and are nobody else's. */
final class SecretsTest {

  @TempDir Path directory;

  @Test
  void shouldMakeAKeyOnceThatOnlyItsOwnerReads() throws IOException {
    Path file = directory.resolve("admin.key");

    String key = Secrets.inFile(file, "sgk_");

    assertTrue(key.matches("sgk_[0-9A-Za-z]{43}"), key);
    assertEquals(key, Secrets.inFile(file, "sgk_"));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertNotEquals(key, Secrets.inFile(directory.resolve("other"), "sgk_"));
  }

  @Test
  void shouldReadAddressesAndNameTheOptionOfABadOne() {
    assertEquals(new HostPort("127.0.0.1", 7070), HostPort.parse("--listen", "127.0.0.1:7070"));
    assertEquals(new HostPort("::1", 1), HostPort.parse("--listen", "[::1]:1"));
    CommandFailure failure =
        assertThrows(CommandFailure.class, () -> HostPort.parse("--listen", "127.0.0.1:70700"));
    assertTrue(String.valueOf(failure.getMessage()).startsWith("--listen:"));
  }
}
