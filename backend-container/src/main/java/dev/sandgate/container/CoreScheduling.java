// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Whether this kernel keeps strangers off a core's other thread: {@code prctl(PR_SCHED_CORE)}. */
final class CoreScheduling {

  private static final int PR_SCHED_CORE = 62;
  private static final int PR_SCHED_CORE_GET = 0;
  private static final int ENODEV = 19;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private CoreScheduling() {}

  /** Why not, or an empty string. */
  static String failure() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment cookie = arena.allocate(ValueLayout.JAVA_LONG);
      int result =
          (int) prctl().invokeExact(state, PR_SCHED_CORE, (long) PR_SCHED_CORE_GET, 0L, 0L, cookie);
      return result == 0 ? "" : explain((int) ERRNO.get(state, 0L));
    } catch (Throwable e) {
      throw new IllegalStateException("prctl cannot be called", e);
    }
  }

  private static String explain(int errno) {
    return errno == ENODEV
        ? "the CPU has no sibling threads to share"
        : "the kernel lacks CONFIG_SCHED_CORE (errno " + errno + ")";
  }

  @SuppressWarnings("restricted") // the JVM is started with native access for this
  private static MethodHandle prctl() {
    Linker linker = Linker.nativeLinker();
    AddressLayout pointer = ValueLayout.ADDRESS;
    FunctionDescriptor signature =
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            pointer);
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("prctl"),
        signature,
        Linker.Option.firstVariadicArg(1),
        Linker.Option.captureCallState("errno"));
  }
}
