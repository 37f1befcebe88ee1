// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.terminal;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The C library's calls on terminals. */
final class LibC {

  /** More than any platform's struct termios needs. */
  static final long TERMIOS_BYTES = 128;

  private static final long TIOCGWINSZ = 0x5413;
  private static final int TCSADRAIN = 1;
  private static final Linker LINKER = Linker.nativeLinker();

  private static final MethodHandle TCGETATTR =
      find(
          "tcgetattr",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  private static final MethodHandle TCSETATTR =
      find(
          "tcsetattr",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS));
  private static final MethodHandle CFMAKERAW =
      find("cfmakeraw", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
  private static final MethodHandle IOCTL =
      find(
          "ioctl",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS),
          Linker.Option.firstVariadicArg(2));

  private LibC() {}

  @SuppressWarnings("restricted")
  private static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
  }

  /** Reads a terminal's settings; false when the descriptor is none. */
  static boolean settings(int descriptor, MemorySegment into) {
    return call(() -> (int) TCGETATTR.invokeExact(descriptor, into)) == 0;
  }

  /** Changes a terminal's settings once its output is out; false when it failed. */
  static boolean apply(int descriptor, MemorySegment settings) {
    return call(() -> (int) TCSETATTR.invokeExact(descriptor, TCSADRAIN, settings)) == 0;
  }

  /** Turns settings into raw mode: every byte as it comes, no echo, no signals. */
  static void makeRaw(MemorySegment settings) {
    call(
        () -> {
          CFMAKERAW.invokeExact(settings);
          return 0;
        });
  }

  /** Columns and rows; 80 by 24 when the descriptor is no terminal or does not say. */
  static int[] size(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment winsize = arena.allocate(8);
      int result = call(() -> (int) IOCTL.invokeExact(descriptor, TIOCGWINSZ, winsize));
      int rows = Short.toUnsignedInt(winsize.get(ValueLayout.JAVA_SHORT, 0));
      int columns = Short.toUnsignedInt(winsize.get(ValueLayout.JAVA_SHORT, 2));
      return result == 0 && rows > 0 && columns > 0
          ? new int[] {columns, rows}
          : new int[] {80, 24};
    }
  }

  private interface Downcall {
    int run() throws Throwable;
  }

  @SuppressWarnings("CatchingUnchecked")
  private static int call(Downcall downcall) {
    try {
      return downcall.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
