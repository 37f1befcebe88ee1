// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One stateless call. Validated by the node; a backend checks only what it alone can know.
 *
 * @param layers the root file system of the worker, lowest first
 * @param user who runs it, known inside, never empty; warm Python calls are run by nobody (65534) all the same
 * @param env added to the environment
 * @param task what to run
 * @param cases what to run it with, at least one, one after another
 * @param limits what it may use
 */
public record FunctionCall(
    List<Layer> layers,
    String user,
    Map<String, String> env,
    Task task,
    List<Case> cases,
    Limits limits) {

  /** Freezes the collections. */
  public FunctionCall {
    layers = List.copyOf(layers);
    env = Map.copyOf(env);
    cases = List.copyOf(cases);
  }

  /** What a source is written in, and so how it is run. */
  public enum Language {
    /** By a process that was forked from an interpreter with libraries imported. */
    PYTHON,
    /** By {@code /bin/sh}. */
    SHELL,
    /** Compiled with {@code cc}, then run. */
    C,
    /** Compiled with {@code c++}, then run. */
    CPP,
    /** Compiled with {@code javac}, then its class Main run. */
    JAVA
  }

  /** How a call uses a GPU. */
  public enum Gpu {
    /** Not at all. */
    NONE,
    /** Beside other calls. */
    SHARED,
    /** Alone. */
    EXCLUSIVE
  }

  /**
   * What to run.
   *
   * @param language of the source
   * @param source the program's text
   * @param arguments of the program
   * @param files laid into its working directory before it starts
   * @param preload Python modules that the worker has imported before the call came
   * @param gpu wanted while it runs; compilers never get one
   */
  public record Task(
      Language language,
      String source,
      List<String> arguments,
      List<File> files,
      List<String> preload,
      Gpu gpu) {

    /** Freezes the collections. */
    public Task {
      arguments = List.copyOf(arguments);
      files = List.copyOf(files);
      preload = List.copyOf(preload);
    }
  }

  /**
   * A file that the program needs.
   *
   * @param path relative, without {@code .} and {@code ..}
   * @param data its content, read-only
   * @param executable whether it may be executed
   */
  public record File(String path, ByteBuffer data, boolean executable) {}

  /**
   * One input, and what is expected of it.
   *
   * @param stdin all of standard input, read-only
   * @param expected what standard output must be but for white space at ends of lines and at the end; empty when nothing is
   *     compared
   */
  public record Case(ByteBuffer stdin, Optional<ByteBuffer> expected) {}

  /**
   * What a call may use.
   *
   * @param timeout of each case, by the clock
   * @param compileTimeout of the compiler
   * @param memoryBytes of the worker, 0 for the backend's default
   * @param outputBytes kept of each output of each case, its head
   * @param acquire how long to wait for a worker
   */
  public record Limits(
      Duration timeout,
      Duration compileTimeout,
      long memoryBytes,
      int outputBytes,
      Duration acquire) {}
}
