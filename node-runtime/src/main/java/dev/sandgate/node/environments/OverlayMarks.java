// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;

/**
 * What an overlay reads in a lower layer besides files: whiteouts, which are character devices 0:0, and opaque directories (Linux,
 * Documentation/filesystems/overlayfs.rst); and extended attributes. The JDK makes neither, so the C library does. No link is followed.
 */
final class OverlayMarks {

  private static final int CHARACTER_DEVICE = 0020000;
  private static final int TYPE_BITS = 0170000;
  private static final String OPAQUE = "trusted.overlay.opaque";
  static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
  private static final MethodHandle MKNOD =
      function(
          "mknod",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG));
  private static final MethodHandle LSETXATTR =
      function(
          "lsetxattr",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT));
  private static final MethodHandle LGETXATTR =
      function(
          "lgetxattr",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG));

  private OverlayMarks() {}

  @SuppressWarnings("restricted") // the C library is the only way to these calls
  private static MethodHandle function(String name, FunctionDescriptor shape) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), shape, Linker.Option.captureCallState("errno"));
  }

  /** Hides what lower layers have under this name. */
  static void whiteOut(Path path) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int result = (int) MKNOD.invokeExact(state, text(arena, path), CHARACTER_DEVICE, 0L);
      check(result, state, path, "mknod");
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean isWhiteout(Path path) throws IOException {
    if (Files.isSymbolicLink(path) || Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    long device = (long) Files.getAttribute(path, "unix:rdev", LinkOption.NOFOLLOW_LINKS);
    return (mode & TYPE_BITS) == CHARACTER_DEVICE && device == 0;
  }

  /** Hides what lower layers have in this directory. */
  static void makeOpaque(Path directory) throws IOException {
    set(directory, OPAQUE, new byte[] {'y'});
  }

  static boolean isOpaque(Path directory) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment value = arena.allocate(1);
      long size =
          (long)
              LGETXATTR.invokeExact(
                  state, text(arena, directory), arena.allocateFrom(OPAQUE), value, 1L);
      return size == 1 && value.get(ValueLayout.JAVA_BYTE, 0) == 'y';
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sets an extended attribute of a file or of a link itself. */
  static void set(Path path, String name, byte[] value) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment content = arena.allocateFrom(ValueLayout.JAVA_BYTE, value);
      int result =
          (int)
              LSETXATTR.invokeExact(
                  state,
                  text(arena, path),
                  arena.allocateFrom(name),
                  content,
                  (long) value.length,
                  0);
      check(result, state, path, name);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Copies the attributes that users may set. */
  static void copyUser(Path from, Path to) throws IOException {
    UserDefinedFileAttributeView source = userView(from);
    for (String name : source.list()) {
      ByteBuffer value = ByteBuffer.allocate(source.size(name));
      source.read(name, value);
      userView(to).write(name, value.flip());
    }
  }

  private static UserDefinedFileAttributeView userView(Path path) {
    return Files.getFileAttributeView(
        path, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static MemorySegment text(Arena arena, Path path) {
    return arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
  }

  /** An IOException with the kernel's words when a call failed that left its errno in a {@link #STATE}. */
  static void check(int result, MemorySegment state, Path path, String step) throws IOException {
    if (result != 0) {
      int errno = (int) ERRNO.get(state, 0L);
      throw new FileSystemException(path.toString(), null, step + ": " + words(errno));
    }
  }

  /** As the kernel's own, for those that are told apart. */
  private static String words(int errno) {
    return switch (errno) {
      case 7 -> "Argument list too long";
      case 28 -> "No space left on device";
      case 36 -> "File name too long";
      case 34 -> "Numerical result out of range";
      case 95 -> "Operation not supported";
      case 122 -> "Disk quota exceeded";
      default -> "errno " + errno;
    };
  }
}
