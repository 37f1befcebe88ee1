// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.Termination;
import dev.sandgate.tck.fake.FakeHost;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** The fake backend keeps the parts of the contract that need no process. */
@ExtendWith(LeakCheck.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FakeContractTest implements LifecycleCases, InputCases, FailureCases, AdoptCases {

  private final FakeHost host = new FakeHost();
  private final Fixture fixture = new Fixture(subject(), Path.of("state-of-nobody"));

  private Subject subject() {
    return new Subject(
        () -> host,
        FakeContractTest::spec,
        Map.of(),
        GuestTools.BUSYBOX,
        sandbox -> host.kill(sandbox.id(), Termination.Reason.GUEST));
  }

  static SandboxSpec spec(String id) {
    return new SandboxSpec(
        id,
        List.of(),
        ResourceLimits.DEFAULT,
        QosClass.BEST_EFFORT,
        "user",
        Map.of(),
        id,
        Map.of());
  }

  @Override
  public Fixture fixture() {
    return fixture;
  }

  @AfterEach
  void afterCase() {
    fixture.afterCase();
  }

  @AfterAll
  void close() {
    fixture.close();
  }
}
