// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.terminal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Hears signals sent to this process. The JDK has no supported interface for that; sun.misc.Signal of the jdk.unsupported
 * module is the one that is kept open, reached by reflection since javac refuses its name.
 */
public final class Signals {

  private Signals() {}

  /** Runs something on each signal of that name, for example INT; it takes the place of what the signal did. */
  public static void on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      MethodHandle run =
          MethodHandles.publicLookup()
              .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
              .bindTo(action);
      Object listener =
          MethodHandleProxies.asInterfaceInstance(
              handler, MethodHandles.dropArguments(run, 0, signal));
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), listener);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JDK cannot hear SIG" + name, e);
    }
  }
}
