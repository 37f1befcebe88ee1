// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.functions;

import static dev.sandgate.node.checks.Fields.range;
import static dev.sandgate.node.checks.Fields.rangeOr;
import static dev.sandgate.spi.SandgateException.invalid;

import com.google.protobuf.ByteString;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.checks.Variables;
import dev.sandgate.node.environments.Stack;
import dev.sandgate.proto.v1.FunctionCase;
import dev.sandgate.proto.v1.FunctionFile;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Case;
import dev.sandgate.spi.FunctionCall.File;
import dev.sandgate.spi.FunctionCall.Gpu;
import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.FunctionCall.Limits;
import dev.sandgate.spi.FunctionCall.Task;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads what a call asks for: every field checked, every default filled in. */
final class CallReader {

  private static final Pattern PART = Pattern.compile("(?!\\.{1,2}$)[^/\\x00]{1,255}");
  private static final Pattern MODULE = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]{0,127}");
  private static final int MAX_SOURCE = 256 << 10;
  private static final int MAX_ARGUMENTS = 256;
  private static final int MAX_ARGUMENT_BYTES = 16 << 10;
  private static final int MAX_FILES = 256;
  private static final int MAX_FILE_BYTES = 512 << 10;
  private static final int MAX_PATH = 256;
  private static final int MAX_CASES = 256;
  private static final int MAX_PRELOAD = 32;
  private static final int MAX_LAYERS = 64;
  private static final long MAX_MILLIS = 600_000;
  private static final long MIN_MEMORY = 16L << 20;
  private static final long MAX_BYTES = 1L << 50;
  private static final int MAX_OUTPUT = 1 << 20;
  private static final int USUAL_OUTPUT = 64 << 10;
  private static final int ALL_OUTPUT = 3 << 20;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private CallReader() {}

  /** Fails for what is wrong with the request itself. */
  static void check(InvokeRequest request) {
    language(request);
    gpu(request);
    Fields.text("source", request.getSource(), MAX_SOURCE);
    count("layers", request.getLayersCount(), MAX_LAYERS);
    count("arguments", request.getArgumentsCount(), MAX_ARGUMENTS);
    int arguments = request.getArgumentsList().stream().mapToInt(Fields::bytes).sum();
    range("arguments", arguments, 0, MAX_ARGUMENT_BYTES);
    request.getArgumentsList().forEach(argument -> Fields.text("arguments", argument));
    Variables.environment("env", request.getEnvMap());
    checkFiles(request.getFilesList());
    checkPreload(request);
    count("cases", request.getCasesCount(), MAX_CASES);
    limits(request);
  }

  private static void checkFiles(List<FunctionFile> files) {
    count("files", files.size(), MAX_FILES);
    int bytes = files.stream().mapToInt(file -> file.getData().size()).sum();
    range("files", bytes, 0, MAX_FILE_BYTES);
    for (FunctionFile file : files) {
      Fields.text("files.path", file.getPath(), MAX_PATH);
      for (String part : file.getPath().split("/", -1)) {
        Fields.matches("files.path", part, PART, "a relative path without . and ..");
      }
    }
  }

  private static void checkPreload(InvokeRequest request) {
    count("preload", request.getPreloadCount(), MAX_PRELOAD);
    if (request.getPreloadCount() > 0 && language(request) != Language.PYTHON) {
      throw invalid("preload", "only PYTHON imports modules ahead; leave it out");
    }
    request
        .getPreloadList()
        .forEach(module -> Fields.matches("preload", module, MODULE, "names of modules"));
  }

  private static void count(String field, int count, int most) {
    range(field, count, 0, most);
  }

  /** The call, of a request that was checked. */
  static FunctionCall read(InvokeRequest request, Stack stack) {
    Task task =
        new Task(
            language(request),
            request.getSource(),
            request.getArgumentsList(),
            request.getFilesList().stream().map(CallReader::file).toList(),
            request.getPreloadList(),
            gpu(request));
    return new FunctionCall(
        stack.layers(),
        stack.user(),
        environment(request, stack),
        task,
        cases(request.getCasesList()),
        limits(request));
  }

  private static Map<String, String> environment(InvokeRequest request, Stack stack) {
    Map<String, String> all = new HashMap<>(stack.published().env());
    all.putAll(request.getEnvMap());
    return all;
  }

  private static File file(FunctionFile file) {
    return new File(file.getPath(), bytes(file.getData()), file.getExecutable());
  }

  private static List<Case> cases(List<FunctionCase> cases) {
    if (cases.isEmpty()) {
      return List.of(new Case(NOTHING, Optional.empty()));
    }
    return cases.stream()
        .map(
            one ->
                new Case(
                    bytes(one.getStdin()),
                    one.hasExpected()
                        ? Optional.of(bytes(one.getExpected()))
                        : Optional.<ByteBuffer>empty()))
        .toList();
  }

  private static ByteBuffer bytes(ByteString data) {
    return data.asReadOnlyByteBuffer();
  }

  private static Limits limits(InvokeRequest request) {
    long memory = request.getMemoryBytes();
    int programs = Math.max(1, request.getCasesCount()) + 1;
    long output =
        rangeOr("output_cap_bytes", request.getOutputCapBytes(), 1, MAX_OUTPUT, USUAL_OUTPUT);
    return new Limits(
        time("timeout_millis", request.getTimeoutMillis(), 10_000),
        time("compile_timeout_millis", request.getCompileTimeoutMillis(), 30_000),
        rangeOr("memory_bytes", memory, MIN_MEMORY, MAX_BYTES, 0),
        (int) Math.min(output, ALL_OUTPUT / (2 * programs)),
        time("acquire_timeout_millis", request.getAcquireTimeoutMillis(), 30_000));
  }

  private static Duration time(String field, long asked, long otherwise) {
    return Duration.ofMillis(rangeOr(field, asked, 1, MAX_MILLIS, otherwise));
  }

  private static Language language(InvokeRequest request) {
    return switch (request.getLanguage()) {
      case FUNCTION_LANGUAGE_PYTHON -> Language.PYTHON;
      case FUNCTION_LANGUAGE_SHELL -> Language.SHELL;
      case FUNCTION_LANGUAGE_C -> Language.C;
      case FUNCTION_LANGUAGE_CPP -> Language.CPP;
      case FUNCTION_LANGUAGE_JAVA -> Language.JAVA;
      case FUNCTION_LANGUAGE_UNSPECIFIED, UNRECOGNIZED ->
          throw invalid("language", "it is missing or unknown; give PYTHON, SHELL, C, CPP or JAVA");
    };
  }

  private static Gpu gpu(InvokeRequest request) {
    return switch (request.getGpu()) {
      case FUNCTION_GPU_UNSPECIFIED -> Gpu.NONE;
      case FUNCTION_GPU_SHARED -> Gpu.SHARED;
      case FUNCTION_GPU_EXCLUSIVE -> Gpu.EXCLUSIVE;
      case UNRECOGNIZED -> throw invalid("gpu", "it is unknown; give SHARED or EXCLUSIVE");
    };
  }
}
