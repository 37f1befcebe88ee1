// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static dev.sandgate.node.checks.Fields.rangeOr;

import dev.sandgate.node.backends.OpenBackend;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.spi.Backend;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandboxPool;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.time.Duration;

/**
 * Whether a sandbox may be made anew.
 *
 * @param millis how long to wait for what was made ahead; 0 when it need not be that
 */
record PoolWait(long millis) {

  private static final long MOST = 3_600_000;

  /** What a request says; UNSUPPORTED when it waits for what is never made. */
  static PoolWait read(CreateSandboxRequest request, OpenBackend open) {
    long millis = rangeOr("pool_wait_millis", request.getPoolWaitMillis(), 1, MOST, 0);
    if (millis > 0 && open.backend().pool().isEmpty()) {
      throw new SandgateException(
          ErrorCode.UNSUPPORTED,
          "pool_wait_millis",
          "the backend " + open.name() + " makes nothing ahead; leave it out",
          null);
    }
    return new PoolWait(millis);
  }

  /** Has a sandbox made. */
  Uni<dev.sandgate.spi.Sandbox> create(LiveSandbox live) {
    Backend backend = live.backend().backend();
    if (millis == 0) {
      return backend.create(live.spec());
    }
    SandboxPool pool = backend.pool().orElseThrow();
    return pool.create(live.spec(), Duration.ofMillis(millis));
  }
}
