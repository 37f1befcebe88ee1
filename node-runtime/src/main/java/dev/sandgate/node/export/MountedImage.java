// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * A layer's image, mounted nowhere: it is reached through a descriptor alone, so that no mount can be left behind, whatever ends this
 * process (fsopen(2), fsmount(2); Linux 5.2). Closing it makes its paths invalid.
 */
final class MountedImage implements AutoCloseable {

  private static final int CLOSE_ON_EXEC = 1;
  private static final int SET_FLAG = 0;
  private static final int SET_STRING = 1;
  private static final int CREATE = 6;
  private static final int READ_ONLY_NOTHING_SPECIAL = 1 | 2 | 4 | 8;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
  private static final MethodHandle FSOPEN =
      function("fsopen", ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
  private static final MethodHandle FSCONFIG =
      function(
          "fsconfig",
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT,
          ValueLayout.ADDRESS,
          ValueLayout.ADDRESS,
          ValueLayout.JAVA_INT);
  private static final MethodHandle FSMOUNT =
      function("fsmount", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final MethodHandle CLOSE = function("close", ValueLayout.JAVA_INT);

  private final int descriptor;

  private MountedImage(int descriptor) {
    this.descriptor = descriptor;
  }

  @SuppressWarnings("restricted") // the C library is the only way to these calls
  private static MethodHandle function(String name, MemoryLayout... parameters) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters),
        Linker.Option.captureCallState("errno"));
  }

  /** Mounts an EROFS image. */
  static MountedImage open(Path image) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment kind = arena.allocateFrom("erofs");
      int context = checked((int) FSOPEN.invokeExact(state, kind, CLOSE_ON_EXEC), state, image);
      try {
        MemorySegment source = arena.allocateFrom(image.toString(), StandardCharsets.UTF_8);
        Context open = new Context(state, context, image);
        open.configure(SET_STRING, arena.allocateFrom("source"), source);
        open.configure(SET_FLAG, arena.allocateFrom("ro"), MemorySegment.NULL);
        open.configure(CREATE, MemorySegment.NULL, MemorySegment.NULL);
        int mounted =
            (int) FSMOUNT.invokeExact(state, context, CLOSE_ON_EXEC, READ_ONLY_NOTHING_SPECIAL);
        return new MountedImage(checked(mounted, state, image));
      } finally {
        checked((int) CLOSE.invokeExact(state, context), state, image);
      }
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** What is being set up for a mount. */
  private record Context(MemorySegment state, int descriptor, Path image) {
    void configure(int command, MemorySegment key, MemorySegment value) throws Throwable {
      int result = (int) FSCONFIG.invokeExact(state, descriptor, command, key, value, 0);
      checked(result, state, image);
    }
  }

  /** Its root. Whoever walks it follows no link: it has those of another host. */
  Path root() {
    return Path.of("/proc/self/fd/" + descriptor + "/.");
  }

  @Override
  public void close() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      checked((int) CLOSE.invokeExact(state, descriptor), state, root());
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static int checked(int result, MemorySegment state, Path what) throws IOException {
    if (result < 0) {
      int errno = (int) ERRNO.get(state, 0L);
      throw new FileSystemException(what.toString(), null, "it cannot be mounted: errno " + errno);
    }
    return result;
  }
}
