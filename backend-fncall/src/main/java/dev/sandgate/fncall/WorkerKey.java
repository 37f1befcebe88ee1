// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.Layer;
import java.util.List;

/**
 * What calls must have in common to be served by the same workers.
 *
 * @param layers the root file system
 * @param user who runs commands
 * @param memoryBytes of the worker
 * @param interpreter whether a warm interpreter waits in it
 * @param preload modules that the interpreter has imported
 */
record WorkerKey(
    List<Layer> layers, String user, long memoryBytes, boolean interpreter, List<String> preload) {

  static WorkerKey of(FunctionCall call, long usualMemoryBytes) {
    boolean python = call.task().language() == Language.PYTHON;
    long asked = call.limits().memoryBytes();
    return new WorkerKey(
        call.layers(),
        python ? "" : call.user(),
        asked == 0 ? usualMemoryBytes : asked,
        python,
        python ? call.task().preload() : List.of());
  }
}
