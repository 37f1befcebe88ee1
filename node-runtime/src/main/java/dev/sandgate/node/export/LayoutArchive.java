// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import java.io.IOException;
import java.io.OutputStream;

/** An image's files in a tar. */
record LayoutArchive(OutputStream out, TarWriter tar) implements Destination {

  @Override
  public void put(String name, long size, Content content) throws IOException {
    tar.header(TarWriter.Entry.file(name, size));
    content.to(out);
    tar.pad(size);
  }

  @Override
  public void end() throws IOException {
    tar.finish();
  }
}
