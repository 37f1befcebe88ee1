// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Files.Attributes;
import dev.sandgate.spi.Files.FileInfo;
import dev.sandgate.spi.Files.FileType;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import dev.sandgate.spi.SandgateException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Directories and small regular files in memory, by absolute path; thread-safe. */
final class FakeTree {

  private static final class Node {
    private final FileType type;
    private final int mode;
    private final byte[] content;
    private final int uid;
    private final int gid;

    Node(FileType type, int mode, byte[] content) {
      this(type, mode, content, 0, 0);
    }

    Node(FileType type, int mode, byte[] content, int uid, int gid) {
      this.type = type;
      this.mode = mode;
      this.content = content;
      this.uid = uid;
      this.gid = gid;
    }
  }

  private final NavigableMap<String, Node> nodes = new TreeMap<>();
  private final Set<String> written = new HashSet<>();

  FakeTree() {
    clear();
  }

  synchronized void clear() {
    nodes.clear();
    nodes.put("/", new Node(FileType.DIRECTORY, 0755, new byte[0]));
    nodes.put("/tmp", new Node(FileType.DIRECTORY, 0777, new byte[0]));
  }

  synchronized int touch(String path) {
    nodes.putIfAbsent(path, new Node(FileType.REGULAR, 0644, new byte[0]));
    return 0;
  }

  synchronized Optional<byte[]> content(String path) {
    Node node = nodes.get(path);
    return node == null || node.type != FileType.REGULAR
        ? Optional.empty()
        : Optional.of(node.content);
  }

  synchronized byte[] read(String path) {
    if (find(path).type != FileType.REGULAR) {
      throw new SandgateException(ErrorCode.FILE_FAILED, path + ": is a directory");
    }
    return find(path).content;
  }

  /** Prepares a file for writing; returns where the first byte goes. */
  synchronized long open(WriteTarget target) {
    String path = target.path();
    if (target.parents()) {
      makeDirectory(parent(path), 0755, true);
    }
    requireParent(path);
    if (written.contains(path)) {
      throw new SandgateException(ErrorCode.FILE_FAILED, path + ": somebody else is writing it");
    }
    Node old = nodes.get(path);
    if (old != null && target.mode() == WriteMode.CREATE) {
      throw exists(path);
    }
    if (old == null || target.mode() == WriteMode.TRUNCATE) {
      nodes.put(path, new Node(FileType.REGULAR, target.fileMode(), new byte[0]));
    }
    long start = target.mode() == WriteMode.RESUME ? target.offset() : read(path).length;
    written.add(path);
    return start;
  }

  /** The writing that {@link #open} began is over. */
  synchronized void close(String path) {
    written.remove(path);
  }

  synchronized void put(String path, long offset, byte[] data) {
    Node node = find(path);
    int end = Math.toIntExact(offset + data.length);
    byte[] content = Arrays.copyOf(node.content, Math.max(end, node.content.length));
    System.arraycopy(data, 0, content, (int) offset, data.length);
    nodes.put(path, new Node(node.type, node.mode, content, node.uid, node.gid));
  }

  synchronized FileInfo stat(String path) {
    Node node = find(path);
    return new FileInfo(path, node.type, node.mode, node.uid, node.gid, node.content.length, 0, "");
  }

  synchronized List<FileInfo> list(String path, int depth) {
    find(path);
    String prefix = path.equals("/") ? path : path + "/";
    return nodes.tailMap(prefix, false).keySet().stream()
        .filter(name -> name.startsWith(prefix) && levels(name.substring(prefix.length())) <= depth)
        .map(this::stat)
        .toList();
  }

  private static long levels(String relative) {
    return 1 + relative.chars().filter(c -> c == '/').count();
  }

  synchronized void makeDirectory(String path, int mode, boolean parents) {
    if (nodes.containsKey(path)) {
      if (!parents) {
        throw exists(path);
      }
      return;
    }
    if (parents) {
      makeDirectory(parent(path), mode, true);
    }
    requireParent(path);
    nodes.put(path, new Node(FileType.DIRECTORY, mode, new byte[0]));
  }

  synchronized void move(String from, String to) {
    Node node = find(from);
    requireParent(to);
    List<FileInfo> below = list(from, 64);
    nodes.put(to, node);
    nodes.remove(from);
    for (FileInfo info : below) {
      Node child = find(info.path());
      nodes.remove(info.path());
      nodes.put(to + info.path().substring(from.length()), child);
    }
  }

  synchronized void remove(String path, boolean recursive) {
    find(path);
    List<FileInfo> below = list(path, 64);
    if (!below.isEmpty() && !recursive) {
      throw new SandgateException(ErrorCode.FILE_FAILED, path + ": directory not empty");
    }
    below.forEach(info -> nodes.remove(info.path()));
    nodes.remove(path);
  }

  synchronized void setAttributes(String path, Attributes change) {
    Node node = find(path);
    String[] owner = change.owner().split(":", -1);
    int mode = change.mode() < 0 ? node.mode : change.mode();
    int uid = number(owner[0], node.uid);
    int gid = owner.length > 1 ? number(owner[1], node.gid) : node.gid;
    nodes.put(path, new Node(node.type, mode, node.content, uid, gid));
  }

  /** A number, as only those are known here. */
  private static int number(String text, int otherwise) {
    if (!text.chars().allMatch(Character::isDigit)) {
      throw new SandgateException(ErrorCode.FILE_FAILED, text + ": no such owner");
    }
    return text.isEmpty() ? otherwise : Integer.parseInt(text);
  }

  private Node find(String path) {
    Node node = nodes.get(path);
    if (node == null) {
      throw new SandgateException(ErrorCode.NOT_FOUND, path + ": no such file or directory");
    }
    return node;
  }

  private void requireParent(String path) {
    find(parent(path));
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }

  private static SandgateException exists(String path) {
    return new SandgateException(ErrorCode.ALREADY_EXISTS, path + ": exists");
  }
}
