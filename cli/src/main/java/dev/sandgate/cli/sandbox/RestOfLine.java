// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Takes everything from the command's first word on as it is, options included. */
final class RestOfLine implements IParameterConsumer {

  @Override
  public void consumeParameters(Stack<String> arguments, ArgSpec parameter, CommandSpec command) {
    List<String> rest = new ArrayList<>();
    while (!arguments.isEmpty()) {
      rest.add(arguments.pop());
    }
    if (!rest.isEmpty() && rest.getFirst().equals("--")) {
      rest.removeFirst();
    }
    parameter.setValue(List.copyOf(rest));
  }
}
