// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.backends;

import dev.sandgate.spi.BackendProvider;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Providers on the class path, and in the jars of a directory, each jar behind a class loader of its own. */
final class Plugins implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

  private final List<Found> found = new ArrayList<>();
  private final List<URLClassLoader> loaders = new ArrayList<>();

  private Plugins() {}

  /**
   * A provider.
   *
   * @param provider the door of a backend
   * @param origin the jar or directory it came from
   */
  record Found(BackendProvider provider, String origin) {}

  static Plugins find(Optional<Path> directory) {
    Plugins plugins = new Plugins();
    try {
      ServiceLoader.load(BackendProvider.class, Plugins.class.getClassLoader())
          .forEach(provider -> plugins.found.add(new Found(provider, origin(provider))));
      directory.ifPresent(plugins::loadJars);
      return plugins;
    } catch (RuntimeException | ServiceConfigurationError e) {
      plugins.close();
      throw e;
    }
  }

  List<Found> found() {
    return found;
  }

  @Override
  public void close() {
    for (URLClassLoader loader : loaders) {
      try {
        loader.close();
      } catch (IOException e) {
        LOG.warn("a plugin's jar did not close", e);
      }
    }
    loaders.clear();
  }

  private void loadJars(Path directory) {
    if (!Files.isDirectory(directory)) {
      return;
    }
    TreeSet<Path> jars = new TreeSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*.jar")) {
      entries.forEach(jars::add);
    } catch (IOException e) {
      throw config("cannot read the plugins directory " + directory, e);
    }
    jars.forEach(this::load);
  }

  private void load(Path jar) {
    URLClassLoader loader = open(jar);
    loaders.add(loader);
    int before = found.size();
    try {
      ServiceLoader.load(BackendProvider.class, loader).stream()
          .filter(provider -> loader.equals(provider.type().getClassLoader()))
          .forEach(provider -> found.add(new Found(provider.get(), jar.toString())));
    } catch (ServiceConfigurationError e) {
      throw config("the plugin " + jar + " cannot be loaded: " + e.getMessage(), e);
    }
    if (found.size() == before) {
      throw config(
          "the plugin %s names no provider in META-INF/services/%s"
              .formatted(jar, BackendProvider.class.getName()),
          null);
    }
  }

  private static URLClassLoader open(Path jar) {
    try {
      return new URLClassLoader(
          jar.getFileName().toString(), new URL[] {jar.toUri().toURL()}, new SpiLoader());
    } catch (MalformedURLException e) {
      throw config("the plugin " + jar + " has an unusable name", e);
    }
  }

  private static SandgateException config(
      String message, @org.jspecify.annotations.Nullable Throwable cause) {
    return new SandgateException(
        ErrorCode.INVALID_CONFIG,
        "node.plugins",
        message + "; fix or remove it from node.plugins",
        cause);
  }

  private static String origin(BackendProvider provider) {
    CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
    return source == null ? provider.getClass().getName() : source.getLocation().getPath();
  }
}
