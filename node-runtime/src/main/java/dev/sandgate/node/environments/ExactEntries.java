// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/**
 * Entries that the JDK does not make as they are: links, whose text it tidies up; named pipes, of which it also sets the mode by opening
 * them, and then waits for ever; and times, which it cuts to three centuries. Each in a directory that nobody else touches.
 */
final class ExactEntries {

  private static final int PIPE = 0010000;
  private static final int CURRENT_DIRECTORY = -100;
  private static final int NOFOLLOW = 0x100;
  private static final MethodHandle MKNOD =
      function("mknod", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
  private static final MethodHandle SYMLINK =
      function("symlink", ValueLayout.ADDRESS, ValueLayout.ADDRESS);
  private static final MethodHandle CHMOD =
      function("chmod", ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
  private static final MethodHandle UTIMENSAT =
      function(
          "utimensat",
          ValueLayout.JAVA_INT,
          ValueLayout.ADDRESS,
          ValueLayout.ADDRESS,
          ValueLayout.JAVA_INT);

  private ExactEntries() {}

  @SuppressWarnings("restricted") // the C library is the only way to these calls
  private static MethodHandle function(String name, MemoryLayout... parameters) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters),
        Linker.Option.captureCallState("errno"));
  }

  /** A link with a text, to the byte. */
  static void link(Path path, String text) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(OverlayMarks.STATE);
      MemorySegment target = arena.allocateFrom(text, StandardCharsets.UTF_8);
      MemorySegment name = arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
      int result = (int) SYMLINK.invokeExact(state, target, name);
      OverlayMarks.check(result, state, path, "symlink");
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** A named pipe. */
  static void pipe(Path path, int mode) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(OverlayMarks.STATE);
      MemorySegment name = arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
      int made = (int) MKNOD.invokeExact(state, name, PIPE | 0600, 0L);
      OverlayMarks.check(made, state, path, "mknod");
      int changed = (int) CHMOD.invokeExact(state, name, mode & 07777);
      OverlayMarks.check(changed, state, path, "chmod");
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** The time of what has a name, a link too, to the nanosecond; what the disk cannot hold becomes its nearest. */
  static void time(Path path, FileTime time) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(OverlayMarks.STATE);
      MemorySegment name = arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
      Instant instant = time.toInstant();
      long seconds = instant.getEpochSecond();
      long nanos = instant.getNano();
      MemorySegment times =
          arena.allocateFrom(ValueLayout.JAVA_LONG, seconds, nanos, seconds, nanos);
      int set = (int) UTIMENSAT.invokeExact(state, CURRENT_DIRECTORY, name, times, NOFOLLOW);
      OverlayMarks.check(set, state, path, "utimensat");
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
