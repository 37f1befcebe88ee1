// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.nio.file.Path;
import java.util.Map;

/**
 * What the node lends to a backend.
 *
 * @param nodeId the node's name, part of every sandbox id
 * @param stateDirectory a directory of the backend's own, kept across restarts, made before {@link
 *     BackendProvider#open}
 * @param settings the backend's settings: the keys below {@code backend.<name>.} of the node's
 *     configuration, without that prefix
 */
public record BackendContext(String nodeId, Path stateDirectory, Map<String, String> settings) {

  /** Freezes the settings. */
  public BackendContext {
    settings = Map.copyOf(settings);
  }
}
