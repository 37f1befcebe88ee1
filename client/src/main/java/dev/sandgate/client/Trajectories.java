// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.TrajectoriesGrpcClient;
import dev.sandgate.proto.v1.TrajectoryPage;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * What was done in sandboxes, also in those that are gone. Nothing happens before a Uni or Multi is subscribed to; methods
 * may be called from any thread and never block. Reading is safe to repeat.
 */
public final class Trajectories {

  private final Calls calls;

  Trajectories(Calls calls) {
    this.calls = calls;
  }

  /**
   * Reads one page.
   *
   * @param selection whose, and behind which cursor
   * @return the page; empty when there is nothing behind the cursor yet. Fails with SandgateClientException
   */
  public Uni<TrajectoryPage> page(ListTrajectoryRequest selection) {
    return calls.unary(TrajectoriesGrpcClient.List, selection);
  }

  /**
   * Reads all there is.
   *
   * @param selection whose, and behind which cursor
   * @return pages as they are asked for, the last one without entries; the cursor of each continues behind it. Fails with
   *     SandgateClientException: go on behind the last page that came
   */
  public Multi<TrajectoryPage> export(ListTrajectoryRequest selection) {
    return calls.stream(TrajectoriesGrpcClient.Export, selection);
  }
}
