// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.backends;

import java.util.List;

/** Shows a plugin the JDK and what the SPI itself depends on, and nothing else of the node. */
final class SpiLoader extends ClassLoader {

  private static final List<String> SHARED =
      List.of(
          "dev.sandgate.spi.",
          "io.smallrye.mutiny.",
          "org.jspecify.annotations.",
          "org.slf4j.",
          "org.jctools.");

  static {
    ClassLoader.registerAsParallelCapable();
  }

  SpiLoader() {
    super("sandgate-spi", ClassLoader.getPlatformClassLoader());
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (SHARED.stream().anyMatch(name::startsWith)) {
      return SpiLoader.class.getClassLoader().loadClass(name);
    }
    throw new ClassNotFoundException(name);
  }
}
