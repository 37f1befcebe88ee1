// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.execs.ExecRecord.Origin;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.trajectory.Sequence;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All records of this node: found by sandbox and id, bounded in number, dropped some time after their end. */
final class Records {

  private final Path directory;
  private final Capacity capacity;
  private final Sequence sequence;
  private final MemoryBudget budget;
  private final DiskBudget disk;
  private final Set<String> leftovers;
  private final ConcurrentHashMap<String, OfSandbox> bySandbox = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<ExecRecord> ended = new ConcurrentLinkedQueue<>();
  private final AtomicInteger endedCount = new AtomicInteger();
  private final ConcurrentSkipListMap<Long, ExecRecord> filed = new ConcurrentSkipListMap<>();

  /** Records with their files in a directory, which may have some of an earlier run; blocks. */
  Records(Path directory, Capacity capacity, long spoolBytes, Sequence sequence) {
    this.directory = directory;
    this.capacity = capacity;
    this.sequence = sequence;
    this.budget = new MemoryBudget(capacity.recordMemoryBytes());
    this.disk = new DiskBudget(spoolBytes, this::giveUpOldest);
    this.leftovers = found(directory);
  }

  /** The records of one sandbox. */
  private static final class OfSandbox {
    final ConcurrentHashMap<String, ExecRecord> byId = new ConcurrentHashMap<>();
    final ConcurrentSkipListMap<Long, ExecRecord> byAge = new ConcurrentSkipListMap<>();
    final ConcurrentLinkedQueue<ExecRecord> ended = new ConcurrentLinkedQueue<>();
  }

  @Nullable ExecRecord find(String sandboxId, String execId) {
    OfSandbox of = bySandbox.get(sandboxId);
    return of == null ? null : of.byId.get(execId);
  }

  ExecRecord create(LiveSandbox sandbox, String execId, Command command) {
    return create(
        new Origin(sandbox, execId, command, sequence.next(), Execs.timestamp(Instant.now())));
  }

  ExecRecord create(Origin origin) {
    Command command = origin.command();
    return new ExecRecord(
        origin,
        new Output(
            command.getOutputPolicy(),
            command.getOutputCapBytes(),
            budget,
            List.of(spool(origin.sequence() + ".out"), spool(origin.sequence() + ".err"))));
  }

  private Spool spool(String name) {
    leftovers.remove(name);
    return new Spool(directory.resolve(name), disk);
  }

  /** Puts a record in its place, or returns the one that has it. */
  ExecRecord add(ExecRecord record) {
    OfSandbox of = bySandbox.computeIfAbsent(record.sandbox().id(), _ -> new OfSandbox());
    while (of.byId.size() >= capacity.execsPerSandbox()) {
      ExecRecord oldest = of.ended.poll();
      if (oldest == null) {
        throw new SandgateException(
            ErrorCode.RESOURCE_EXHAUSTED,
            "sandbox %s runs %,d commands; let some end or kill them"
                .formatted(record.sandbox().id(), of.byId.size()));
      }
      drop(oldest);
    }
    ExecRecord first = of.byId.putIfAbsent(record.execId(), record);
    if (first == null) {
      of.byAge.put(record.sequence(), record);
      record.sandbox().usedWhile(record.started(), record.ended());
      return record;
    }
    return first;
  }

  /** Takes a record of a command out that never ran. */
  void remove(ExecRecord record) {
    OfSandbox of = bySandbox.get(record.sandbox().id());
    if (of != null && of.byId.remove(record.execId(), record)) {
      of.byAge.remove(record.sequence());
    }
  }

  /** Counts a record among the ended, of which only so many are kept. */
  void ended(ExecRecord record) {
    ended.add(record);
    if (!record.output().isSmall()) {
      filed.put(record.sequence(), record);
    }
    OfSandbox of = bySandbox.get(record.sandbox().id());
    if (of != null) {
      of.ended.add(record);
    }
    if (endedCount.incrementAndGet() > capacity.endedExecs()) {
      dropOldest();
    }
  }

  /** Drops what ended before a time. */
  void sweep(long endedBeforeMillis) {
    for (ExecRecord oldest = ended.peek();
        oldest != null && oldest.endedMillis() < endedBeforeMillis;
        oldest = ended.peek()) {
      dropOldest();
    }
  }

  /** A sandbox's records, newest first, older than one. */
  Collection<ExecRecord> newestFirst(String sandboxId, long before) {
    OfSandbox of = bySandbox.get(sandboxId);
    return of == null ? List.of() : of.byAge.headMap(before, false).descendingMap().values();
  }

  /** Those whose end is not known. */
  List<ExecRecord> running() {
    return bySandbox.values().stream()
        .flatMap(of -> of.byId.values().stream())
        .filter(record -> record.result() == null)
        .toList();
  }

  /** Deletes the files of an earlier run that belong to no record; blocks. */
  void deleteLeftovers() throws IOException {
    for (String name : leftovers) {
      Files.deleteIfExists(directory.resolve(name));
    }
    leftovers.clear();
  }

  /** Drops all records of a sandbox. */
  void forget(String sandboxId) {
    OfSandbox of = bySandbox.remove(sandboxId);
    if (of != null) {
      of.byAge.values().forEach(this::release);
    }
  }

  private void dropOldest() {
    ExecRecord oldest = ended.poll();
    if (oldest != null) {
      endedCount.decrementAndGet();
      drop(oldest);
    }
  }

  private void drop(ExecRecord record) {
    OfSandbox of = bySandbox.get(record.sandbox().id());
    if (of != null && of.byId.remove(record.execId(), record)) {
      of.byAge.remove(record.sequence());
      if (record.equals(of.ended.peek())) {
        of.ended.remove();
      }
      release(record);
    }
  }

  private void release(ExecRecord record) {
    filed.remove(record.sequence());
    record.output().release();
  }

  private boolean giveUpOldest() {
    Map.Entry<Long, ExecRecord> oldest = filed.pollFirstEntry();
    if (oldest != null) {
      oldest.getValue().giveUpOutput();
    }
    return oldest != null;
  }

  private static Set<String> found(Path directory) {
    try {
      Files.createDirectories(directory);
      try (Stream<Path> files = Files.list(directory)) {
        return files
            .map(file -> file.getFileName().toString())
            .collect(Collectors.toCollection(ConcurrentHashMap::newKeySet));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
