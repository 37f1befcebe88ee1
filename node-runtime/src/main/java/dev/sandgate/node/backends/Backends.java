// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.backends;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The backends of this node, by name, open from start to close. */
public final class Backends implements AutoCloseable {

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

  private static final String ENABLED = "enabled";

  private final Map<String, OpenBackend> open = new TreeMap<>();
  private final Plugins plugins;

  private Backends(Plugins plugins) {
    this.plugins = plugins;
  }

  /**
   * What backends are opened with.
   *
   * @param nodeId the node's name
   * @param dataDirectory where each gets a directory of its own
   * @param pluginsDirectory where further jars lie
   * @param settings the node's settings, keys {@code backend.<name>.<key>}
   */
  public record Setup(
      String nodeId,
      Path dataDirectory,
      Optional<Path> pluginsDirectory,
      Map<String, String> settings) {}

  /** Finds every provider and opens its backend; blocks. */
  public static Backends open(Setup setup) {
    Backends backends = new Backends(Plugins.find(setup.pluginsDirectory()));
    try {
      Map<String, Plugins.Found> byName = new TreeMap<>();
      backends.plugins.found().forEach(found -> checkName(found, byName));
      checkSettings(setup.settings(), byName);
      byName.forEach(
          (name, found) -> {
            if (enabled(name, setup.settings())) {
              backends.open.put(name, openOne(name, found, setup));
            }
          });
      return backends;
    } catch (RuntimeException e) {
      backends.close();
      throw e;
    }
  }

  /** All of them, by name. */
  public Collection<OpenBackend> all() {
    return open.values();
  }

  /** One by name. */
  public Optional<OpenBackend> find(String name) {
    return Optional.ofNullable(open.get(name));
  }

  /** One that a request names; INVALID_ARGUMENT lists those there are. */
  public OpenBackend require(String field, String name) {
    OpenBackend found = open.get(name);
    if (found == null) {
      throw SandgateException.invalid(
          field, "%s is unknown here; give one of %s".formatted(Fields.shown(name), open.keySet()));
    }
    return found;
  }

  /** Each lets go of what it keeps of an image that was removed, on a thread of its own. */
  public void forget(String digest) {
    for (OpenBackend one : open.values()) {
      Blocking.background(one.name() + " forgets " + digest, () -> one.backend().forget(digest));
    }
  }

  @Override
  public void close() {
    open.values().forEach(OpenBackend::close);
    open.clear();
    plugins.close();
  }

  private static void checkName(Plugins.Found found, Map<String, Plugins.Found> byName) {
    String name = found.provider().name();
    if (!NAME.matcher(name).matches()) {
      throw config(
          "node.plugins",
          "the backend in %s calls itself %s; a name is 1–32 characters of [a-z0-9-]; remove the jar from node.plugins"
              .formatted(found.origin(), Fields.shown(name)));
    }
    Plugins.@Nullable Found other = byName.putIfAbsent(name, found);
    if (other != null) {
      throw config(
          "node.plugins",
          "two backends are called %s: %s and %s; remove one of the jars from node.plugins"
              .formatted(name, other.origin(), found.origin()));
    }
  }

  private static void checkSettings(
      Map<String, String> settings, Map<String, Plugins.Found> byName) {
    for (String key : settings.keySet()) {
      boolean known = byName.keySet().stream().anyMatch(name -> key.startsWith(prefix(name)));
      if (key.startsWith("backend.") && !known) {
        throw config(
            key,
            "%s is for a backend that is not there; there are %s".formatted(key, byName.keySet()));
      }
    }
  }

  private static boolean enabled(String name, Map<String, String> settings) {
    String key = prefix(name) + ENABLED;
    String value = settings.getOrDefault(key, "true");
    if (!value.equals("true") && !value.equals("false")) {
      throw config(key, "%s must be true or false, not %s".formatted(key, Fields.shown(value)));
    }
    return value.equals("true");
  }

  private static OpenBackend openOne(String name, Plugins.Found found, Setup setup) {
    Path state = setup.dataDirectory().resolve("backends").resolve(name);
    try {
      Files.createDirectories(state);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    BackendContext context = new BackendContext(setup.nodeId(), state, own(setup.settings(), name));
    try {
      return new OpenBackend(name, found.provider().open(context));
    } catch (SandgateException e) {
      String key = e.field().isEmpty() ? "" : prefix(name) + e.field();
      throw new SandgateException(
          e.code(), key, "backend %s of %s: %s".formatted(name, found.origin(), e.getMessage()), e);
    }
  }

  private static Map<String, String> own(Map<String, String> settings, String name) {
    String prefix = prefix(name);
    return settings.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .filter(entry -> !entry.getKey().equals(prefix + ENABLED))
        .collect(
            Collectors.toMap(
                entry -> entry.getKey().substring(prefix.length()), Map.Entry::getValue));
  }

  private static String prefix(String name) {
    return "backend." + name + ".";
  }

  private static SandgateException config(String setting, String message) {
    return new SandgateException(ErrorCode.INVALID_CONFIG, setting, message, null);
  }
}
