// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test with a gateway and a client of its own. */
abstract class GatewayTest {

  static final Duration LIMIT = Duration.ofSeconds(20);

  FakeGateway gateway;
  Sandgate sandgate;

  @BeforeEach
  final void open() {
    gateway = new FakeGateway();
    sandgate = gateway.client();
  }

  @AfterEach
  final void close() {
    sandgate.close();
    gateway.close();
  }

  final SandboxHandle box() {
    return sandgate.sandboxes().handle("sb-a-1");
  }
}
