// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;
import dev.sandgate.tck.fake.FakeHost;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The backend {@code memory}: a fake host that the test registered under the setting {@code host}. */
public final class MemoryProvider implements BackendProvider {

  /** Fake hosts by name; a test registers its own under a unique one. */
  public static final Map<String, FakeHost> HOSTS = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public Backend open(BackendContext context) {
    String name = context.settings().getOrDefault("host", "");
    FakeHost host = name.isEmpty() ? new FakeHost() : Objects.requireNonNull(HOSTS.get(name));
    boolean layered = Boolean.parseBoolean(context.settings().getOrDefault("layered", "false"));
    return new MemoryBackend(host.open(context), layered);
  }
}
