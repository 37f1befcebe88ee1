// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.subscription.Cancellable;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** Calls of {@code ImportEnvironment}: of one name:tag one after the other. */
final class ImportCalls {

  private final Environments environments;
  private final Imports imports;
  private final Turns turns = new Turns();

  ImportCalls(Environments environments, Imports imports) {
    this.environments = environments;
    this.imports = imports;
  }

  void take(Call<ImportEnvironmentRequest, ImportProgress> call) {
    call.pause();
    call.onMessage(first -> begin(first, call));
    call.onEnd(() -> call.fail(SandgateException.invalid("name", "the first message is missing")));
    call.fetch(1);
  }

  private void begin(
      ImportEnvironmentRequest first, Call<ImportEnvironmentRequest, ImportProgress> call) {
    String caller = call.caller();
    Cancellable running =
        Blocking.call(() -> run(ImportRequest.of(first, caller, environments), call))
            .subscribe()
            .with(
                done -> call.execute(() -> call.finish(done)),
                failure -> call.execute(() -> call.fail(failure)));
    call.onClose(running::cancel);
  }

  private ImportProgress run(
      ImportRequest request, Call<ImportEnvironmentRequest, ImportProgress> call)
      throws IOException, InterruptedException {
    ImportEnvironmentRequest first = request.asked();
    String key = first.getName() + ":" + request.tag();
    try (Turns.Turn _ = turns.take(key, phase -> report(call, phase))) {
      if (first.getHold()) {
        call.execute(() -> call.send(phase("beginning")));
      }
      ImportProgress done =
          done(
              imports.run(
                  request,
                  stall -> new UploadStream(first, call, stall),
                  phase -> report(call, phase)));
      if (first.getHold()) {
        call.execute(() -> call.send(done));
        awaitEnd(call);
      }
      return done;
    }
  }

  private static void awaitEnd(Call<?, ?> call) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    call.execute(() -> call.onClose(ended::countDown));
    ended.await();
  }

  private static void report(Call<?, ImportProgress> call, String phase) {
    call.execute(
        () -> {
          if (call.writable()) {
            call.send(phase(phase));
          }
        });
  }

  private static ImportProgress phase(String phase) {
    return ImportProgress.newBuilder().setPhase(phase).setPercent(-1).build();
  }

  private ImportProgress done(Named made) {
    return ImportProgress.newBuilder()
        .setPhase("done")
        .setPercent(100)
        .setEnvironment(environments.shown(made))
        .build();
  }
}
