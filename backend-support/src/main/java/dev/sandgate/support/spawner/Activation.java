// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The root that a blank gets.
 *
 * @param id of the blank
 * @param pid of its agent on the host
 * @param upper directory to make for what it writes, relative to the state directory
 * @param disk how much it may write
 * @param layers images, lowest first, relative to the state directory
 * @param hostname seen inside
 * @param becoming the sandbox, when the blank has another name
 */
public record Activation(
    String id,
    int pid,
    String upper,
    DiskBound disk,
    List<String> layers,
    String hostname,
    @Nullable Becoming becoming) {

  /** Freezes the layers. */
  public Activation {
    layers = List.copyOf(layers);
  }
}
