// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the JDK does not tell of an entry: extended attributes of every kind, of a link too, and where a link leads, byte by byte.
 */
final class Attributes {

  private static final int MOST = 1 << 16;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
  private static final MethodHandle LLISTXATTR =
      function(
          "llistxattr",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG));
  private static final MethodHandle LGETXATTR =
      function(
          "lgetxattr",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG));

  private static final MethodHandle READLINK =
      function(
          "readlink",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG));

  private Attributes() {}

  @SuppressWarnings("restricted") // the C library is the only way to these calls
  private static MethodHandle function(String name, FunctionDescriptor shape) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), shape, Linker.Option.captureCallState("errno"));
  }

  /** All of them, by name. */
  static Map<String, byte[]> of(byte[] path) throws IOException {
    Map<String, byte[]> found = new TreeMap<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment where = text(arena, path);
      long size = (long) LLISTXATTR.invokeExact(state, where, MemorySegment.NULL, 0L);
      if (checked(size, state, path) == 0) {
        return found;
      }
      MemorySegment buffer = arena.allocate(MOST);
      long length =
          checked((long) LLISTXATTR.invokeExact(state, where, buffer, (long) MOST), state, path);
      for (String name : names(buffer, length)) {
        MemorySegment key = arena.allocateFrom(name);
        long value =
            checked(
                (long) LGETXATTR.invokeExact(state, where, key, buffer, (long) MOST), state, path);
        found.put(name, buffer.asSlice(0, value).toArray(ValueLayout.JAVA_BYTE));
      }
      return found;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where a link leads. */
  static byte[] link(byte[] path) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment buffer = arena.allocate(MOST);
      long length = (long) READLINK.invokeExact(state, text(arena, path), buffer, (long) MOST);
      return buffer.asSlice(0, checked(length, state, path)).toArray(ValueLayout.JAVA_BYTE);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MemorySegment text(Arena arena, byte[] path) {
    MemorySegment text = arena.allocate(path.length + 1L);
    MemorySegment.copy(path, 0, text, ValueLayout.JAVA_BYTE, 0, path.length);
    return text;
  }

  private static String[] names(MemorySegment buffer, long length) {
    byte[] all = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    return new String(all, 0, all.length - 1, StandardCharsets.UTF_8).split("\0", -1);
  }

  private static long checked(long result, MemorySegment state, byte[] path) throws IOException {
    if (result < 0) {
      int errno = (int) ERRNO.get(state, 0L);
      String name = new String(path, StandardCharsets.UTF_8);
      throw new FileSystemException(name, null, "extended attributes: errno " + errno);
    }
    return result;
  }
}
