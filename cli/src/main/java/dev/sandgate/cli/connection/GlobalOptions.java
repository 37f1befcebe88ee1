// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.connection;

import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Output;
import dev.sandgate.client.ClientOptions;
import dev.sandgate.client.Sandgate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that every command takes, before or after its name. */
public class GlobalOptions {

  static final String DEFAULT_URL = "http://127.0.0.1:7070";
  private static final String DEFAULT_DATA = "/var/lib/sandgate";

  @Option(
      names = "--url",
      scope = ScopeType.INHERIT,
      paramLabel = "URL",
      description = "The gateway. Default: $SANDGATE_URL or " + DEFAULT_URL)
  private @Nullable String url;

  @Option(
      names = "--key",
      scope = ScopeType.INHERIT,
      paramLabel = "KEY",
      description = "The API key. Default: $SANDGATE_API_KEY or the data directory's admin.key")
  private @Nullable String key;

  @Option(
      names = "--data",
      scope = ScopeType.INHERIT,
      paramLabel = "DIR",
      description = "The data directory. Default: $SANDGATE_DATA or " + DEFAULT_DATA)
  private @Nullable Path data;

  @Option(
      names = {"-o", "--output"},
      scope = ScopeType.INHERIT,
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private String output = "table";

  @Option(
      names = "--no-color",
      scope = ScopeType.INHERIT,
      description = "No colours, also on a terminal.")
  private boolean noColour;

  /** The options of the command line that a command belongs to. */
  public static GlobalOptions of(CommandSpec command) {
    return (GlobalOptions) command.root().userObject();
  }

  /** Where the command writes. */
  public Console console(CommandSpec command) {
    return new Console(
        format(), command.commandLine().getOut(), command.commandLine().getErr(), !noColour);
  }

  private Output format() {
    return switch (output.toLowerCase(Locale.ROOT)) {
      case "table" -> Output.TABLE;
      case "json" -> Output.JSON;
      default ->
          throw CommandFailure.usage("--output: '" + output + "' is unknown, give table or json");
    };
  }

  /** Whether failures are told as JSON; never fails itself. */
  boolean json() {
    return output.equalsIgnoreCase("json");
  }

  /** The data directory. */
  public Path data() {
    return data != null ? data : Path.of(environment("SANDGATE_DATA", DEFAULT_DATA));
  }

  /** The gateway's address. */
  public String url() {
    return url != null ? url : environment("SANDGATE_URL", DEFAULT_URL);
  }

  /** A client for the gateway, which the caller closes. */
  public Sandgate connect() {
    String address = url();
    try {
      return Sandgate.connect(ClientOptions.of(address, key()).withConnections(1));
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(
          String.valueOf(wrong.getMessage()).startsWith("key")
              ? "--key: it must be printable ASCII without spaces or line breaks"
              : "--url: '" + address + "' is no address, give http://HOST:PORT");
    }
  }

  /** The API key. */
  public String key() {
    if (key != null) {
      return key;
    }
    String named = environment("SANDGATE_API_KEY", "");
    return named.isEmpty() ? keyFile() : named;
  }

  private String keyFile() {
    Path file = data().resolve("admin.key");
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      throw CommandFailure.usage(
          "--key: no API key: give --key or SANDGATE_API_KEY (" + file + " cannot be read)");
    }
  }

  private static String environment(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }
}
