// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/** Mounts an empty EROFS image from a file in a directory, seen by nobody: what every layer needs. Blocks. */
final class ErofsTrial {

  /** What the kernel says where files cannot be mounted. */
  static final int ENOTBLK = 15;

  // The same numbers on every architecture that Java runs on.
  private static final long FSOPEN = 430;
  private static final long FSCONFIG = 431;
  private static final long CLOEXEC = 1;
  private static final long SET_FLAG = 0;
  private static final long SET_STRING = 1;
  private static final long CREATE = 6;

  private static final int IMAGE_BYTES = 4096;
  private static final int SUPERBLOCK_AT = 1024;
  // An empty directory as mkfs.erofs packs it: superblock, then the root's inode with "." and "..".
  private static final String IMAGE =
      "e2e1f5e000000000020000000c0024000100000000000000000000000000000000000000010000000000000000000000"
          + "0".repeat(160)
          + "04000000ed4102001b00000000000000ffffffff00000000000000000000000024000000000000001800020024000000"
          + "00000000190002002e2e2e";

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle SYSCALL =
      find(
          "syscall",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG),
          Linker.Option.firstVariadicArg(1),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle CLOSE =
      find("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private ErofsTrial() {}

  /** The kernel's error number, or 0 when it worked; the directory is left as it was. */
  static int in(Path directory) throws IOException {
    Path image = Files.createTempFile(directory, "trial-", ".erofs");
    try {
      byte[] bytes = new byte[IMAGE_BYTES];
      byte[] head = HexFormat.of().parseHex(IMAGE);
      System.arraycopy(head, 0, bytes, SUPERBLOCK_AT, head.length);
      Files.write(image, bytes);
      return mount(image);
    } finally {
      Files.delete(image);
    }
  }

  private static int mount(Path image) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long context = call(state, FSOPEN, arena.allocateFrom("erofs").address(), CLOEXEC);
      if (context < 0) {
        return (int) ERRNO.get(state, 0L);
      }
      MemorySegment source = arena.allocateFrom("source");
      MemorySegment file = arena.allocateFrom(image.toAbsolutePath().toString());
      MemorySegment readOnly = arena.allocateFrom("ro");
      boolean mounted =
          call(state, FSCONFIG, context, SET_STRING, source.address(), file.address()) == 0
              && call(state, FSCONFIG, context, SET_FLAG, readOnly.address()) == 0
              && call(state, FSCONFIG, context, CREATE) == 0;
      int error = mounted ? 0 : (int) ERRNO.get(state, 0L);
      close((int) context);
      return error;
    }
  }

  private static long call(MemorySegment state, long number, long... arguments) {
    long[] four = Arrays.copyOf(arguments, 4);
    try {
      return (long) SYSCALL.invokeExact(state, number, four[0], four[1], four[2], four[3], 0L);
    } catch (Throwable e) {
      throw new IllegalStateException("system call " + number + " cannot be made", e);
    }
  }

  private static void close(int descriptor) {
    try {
      int closed = (int) CLOSE.invokeExact(descriptor);
      if (closed != 0) {
        throw new IllegalStateException("descriptor " + descriptor + " does not close");
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("close cannot be called", e);
    }
  }

  @SuppressWarnings("restricted") // the JVM is started with native access for this
  private static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
  }
}
