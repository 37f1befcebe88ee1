// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.BackendProvider;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything a backend promises, as cases: a backend is done when its subclass of this is green.
 *
 * <p>The suite opens the backend once, as a node does, and shares one sandbox among the cases that do not
 * harm it. A capability that is declared must work; one that is not must be refused with {@link
 * dev.sandgate.spi.ErrorCode#UNSUPPORTED}. Around the whole class a {@link LeakCheck} compares descriptors,
 * processes, mounts, cgroups and threads.
 *
 * <p>The directory for the backend's state is made below the system property {@code java.io.tmpdir}.
 */
@ExtendWith(LeakCheck.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
public abstract class BackendContract
    implements LifecycleCases,
        ExecCases,
        KillCases,
        InputCases,
        OutputCases,
        TerminalCases,
        SessionCases,
        FilesCases,
        FileSafetyCases,
        TreeCases,
        ConnectCases,
        FailureCases,
        LimitsCases,
        ClassCases,
        PartialLayerCases,
        AdoptCases,
        SnapshotCases,
        ResetCases,
        PauseCases,
        EscapeCases {

  private @Nullable Fixture fixture;
  private Path stateDirectory = Path.of("");

  /** For the subclass, which has nothing to pass. */
  protected BackendContract() {}

  /**
   * The door of the backend under test.
   *
   * @return a new provider at each call: a restart of the node opens a second one
   */
  protected abstract BackendProvider provider();

  /**
   * What a sandbox under test is, with a shell and the usual tools inside and default limits.
   *
   * @param id the id it must have
   * @return its spec
   */
  protected abstract SandboxSpec spec(String id);

  /**
   * The backend's settings.
   *
   * @return keys without the prefix {@code backend.<name>.}; by default none
   */
  protected Map<String, String> settings() {
    return Map.of();
  }

  /**
   * What the environment inside offers.
   *
   * @return by default BusyBox in {@code /tmp}, with no second user
   */
  protected GuestTools tools() {
    return GuestTools.BUSYBOX;
  }

  /**
   * Kills the guest of a sandbox from outside, behind the backend's back: its init, its agent, its machine.
   *
   * @param sandbox the victim
   * @return false when this cannot be done, which leaves the case out, loudly
   */
  protected boolean killGuest(Sandbox sandbox) {
    return false;
  }

  /**
   * Called when the last case is done and the backend is closed: stop what outlives a node.
   *
   * @param stateDirectory the backend's, removed after this
   */
  protected void afterClosed(Path stateDirectory) {}

  @Override
  public final Fixture fixture() {
    Fixture open = fixture;
    if (open == null) {
      throw new IllegalStateException("the backend did not open");
    }
    return open;
  }

  @BeforeAll
  final void openBackend(@TempDir Path directory) {
    stateDirectory = directory;
    Subject subject = new Subject(this::provider, this::spec, settings(), tools(), this::killGuest);
    fixture = new Fixture(subject, stateDirectory);
  }

  @AfterEach
  final void checkAfterCase() {
    fixture().afterCase();
  }

  @AfterAll
  final void closeBackend() {
    try {
      if (fixture != null) {
        fixture.close();
      }
    } finally {
      afterClosed(stateDirectory);
    }
  }
}
