// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.node.shared.LayerParts.Place;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.proto.v1.SharedReads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the node has of shared layers, in {@code shared/}: what each is, for good, and its parts, for one boot of the host. What
 * was not used for longest goes when it is too much, unless a sandbox stands on it.
 */
final class Holdings {

  private static final Logger LOG = LoggerFactory.getLogger(Holdings.class);
  private static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  private final Path directory;
  private final LocalLayers local;
  private final long mostBytes;
  private final LongSupplier nanos;
  private final Map<String, Held> held = new ConcurrentHashMap<>();
  private SharedReads retiredDemand = SharedReads.getDefaultInstance(); // guarded by this
  private SharedReads retiredBulk = SharedReads.getDefaultInstance(); // guarded by this

  private Holdings(Path directory, LocalLayers local, long mostBytes, LongSupplier nanos) {
    this.directory = directory;
    this.local = local;
    this.mostBytes = mostBytes;
    this.nanos = nanos;
  }

  /**
   * Those of an earlier run.
   *
   * @param mostBytes kept on the disk
   * @param nanos the time
   */
  static Holdings open(Path directory, LocalLayers local, long mostBytes, LongSupplier nanos) {
    Holdings holdings = new Holdings(directory, local, mostBytes, nanos);
    try {
      Files.createDirectories(directory);
      boolean sameBoot = holdings.isSameBoot();
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.layer")) {
        for (Path file : files) {
          holdings.restore(file, sameBoot);
        }
      }
      return holdings;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Parts are not flushed: after power loss a map may promise what never reached the disk. */
  private boolean isSameBoot() throws IOException {
    Path mark = directory.resolve("boot");
    String now = Files.readString(BOOT);
    boolean same = Files.exists(mark) && Files.readString(mark).equals(now);
    if (!same) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.{map,image,new}")) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
      Files.writeString(mark, now);
    }
    return same;
  }

  private void restore(Path file, boolean sameBoot) throws IOException {
    try {
      SharedLayer facts = SharedLayer.parseFrom(SealedFile.read(file));
      Held one = new Held(facts, nanos.getAsLong());
      Place place = Place.in(directory, one.digest());
      if (sameBoot && place.isTaken()) {
        one.keep(LayerParts.open(place, facts));
      }
      held.put(one.digest(), one);
    } catch (SealedFile.Damaged | com.google.protobuf.InvalidProtocolBufferException e) {
      LOG.warn("{} is read again when it is needed: {}", file, e.getMessage());
      Files.delete(file);
    }
  }

  Path directory() {
    return directory;
  }

  Optional<Held> find(String digest) {
    return Optional.ofNullable(held.get(digest));
  }

  Held add(SharedLayer facts) {
    return held.computeIfAbsent(
        facts.getLayer().getDigest(), _ -> new Held(facts, nanos.getAsLong()));
  }

  void use(Held one) {
    one.use(nanos.getAsLong());
  }

  /** Parts of a layer were made; the caller holds its lock. */
  void begun(Held one, LayerParts made) {
    try {
      Path file = facts(one);
      Files.deleteIfExists(file);
      SealedFile.write(file, one.facts().toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    one.keep(made);
  }

  private Path facts(Held one) {
    return directory.resolve(one.digest().replace(':', '-') + ".layer");
  }

  /** Throws away what is too much. */
  synchronized void trim() {
    List<Held> oldest =
        held.values().stream().sorted(Comparator.comparingLong(Held::usedNanos)).toList();
    long bytes = oldest.stream().mapToLong(this::here).sum();
    for (Held one : oldest) {
      boolean fresh = nanos.getAsLong() - one.usedNanos() < FRESH_NANOS;
      if (bytes > mostBytes && !fresh && !local.isUsed(one.digest())) {
        bytes -= here(one);
        evict(one);
      }
    }
  }

  private void evict(Held one) {
    one.making().lock();
    try {
      local.thrownAway(one.digest());
      retire(one);
      LOG.info("{} was not used for long and is thrown away", one.digest());
    } catch (IOException e) {
      LOG.warn("{} cannot be thrown away", one.digest(), e);
    } finally {
      one.making().unlock();
    }
  }

  /** A layer is the node's own from here on. */
  synchronized void forget(String digest) {
    Held one = held.get(digest);
    if (one == null) {
      return;
    }
    one.making().lock();
    try {
      retire(one);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      one.making().unlock();
    }
  }

  /** Removes its files, keeps its counts; whoever has it mounted keeps the files. */
  private synchronized void retire(Held one) throws IOException {
    held.remove(one.digest());
    one.parts()
        .ifPresent(
            parts -> {
              retiredDemand = sum(retiredDemand, parts.onDemand());
              retiredBulk = sum(retiredBulk, parts.inBulk());
            });
    Files.deleteIfExists(facts(one));
    Place.in(directory, one.digest()).clear();
  }

  private boolean isWhole(Held one) {
    return Files.exists(local.image(one.digest()));
  }

  private long here(Held one) {
    return isWhole(one)
        ? one.facts().getLayer().getSizeBytes()
        : one.parts().map(LayerParts::here).orElse(0L);
  }

  /** How much of it is not here, bytes. */
  long missing(Held one) {
    return one.facts().getLayer().getSizeBytes() - here(one);
  }

  LayerInfo shown(Held one, LayerInfo layer) {
    LayerInfo.Builder shown = layer.toBuilder().setLocalBytes(here(one));
    one.parts().ifPresent(parts -> count(parts, shown));
    return shown.build();
  }

  private static void count(LayerParts parts, LayerInfo.Builder shown) {
    long demand = parts.onDemand().getBytes();
    shown
        .setDemandBytes(demand)
        .setBulkBytes(parts.inBulk().getBytes())
        .setAccessedFraction(Math.min(1.0, (double) demand / shown.getSizeBytes()));
  }

  synchronized dev.sandgate.proto.v1.SharedLayers.Builder shown() {
    SharedReads demand = retiredDemand;
    SharedReads bulk = retiredBulk;
    int whole = 0;
    int partial = 0;
    long bytes = 0;
    for (Held one : held.values()) {
      Optional<LayerParts> parts = one.parts();
      demand = parts.isPresent() ? sum(demand, parts.get().onDemand()) : demand;
      bulk = parts.isPresent() ? sum(bulk, parts.get().inBulk()) : bulk;
      whole += isWhole(one) ? 1 : 0;
      partial += !isWhole(one) && parts.isPresent() ? 1 : 0;
      bytes += here(one);
    }
    return dev.sandgate.proto.v1.SharedLayers.newBuilder()
        .setOnDemand(demand)
        .setInBulk(bulk)
        .setWholeLayers(whole)
        .setPartialLayers(partial)
        .setLocalBytes(bytes);
  }

  private static SharedReads sum(SharedReads one, SharedReads other) {
    SharedReads.Builder sum =
        SharedReads.newBuilder()
            .setRequests(one.getRequests() + other.getRequests())
            .setBytes(one.getBytes() + other.getBytes())
            .setFailures(one.getFailures() + other.getFailures())
            .setDamaged(one.getDamaged() + other.getDamaged());
    for (int i = 0; i < Math.max(one.getSizesCount(), other.getSizesCount()); i++) {
      long left = i < one.getSizesCount() ? one.getSizes(i) : 0;
      sum.addSizes(left + (i < other.getSizesCount() ? other.getSizes(i) : 0));
    }
    return sum.build();
  }
}
