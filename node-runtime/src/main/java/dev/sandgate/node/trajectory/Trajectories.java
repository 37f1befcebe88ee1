// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.trajectory;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.config.Recording;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.TrajectoriesGrpcService;
import dev.sandgate.proto.v1.TrajectoryPage;
import dev.sandgate.spi.SandgateException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The trajectories of this node's sandboxes, those that are gone included. */
public final class Trajectories {

  private static final int PAGE = 200;
  private static final int CHUNK = 50;
  private static final int PAGE_BYTES = 2 << 20;

  private final Steps steps;
  private final Retention retention;

  /** Opens them; blocks. */
  public Trajectories(Database database, Recording limits) {
    this.steps = new Steps(database);
    this.retention = new Retention(database, steps, limits);
  }

  /** Where commands are recorded. */
  public Steps steps() {
    return steps;
  }

  /** Answers the methods of {@code sandgate.v1.Trajectories}. */
  public void route(Routes routes) {
    routes.blocking(
        TrajectoriesGrpcService.List,
        ListTrajectoryRequest.parser(),
        request -> page(Query.of(request)));
    routes.answers(TrajectoriesGrpcService.Export, ListTrajectoryRequest.parser(), this::export);
  }

  /** A sandbox ended: its commands are kept for a while from now on. */
  public void ended(String sandboxId) {
    Blocking.report(
        "recording the end of " + sandboxId,
        retention.ended(sandboxId, System.currentTimeMillis()));
  }

  /** Forgets what was kept long enough; called about once a second, blocks. */
  public void sweep() {
    retention.sweep(System.currentTimeMillis());
  }

  /** What is asked for. */
  private record Query(Selection selection, long after, int size) {

    static Query of(ListTrajectoryRequest request) {
      return new Query(
          Selection.of(request),
          position(request.getAfter()),
          (int) Fields.rangeOr("page_size", request.getPageSize(), 1, 1_000, PAGE));
    }

    Query behind(TrajectoryPage page) {
      return new Query(selection, position(page.getCursor()), size);
    }

    private static long position(String cursor) {
      if (cursor.isEmpty()) {
        return 0;
      }
      if (!cursor.matches("\\d{1,18}")) {
        throw SandgateException.invalid("after", "give the cursor of an earlier page");
      }
      return Long.parseLong(cursor);
    }
  }

  private TrajectoryPage page(Query query) {
    TrajectoryPage.Builder page = TrajectoryPage.newBuilder();
    long position = query.after();
    int bytes = 0;
    boolean more = true;
    while (more && page.getEntriesCount() < query.size() && bytes < PAGE_BYTES) {
      int wanted = Math.min(CHUNK, query.size() - page.getEntriesCount());
      List<Step> found = steps.behind(query.selection(), position, wanted);
      for (Step step : found) {
        page.addEntries(step.entry());
        position = step.entry().getRevision();
        bytes += step.entry().getSerializedSize();
      }
      more = found.size() == wanted;
    }
    return page.setCursor(Long.toString(position)).build();
  }

  private void export(
      ListTrajectoryRequest request, Call<ListTrajectoryRequest, TrajectoryPage> call) {
    new Export(call).next(Query.of(request));
  }

  /** One stream of pages, each read when the one before it is on its way. Runs on the call's event loop. */
  private final class Export {
    private final Call<ListTrajectoryRequest, TrajectoryPage> call;
    private @Nullable Query waiting;

    Export(Call<ListTrajectoryRequest, TrajectoryPage> call) {
      this.call = call;
      call.onDrain(this::drained);
    }

    void next(Query query) {
      if (call.closed()) {
        return;
      }
      if (!call.writable()) {
        waiting = query;
        return;
      }
      var _ =
          Blocking.start(() -> page(query))
              .whenComplete((page, failure) -> call.execute(() -> take(query, page, failure)));
    }

    private void take(Query query, TrajectoryPage page, @Nullable Throwable failure) {
      if (failure != null) {
        call.fail(failure);
      } else if (page.getEntriesCount() == 0) {
        call.finish(page);
      } else {
        call.send(page);
        next(query.behind(page));
      }
    }

    private void drained() {
      Query query = waiting;
      if (query != null) {
        waiting = null;
        next(query);
      }
    }
  }
}
