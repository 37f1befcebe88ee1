// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.connection;

import dev.sandgate.cli.output.Json;
import dev.sandgate.cli.output.Printable;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Tells failures in one line on stderr, or as JSON, and picks the exit code. */
public final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {

  @Override
  public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
    return tell(failure, command);
  }

  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    say(
        command,
        "USAGE",
        failure.getMessage()
            + meant(failure)
            + "; see "
            + command.getCommandSpec().qualifiedName()
            + " --help");
    return ExitCode.USAGE;
  }

  private static String meant(ParameterException failure) {
    if (failure instanceof UnmatchedArgumentException unknown
        && !unknown.getSuggestions().isEmpty()) {
      return "; did you mean " + unknown.getSuggestions().getFirst() + "?";
    }
    return "";
  }

  /** Tells a failure and gives the exit code for it. */
  public static int tell(Throwable failure, CommandLine command) {
    return switch (failure) {
      case SandgateClientException refused -> tell(refused, command);
      case CommandFailure own -> {
        say(
            command,
            own.exitCode() == ExitCode.USAGE ? "USAGE" : "FAILED",
            String.valueOf(own.getMessage()));
        yield own.exitCode();
      }
      case SandgateException wrong -> {
        say(command, wrong.code().name(), String.valueOf(wrong.getMessage()));
        yield wrong.code() == ErrorCode.INVALID_CONFIG ? ExitCode.USAGE : ExitCode.FAILURE;
      }
      case IllegalArgumentException wrong -> {
        say(command, "USAGE", String.valueOf(wrong.getMessage()));
        yield ExitCode.USAGE;
      }
      case IOException local -> {
        say(command, "FAILED", Reasons.of(local));
        yield ExitCode.FAILURE;
      }
      case RuntimeException wrapped
          when (wrapped instanceof UncheckedIOException || wrapped instanceof CompletionException)
              && wrapped.getCause() instanceof IOException local ->
          tell(local, command);
      default -> {
        say(command, "INTERNAL", "unexpected: " + failure);
        failure.printStackTrace(command.getErr());
        yield ExitCode.FAILURE;
      }
    };
  }

  private static int tell(SandgateClientException refused, CommandLine command) {
    if (json(command)) {
      command.getErr().println(Json.text(Json.of(Map.of("error", details(refused)))));
    } else {
      command.getErr().println("sandgate: " + Printable.of(text(refused, command)));
    }
    command.getErr().flush();
    return refused.unreachable() ? ExitCode.UNREACHABLE : ExitCode.FAILURE;
  }

  private static String text(SandgateClientException refused, CommandLine command) {
    if (refused.unreachable() && refused.number() == 0) {
      return refused.getMessage()
          + "; is a gateway running at "
          + url(command)
          + "? Start one with: sandgate up";
    }
    return refused.getMessage() + " (" + refused.code() + ")";
  }

  private static String url(CommandLine command) {
    return GlobalOptions.of(command.getCommandSpec()).url();
  }

  /** What is known of a failure, for JSON. */
  public static Map<String, Object> details(SandgateClientException refused) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("code", refused.code());
    details.put("number", refused.number());
    details.put("field", refused.field());
    details.put("message", refused.getMessage());
    refused.retryAfter().ifPresent(time -> details.put("retry_after_millis", time.toMillis()));
    return details;
  }

  private static void say(CommandLine command, String code, String message) {
    if (json(command)) {
      Map<String, String> error = new LinkedHashMap<>();
      error.put("code", code);
      error.put("message", message);
      command.getErr().println(Json.text(Json.of(Map.of("error", error))));
    } else {
      command.getErr().println("sandgate: " + Printable.of(message));
    }
    command.getErr().flush();
  }

  private static boolean json(CommandLine command) {
    return GlobalOptions.of(command.getCommandSpec()).json();
  }
}
