// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Where nodes keep the layers that they share. Every method may block, perhaps for ever, and is called through {@link Access} only,
 * which bounds it and makes an {@link IOException} an outage that callers are told of; what is there and is not what was shared
 * is {@link SealedFile.Damaged}. Any thread.
 */
interface SharedStorage extends AutoCloseable {

  /** Where it is, for people. */
  String place();

  /** What a layer is, if all of it is there. */
  Optional<SharedLayer> find(String digest) throws IOException;

  /** The environment {@code name:tag}. */
  Optional<Environment> environment(String key) throws IOException;

  /** The {@code name:tag} of each environment; tells the clock of each. */
  List<String> names(Access.Clock clock) throws IOException;

  /** The image of a layer as it is there now. */
  Optional<Image> image(String digest) throws IOException;

  /** The blocks of an image that say what is in it, one after the other. */
  InputStream metadata(SharedLayer layer) throws IOException;

  /** Bytes of an image, all of them or an exception. */
  byte[] read(String digest, long from, int length) throws IOException;

  /** The image as a file that processes of this host can read on their own; without one they ask the node. */
  Optional<Path> file(String digest);

  /** Whether nothing of a layer need be written; who shares it then counts as having shared it now. */
  boolean isWhole(LayerInfo layer) throws IOException;

  /** Puts an image there; nothing is seen of it when it is not what its digest says. */
  void putImage(LayerInfo layer, Source image) throws IOException;

  /** Puts there the blocks that say what is in an image. */
  void putMetadata(LayerInfo layer, Source metadata) throws IOException;

  /** Puts there what a layer is, after its image and metadata: from here on it is seen. */
  void putFacts(SharedLayer layer) throws IOException;

  /** Puts a name there, after its layers; false when it is taken and may not be moved. */
  boolean name(Environment environment, boolean replace) throws IOException;

  /** Takes a name away; false when there is none. */
  boolean unname(String key) throws IOException;

  /** Every layer of which something is there, whether it is all or not; tells the clock of each. */
  List<Stored> layers(Access.Clock clock) throws IOException;

  /** Removes a layer, first what says that it is there; does nothing when it was shared after this time. */
  boolean remove(String digest, Instant notAfter) throws IOException;

  /** Lets go of connections. */
  @Override
  void close();

  /**
   * An image.
   *
   * @param size bytes
   * @param identity another one when it was put there anew
   */
  record Image(long size, String identity) {}

  /**
   * A layer.
   *
   * @param digest its name
   * @param size of its image, bytes; 0 when that is not there
   * @param shared when it was shared last
   */
  record Stored(String digest, long size, Instant shared) {}
}
