// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import com.google.protobuf.ByteString;
import dev.sandgate.node.export.TarWriter.Entry;
import dev.sandgate.node.export.TarWriter.Owner;
import dev.sandgate.node.export.TarWriter.Time;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A layer as the tar of an image's layer (image-spec, layer.md): the marks of an overlay become whiteouts, everything else is as it is.
 * The same layer gives the same bytes each time. Memory: a directory's names, and the names of files with several.
 */
final class LayerTar {

  private static final int TYPE = 0170000;
  private static final int FILE = 0100000;
  private static final int DIRECTORY = 0040000;
  private static final int LINK = 0120000;
  private static final int PIPE = 0010000;
  private static final int CHARACTER_DEVICE = 0020000;
  private static final String OVERLAY = "trusted.overlay.";
  private static final String WHITEOUT = ".wh.";
  private static final ByteString NOTHING = ByteString.EMPTY;

  private final TarWriter tar;
  private final int rootLength;
  private final Map<Long, ByteString> linked = new HashMap<>();

  private LayerTar(TarWriter tar, Path root) {
    this.tar = tar;
    this.rootLength = bytes(root).size() + 1;
  }

  /** Writes an image's layer. */
  static void write(Path image, OutputStream out) throws IOException {
    try (MountedImage mounted = MountedImage.open(image)) {
      TarWriter tar = new TarWriter(new BufferedOutputStream(out, 1 << 16));
      new LayerTar(tar, mounted.root()).directory(Found.at(mounted.root(), bytes(mounted.root())));
      tar.finish();
    }
  }

  /**
   * An entry.
   *
   * @param where its path's bytes, which need not be text
   */
  private record Found(
      Path path, ByteString where, Map<String, Object> status, Map<String, byte[]> attributes) {

    static Found at(Path path, ByteString where) throws IOException {
      Map<String, Object> status =
          Files.readAttributes(
              path,
              "unix:mode,ino,nlink,rdev,uid,gid,size,lastModifiedTime",
              LinkOption.NOFOLLOW_LINKS);
      return new Found(path, where, status, Attributes.of(where.toByteArray()));
    }

    int mode() {
      return (int) get("mode");
    }

    int type() {
      return mode() & TYPE;
    }

    Object get(String name) {
      Object value = status.get(name);
      if (value == null) {
        throw new IllegalStateException(name + " of " + path);
      }
      return value;
    }

    boolean whiteout() {
      return type() == CHARACTER_DEVICE && (long) get("rdev") == 0;
    }

    boolean opaque() {
      byte[] mark = attributes.get(OVERLAY + "opaque");
      return mark != null && mark.length == 1 && mark[0] == 'y';
    }

    Owner owner() {
      return new Owner(mode() & 07777, (int) get("uid"), (int) get("gid"));
    }

    Time time() {
      Instant time = ((FileTime) get("lastModifiedTime")).toInstant();
      return new Time(time.getEpochSecond(), time.getNano());
    }
  }

  private void directory(Found directory) throws IOException {
    ByteString name = name(directory.where());
    tar.header(entry(directory, '5', with(name, "/"), 0, NOTHING));
    if (directory.opaque()) {
      tar.header(mark(with(name, "/" + WHITEOUT + WHITEOUT + ".opq")));
    }
    for (Map.Entry<ByteString, Path> child : children(directory).entrySet()) {
      ByteString where = with(directory.where(), "/").concat(child.getKey());
      write(Found.at(directory.path().resolve(child.getValue()), where));
    }
  }

