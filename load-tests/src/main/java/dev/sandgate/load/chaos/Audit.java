// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.load.chaos.check.Account;
import dev.sandgate.load.chaos.check.Box;
import dev.sandgate.load.chaos.check.Transcript;
import dev.sandgate.load.chaos.seed.Order;
import dev.sandgate.load.chaos.seed.Orders;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.Sandbox;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at what is there when nothing is broken any more, with a client that nothing comes between. */
final class Audit {

  private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
  private static final int AT_ONCE = 16;

  private final Sandgate client;
  private final Boxes boxes;
  private final Timeline timeline;
  private final Tally tally;

  Audit(Sandgate client, Boxes boxes, Timeline timeline, Tally tally) {
    this.client = client;
    this.boxes = boxes;
    this.timeline = timeline;
    this.tally = tally;
  }

  /** Reads all of every command again whose sandbox lives. */
  List<Account> readAgain(List<Account> accounts) throws ExecutionException, InterruptedException {
    long deadline = System.nanoTime() + Site.PATIENCE.toNanos();
    Job.Setting setting = new Job.Setting(timeline, new Tally(), deadline);
    try (ExecutorService threads =
        Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
      List<Future<Account>> read = new ArrayList<>();
      for (Account account : accounts) {
        read.add(threads.submit(() -> readAgain(account, setting)));
      }
      List<Account> complete = new ArrayList<>();
      for (Future<Account> account : read) {
        complete.add(account.get());
      }
      return complete;
    }
  }

  private Account readAgain(Account account, Job.Setting setting) {
    if (boxes.of(account.plan().boxId()).struck()) {
      return account;
    }
    Order order = new Order(account.plan(), Command.getDefaultInstance(), Order.Habit.READS);
    SandboxHandle box = client.sandboxes().handle(account.plan().boxId());
    Transcript later = new Job(order, box::execs, setting).readAgain();
    tally.add("read_again");
    return new Account(account.plan(), account.live(), later, account.nodeDied());
  }

  /** The tokens in every sandbox. */
  List<Box> boxes() {
    return boxes.all().stream().map(this::look).toList();
  }

  private Box look(Boxes.Held box) {
    try {
      byte[] tokens = client.sandboxes().handle(box.id()).readFile(Orders.TOKENS);
      List<String> lines = new String(tokens, StandardCharsets.US_ASCII).lines().toList();
      return new Box(box.id(), box.struck(), true, lines);
    } catch (SandgateClientException e) {
      LOG.warn("the tokens of {} cannot be read: {}", box.id(), e.getMessage());
      return new Box(box.id(), box.struck(), isWithoutTokens(e), List.of());
    }
  }

  /** The sandbox is there and no command ran in it, as in one that was made in the place of another at the end. */
  private static boolean isWithoutTokens(SandgateClientException failure) {
    return failure.code().equals("NOT_FOUND") && !failure.field().equals("sandbox_id");
  }

  /** Sandboxes that the platform has and nobody was told of. */
  Set<String> strays() {
    Set<String> ids =
        new TreeSet<>(
            client
                .sandboxes()
                .list(ListSandboxesRequest.getDefaultInstance())
                .map(Sandbox::getSandboxId)
                .collect()
                .asList()
                .await()
                .atMost(Site.PATIENCE));
    boxes.all().forEach(box -> ids.remove(box.id()));
    return ids;
  }

  /** Removes every sandbox. */
  void removeAll() {
    for (Boxes.Held box : boxes.all()) {
      client.sandboxes().delete(box.id()).await().atMost(Site.PATIENCE);
    }
    strays().forEach(id -> client.sandboxes().delete(id).await().atMost(Site.PATIENCE));
  }
}
