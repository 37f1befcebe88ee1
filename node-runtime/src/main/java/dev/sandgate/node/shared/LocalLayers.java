// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.nio.file.Path;
import java.util.Set;

/** What the shared layers need to know of the node's own. */
public interface LocalLayers {

  /** Where the whole image of a layer is, or would be. */
  Path image(String digest);

  /** The image was a copy and is thrown away: removes it, with what backends keep of it. */
  void thrownAway(String digest);

  /** RESOURCE_EXHAUSTED when so many bytes more would not leave the disk's reserve. */
  void requireRoom(long bytes);

  /** Whether a living sandbox stands on a layer. */
  boolean isUsed(String digest);

  /** Digests of the layers that the node needs: of its environments and its living sandboxes. */
  Set<String> needed();
}