  /** Names in order; what they stand for is looked at one by one, since a directory may have a million. */
  private static Map<ByteString, Path> children(Found directory) throws IOException {
    Map<ByteString, Path> sorted = new TreeMap<>(ByteString.unsignedLexicographicalComparator());
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory.path())) {
      for (Path entry : entries) {
        Path name = Path.of("").resolve(entry.getFileName());
        sorted.put(bytes(name), name);
      }
    }
    return sorted;
  }

  private void write(Found found) throws IOException {
    ByteString name = name(found.where());
    if (found.whiteout()) {
      tar.header(mark(hidden(name)));
      return;
    }
    refuseMark(name);
    switch (found.type()) {
      case DIRECTORY -> directory(found);
      case FILE -> file(found, name);
      case LINK ->
          tar.header(
              entry(
                  found,
                  '2',
                  name,
                  0,
                  ByteString.copyFrom(Attributes.link(found.where().toByteArray()))));
      case PIPE -> tar.header(entry(found, '6', name, 0, NOTHING));
      default -> throw refused(name, "it is a device or a socket, which no image holds");
    }
  }

  private void file(Found found, ByteString name) throws IOException {
    if ((int) found.get("nlink") > 1) {
      ByteString first = linked.putIfAbsent((long) found.get("ino"), name);
      if (first != null) {
        tar.header(entry(found, '1', name, 0, first));
        return;
      }
    }
    long size = (long) found.get("size");
    tar.header(entry(found, '0', name, size, NOTHING));
    try (InputStream in = Files.newInputStream(found.path(), LinkOption.NOFOLLOW_LINKS)) {
      tar.content(in, size);
    }
  }

  private static Entry entry(Found found, char type, ByteString name, long size, ByteString link) {
    Map<String, byte[]> kept = new TreeMap<>();
    if (type != '1') {
      found
          .attributes()
          .forEach(
              (key, value) -> {
                if (key.equals(OVERLAY + "redirect") || key.equals(OVERLAY + "metacopy")) {
                  throw refused(name, "it has the mark " + key + ", which no image holds");
                }
                boolean host = key.startsWith("trusted.") || key.startsWith("security.");
                if (!host || key.equals("security.capability")) {
                  kept.put(key, value);
                }
              });
    }
    return new Entry(name, type, found.owner(), size, found.time(), link, kept);
  }

  private static Entry mark(ByteString name) {
    return new Entry(name, '0', new Owner(0, 0, 0), 0, Time.NONE, NOTHING, Map.of());
  }

  private static ByteString hidden(ByteString name) {
    int at = lastPart(name);
    return with(name.substring(0, at), WHITEOUT).concat(name.substring(at));
  }

  private static void refuseMark(ByteString name) {
    if (name.substring(lastPart(name)).startsWith(ByteString.copyFromUtf8(WHITEOUT))) {
      throw refused(name, "its name begins with .wh., which images take for a deletion; rename it");
    }
  }

  private static int lastPart(ByteString name) {
    int at = name.size();
    while (at > 0 && name.byteAt(at - 1) != '/') {
      at--;
    }
    return at;
  }

  private ByteString name(ByteString where) {
    return where.size() < rootLength ? ByteString.copyFromUtf8(".") : where.substring(rootLength);
  }

  /** A path's bytes: names need not be text, and the JDK shows them only in this way. */
  private static ByteString bytes(Path path) {
    String text = path.toString();
    if (text.indexOf('\uFFFD') < 0) {
      return ByteString.copyFromUtf8(text);
    }
    String raw =
        Path.of("/").resolve(path).toUri().getRawPath().substring(path.isAbsolute() ? 0 : 1);
    ByteString.Output bytes = ByteString.newOutput();
    for (int i = 0; i < raw.length(); i++) {
      if (raw.charAt(i) == '%') {
        bytes.write(Integer.parseInt(raw, i + 1, i + 3, 16));
        i += 2;
      } else {
        bytes.write(raw.charAt(i));
      }
    }
    return bytes.toByteString();
  }

  private static ByteString with(ByteString name, String more) {
    return name.concat(ByteString.copyFromUtf8(more));
  }

  private static SandgateException refused(ByteString name, String why) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION, "/" + name.toStringUtf8() + ": " + why);
  }
}
