// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.layers;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.spawner.SpawnerException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mounts of images that the spawner keeps for this backend, each one for all sandboxes that stand on it. A mount has its
 * users; one that has none any more is kept a while, and only then forgotten with its links. What is forgotten is
 * looked at once more under its lock, so that a sandbox which came meanwhile keeps it.
 */
public final class LayerMounts implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LayerMounts.class);
  private static final int MOST_UNUSED = 1_024;

  private final LayerLinks links;
  private final Consumer<String> forget;
  private final Map<String, Set<String>> users = new ConcurrentHashMap<>();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();
  private final Cache<String, Boolean> unused;
  private volatile boolean closed;

  /**
   * None yet.
   *
   * @param links where the spawner finds images
   * @param forget drops the spawner's mount of an image by its name; blocks
   * @param keep how long a mount is kept that nobody uses
   * @param threads where mounts are dropped
   */
  public LayerMounts(LayerLinks links, Consumer<String> forget, Duration keep, Executor threads) {
    this.links = links;
    this.forget = forget;
    this.unused =
        Caffeine.newBuilder()
            .expireAfterWrite(keep)
            .maximumSize(MOST_UNUSED)
            .scheduler(Scheduler.systemScheduler())
            .executor(threads)
            .removalListener(this::removed)
            .build();
  }

  /** The names of images as the spawner wants them, in the given order, kept until the user lets go of them. */
  public List<String> hold(String user, List<Layer> layers) {
    if (layers.isEmpty()) {
      throw SandgateException.invalid("layers", "a sandbox needs at least one layer");
    }
    try {
      return layers.stream().map(layer -> hold(user, layer)).toList();
    } catch (RuntimeException e) {
      release(user, layers);
      throw e;
    }
  }

  private String hold(String user, Layer layer) {
    String name = LayerLinks.name(layer);
    users.compute(
        name,
        (_, known) -> {
          links.make(layer);
          gone.remove(name);
          Set<String> all = known == null ? new HashSet<>() : known;
          all.add(user);
          return all;
        });
    unused.invalidate(name);
    return name;
  }

  /** Lets go; one that never held them is fine. */
  public void release(String user, List<Layer> layers) {
    for (Layer layer : layers) {
      String name = LayerLinks.name(layer);
      users.compute(name, (_, known) -> without(user, known));
      if (gone.contains(name)) {
        dropUnlessUsed(name);
      } else if (!users.containsKey(name)) {
        unused.put(name, true);
      }
    }
  }

  @SuppressWarnings("NullAway") // null takes the entry away
  private static Set<String> without(String user, @Nullable Set<String> known) {
    if (known != null) {
      known.remove(user);
    }
    return known == null || known.isEmpty() ? null : known;
  }

  /** The names of images that are held already. */
  public List<String> names(List<Layer> layers) {
    return layers.stream().map(LayerLinks::name).toList();
  }

  private void removed(@Nullable String name, @Nullable Boolean unused, RemovalCause cause) {
    if (name != null && cause.wasEvicted() && !closed) {
      dropUnlessUsed(name);
    }
  }

  private void dropUnlessUsed(String name) {
    users.compute(
        name,
        (_, known) -> {
          if (known == null) {
            gone.remove(name);
            drop(name);
          }
          return known;
        });
  }

  private void drop(String name) {
    try {
      forget.accept(name);
      links.remove(name);
    } catch (SpawnerException | IOException e) {
      LOG.warn("the mount of {} is kept", name, e);
    }
  }

  /** An image was removed: its mounts and links go now, or with their last user. Blocks. */
  public void forget(String digest) {
    if (closed) {
      return;
    }
    for (String name : links.names(digest)) {
      gone.add(name);
      unused.invalidate(name);
      dropUnlessUsed(name);
    }
  }

  /** At start, when those who live are known: forgets what an earlier run left and nobody uses. Blocks. */
  public void sweep() {
    for (String name : links.names()) {
      dropUnlessUsed(name);
    }
  }

  /** Forgets nothing any more: what there is stays with the spawner, for the next run. */
  @Override
  public void close() {
    closed = true;
    unused.invalidateAll();
  }
}
