// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.util.List;
import java.util.Map;

/**
 * What a sandbox is to be. Validated by the node; a backend checks only what it alone can know.
 *
 * @param id unique, {@code sb-<node>-<random>}, at most 63 characters of {@code [a-z0-9-]}
 * @param layers the root file system, lowest first; empty for a backend without {@link Capability#LAYERS}
 * @param limits what it may use
 * @param qosClass how its CPU time ranks
 * @param user who runs commands that name no user: a name or number known inside, never empty
 * @param env added to the environment of every command
 * @param hostname seen inside, 1–63 characters
 * @param labels the caller's, for logs only
 */
public record SandboxSpec(
    String id,
    List<Layer> layers,
    ResourceLimits limits,
    QosClass qosClass,
    String user,
    Map<String, String> env,
    String hostname,
    Map<String, String> labels) {

  /** Freezes the collections. */
  public SandboxSpec {
    layers = List.copyOf(layers);
    env = Map.copyOf(env);
    labels = Map.copyOf(labels);
  }
}
