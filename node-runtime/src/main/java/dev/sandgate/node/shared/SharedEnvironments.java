// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.proto.v1.Environment;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The names of a shared storage; one that is damaged hides none of the others. Blocks, but never longer than the setting says. */
public final class SharedEnvironments {

  private static final Logger LOG = LoggerFactory.getLogger(SharedEnvironments.class);

  private final SharedStorage storage;
  private final Access access;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  SharedEnvironments(SharedStorage storage, Access access) {
    this.storage = storage;
    this.access = access;
  }

  /**
   * What there is.
   *
   * @param whole what can be read
   * @param damaged what cannot, by {@code name:tag}, and why
   */
  public record Listed(List<Environment> whole, Map<String, String> damaged) {}

  /** The environment {@code name:tag}. FAILED_PRECONDITION when what is there is damaged; LAYERS_UNAVAILABLE. */
  public Optional<Environment> find(String key) {
    return access.call(
        "look for an environment",
        _ -> {
          try {
            return read(key);
          } catch (SealedFile.Damaged e) {
            throw damaged(key, String.valueOf(e.getMessage()));
          }
        });
  }

  /** One of a name by its digest; FAILED_PRECONDITION when it is not found and a damaged one may be it; LAYERS_UNAVAILABLE. */
  public Optional<Environment> find(String name, String digest) {
    Listed all = all();
    Optional<Environment> found =
        all.whole().stream()
            .filter(one -> one.getName().equals(name) && one.getDigest().equals(digest))
            .findFirst();
    if (found.isEmpty()) {
      all.damaged()
          .forEach(
              (key, why) -> {
                if (key.startsWith(name + ":")) {
                  throw damaged(key, why);
                }
              });
    }
    return found;
  }

  /** All of them; LAYERS_UNAVAILABLE. What is damaged is logged, once. */
  public Listed all() {
    Listed all = access.call("list environments", this::list);
    Set<String> damaged = new HashSet<>();
    all.damaged().forEach((key, why) -> damaged.add(key + " in " + storage.place() + ": " + why));
    told.retainAll(damaged);
    damaged.stream().filter(told::add).forEach(one -> LOG.warn("damaged is {}", one));
    return all;
  }

  /** All of them; LAYERS_UNAVAILABLE also when one is damaged. */
  List<Environment> allOrNone() {
    return access.call(
        "list environments",
        clock -> {
          Listed all = list(clock);
          if (!all.damaged().isEmpty()) {
            throw new SealedFile.Damaged(
                "damaged are %s; share them again, or unshare them"
                    .formatted(all.damaged().keySet()));
          }
          return all.whole();
        });
  }

  private Listed list(Access.Clock clock) throws IOException {
    List<Environment> whole = new ArrayList<>();
    Map<String, String> damaged = new TreeMap<>();
    for (String key : storage.names(clock)) {
      try {
        read(key).ifPresent(whole::add);
      } catch (SealedFile.Damaged e) {
        damaged.put(key, String.valueOf(e.getMessage()));
      }
      clock.move();
    }
    return new Listed(whole, damaged);
  }

  private Optional<Environment> read(String key) throws IOException {
    Optional<Environment> found = storage.environment(key);
    if (found.isPresent() && !key(found.get()).equals(key)) {
      throw new SealedFile.Damaged("what is there is " + key(found.get()));
    }
    return found;
  }

  static String key(Environment environment) {
    return environment.getName() + ":" + environment.getTag();
  }

  private SandgateException damaged(String key, String how) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION,
        "environment",
        "environment: the name %s in %s is damaged: %s; share it again with replace, or unshare it"
            .formatted(key, storage.place(), how),
        null);
  }
}
