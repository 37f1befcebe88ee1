// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.function;

import com.google.protobuf.ByteString;
import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Functions;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.FunctionCase;
import dev.sandgate.proto.v1.FunctionFile;
import dev.sandgate.proto.v1.FunctionGpu;
import dev.sandgate.proto.v1.FunctionLanguage;
import dev.sandgate.proto.v1.InvokeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs programs by function calls; of a single one the output and the exit code are this command's. */
@CommandLine.Command(
    name = "call",
    description = "Run a program without a sandbox of its own: source in, result out.",
    footer = {
      "",
      "Exit code of one call: the program's own, or the compiler's; 1 when it wrote something",
      "else than expected; 125 when the platform failed. Of many: 0 when all were accepted, else 1.",
      "Example: echo 'print(6*7)' | sandgate call -e debian python -"
    })
public final class CallCommand extends Work {

  @Parameters(index = "0", paramLabel = "LANGUAGE", description = "python, shell, c, cpp or java.")
  private String language = "";

  @Parameters(
      index = "1..*",
      paramLabel = "FILE",
      arity = "1..*",
      description = "The source, - for stdin; several are several calls.")
  private List<String> sources = List.of();

  @Option(
      names = {"-e", "--environment"},
      paramLabel = "NAME",
      required = true,
      description = "Where it runs, for example debian.")
  private String environment = "";

  @Option(
      names = "--stdin",
      paramLabel = "FILE",
      description = "What the program reads; - for stdin.")
  private @Nullable String stdin;

  @Option(
      names = "--expect",
      paramLabel = "FILE",
      description = "What it must write, but for white space at ends of lines.")
  private @Nullable Path expected;

  @Option(
      names = {"-a", "--argument"},
      paramLabel = "TEXT",
      description = "An argument of the program; may be repeated.")
  private List<String> arguments = List.of();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "A file for its working directory; may be repeated.")
  private List<Path> files = List.of();

  @Option(names = "--env", paramLabel = "K=V", description = "A variable; may be repeated.")
  private Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--import",
      paramLabel = "MODULE",
      description = "Python: a module that its worker has imported before; may be repeated.")
  private List<String> preload = List.of();

  @Option(names = "--timeout", paramLabel = "TIME", description = "Kill it after. Default: 10s")
  private @Nullable String timeout;

  @Option(names = "--memory", paramLabel = "SIZE", description = "At most, for example 256m.")
  private @Nullable String memory;

  @Option(
      names = "--gpu",
      paramLabel = "MODE",
      description = "shared or exclusive; refused where there is no GPU.")
  private @Nullable String gpu;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Call it so often; one line per call as it ends.")
  private int repeat;

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "Run it under this id, at most once in ten minutes.")
  private String id = "";

  @Override
  public Integer call() throws IOException {
    boolean many = repeat > 1 || sources.size() > 1;
    if (repeat < 1 || (many && !id.isEmpty())) {
      throw CommandFailure.usage("--repeat: give 1 or more, and --id for a single call only");
    }
    List<InvokeRequest> requests = requests();
    try (Sandgate sandgate = global().connect()) {
      Functions functions = sandgate.functions();
      Shown shown = new Shown(console());
      return requests.size() == 1
          ? shown.one(functions.invoke(requests.getFirst()).await().indefinitely())
          : shown.many(functions.invoke(requests), requests.size());
    } catch (SandgateClientException refused) {
      int code = Failures.tell(refused, spec().commandLine());
      return code == ExitCode.UNREACHABLE && !refused.requestSent() ? code : ExitCode.PLATFORM;
    }
  }

  private List<InvokeRequest> requests() throws IOException {
    InvokeRequest common = common();
    List<InvokeRequest> requests = new ArrayList<>();
    for (String source : sources) {
      InvokeRequest request =
          common.toBuilder().setSource(Inputs.read(source, stdin).toStringUtf8()).build();
      for (int i = 0; i < repeat; i++) {
        requests.add(request);
      }
    }
    return requests;
  }

  private InvokeRequest common() throws IOException {
    InvokeRequest.Builder request =
        InvokeRequest.newBuilder()
            .setInvocationId(id)
            .setEnvironment(environment)
            .setLanguage(language())
            .setGpu(gpu())
            .addAllArguments(arguments)
            .addAllPreload(preload)
            .putAllEnv(env);
    for (Path file : files) {
      request.addFiles(
          FunctionFile.newBuilder()
              .setPath(String.valueOf(file.getFileName()))
              .setData(ByteString.copyFrom(Files.readAllBytes(file)))
              .setExecutable(Files.isExecutable(file)));
    }
    if (timeout != null) {
      request.setTimeoutMillis(Sizes.time(timeout).toMillis());
    }
    if (memory != null) {
      request.setMemoryBytes(Sizes.bytes(memory));
    }
    return request.addCases(one()).build();
  }

  private FunctionCase one() throws IOException {
    FunctionCase.Builder one = FunctionCase.newBuilder();
    if (stdin != null) {
      one.setStdin(Inputs.read(stdin, null));
    }
    if (expected != null) {
      one.setExpected(ByteString.copyFrom(Files.readAllBytes(expected)));
    }
    return one.build();
  }

  private FunctionLanguage language() {
    return switch (language) {
      case "python" -> FunctionLanguage.FUNCTION_LANGUAGE_PYTHON;
      case "shell", "sh" -> FunctionLanguage.FUNCTION_LANGUAGE_SHELL;
      case "c" -> FunctionLanguage.FUNCTION_LANGUAGE_C;
      case "cpp", "c++" -> FunctionLanguage.FUNCTION_LANGUAGE_CPP;
      case "java" -> FunctionLanguage.FUNCTION_LANGUAGE_JAVA;
      default ->
          throw CommandFailure.usage(
              "LANGUAGE: '" + language + "' is none: give python, shell, c, cpp or java");
    };
  }

  private FunctionGpu gpu() {
    if (gpu == null) {
      return FunctionGpu.FUNCTION_GPU_UNSPECIFIED;
    }
    return switch (gpu) {
      case "shared" -> FunctionGpu.FUNCTION_GPU_SHARED;
      case "exclusive" -> FunctionGpu.FUNCTION_GPU_EXCLUSIVE;
      default -> throw CommandFailure.usage("--gpu: give shared or exclusive, not " + gpu);
    };
  }
}
