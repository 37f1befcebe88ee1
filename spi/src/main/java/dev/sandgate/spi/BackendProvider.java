// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * The door of a backend: its name and the factory of the running thing.
 *
 * <p>Found by {@link java.util.ServiceLoader}: a jar names its provider in {@code
 * META-INF/services/dev.sandgate.spi.BackendProvider} (or {@code provides} in its module descriptor) and is
 * dropped into the node's {@code plugins/} directory. A provider has a public no-argument constructor that
 * does no work. Two providers with one name stop the node at start.
 */
public interface BackendProvider {

  /**
   * The name callers put into a create request, for example {@code container}.
   *
   * @return 1–32 characters of {@code [a-z0-9-]}, constant
   */
  String name();

  /**
   * Opens the backend; called at most once, at node start, on a virtual thread, and may block.
   *
   * <p>A host that lacks what the backend needs is no error: open it all the same and say so in {@link
   * Backend#probe()}.
   *
   * @param context what the node lends to the backend for its whole life
   * @return the backend, owned by the node, which closes it
   * @throws SandgateException with {@link ErrorCode#INVALID_CONFIG} when a setting is wrong
   */
  Backend open(BackendContext context);
}
