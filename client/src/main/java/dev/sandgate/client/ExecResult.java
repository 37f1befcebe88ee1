// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.ExecOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * How a command ended. A non-zero exit code is a result, not an error; an unknown outcome never becomes a result.
 *
 * @param message the platform's answer with every figure
 */
public record ExecResult(dev.sandgate.proto.v1.ExecResult message) {

  /** Refuses an outcome that is not known. */
  public ExecResult {
    if (!known(message)) {
      throw SandgateClientException.unknownOutcome(
          "how exec "
              + message.getExecId()
              + " ended is not known"
              + (message.getKillReason().isEmpty() ? "" : ", killed: " + message.getKillReason())
              + "; it is not run again",
          null);
    }
  }

  static boolean known(dev.sandgate.proto.v1.ExecResult message) {
    return message.getOutcome() == ExecOutcome.EXEC_OUTCOME_EXITED
        || message.getOutcome() == ExecOutcome.EXEC_OUTCOME_SIGNALLED;
  }

  /**
   * The exit code.
   *
   * @return 0–255; 128 + signal when a signal ended it
   */
  public int exitCode() {
    return message.getExitCode();
  }

  /**
   * Whether it exited by itself with 0.
   *
   * @return true for success
   */
  public boolean ok() {
    return message.getOutcome() == ExecOutcome.EXEC_OUTCOME_EXITED && message.getExitCode() == 0;
  }

  /**
   * The signal that ended it.
   *
   * @return its number, or 0
   */
  public int signal() {
    return message.getSignal();
  }

  /**
   * Whether the platform killed it, and why.
   *
   * @return COMMAND_TIMEOUT, CALLER, SANDBOX_DELETED, SANDBOX_LOST, or empty
   */
  public String killReason() {
    return message.getKillReason();
  }

  /**
   * Whether its timeout ended it.
   *
   * @return true when killed for the command's timeout
   */
  public boolean timedOut() {
    return killReason().equals("COMMAND_TIMEOUT");
  }

  /**
   * What it wrote to stdout, when it was run to its end with {@code run}; up to 4 MiB.
   *
   * @return the bytes, a copy
   */
  public byte[] stdout() {
    return message.getStdout().toByteArray();
  }

  /**
   * What it wrote to stderr, when it was run to its end with {@code run}; up to 4 MiB.
   *
   * @return the bytes, a copy
   */
  public byte[] stderr() {
    return message.getStderr().toByteArray();
  }

  /**
   * Stdout as UTF-8; what is not UTF-8 becomes a replacement character.
   *
   * @return the text
   */
  public String stdoutText() {
    return message.getStdout().toString(StandardCharsets.UTF_8);
  }

  /**
   * Stderr as UTF-8; what is not UTF-8 becomes a replacement character.
   *
   * @return the text
   */
  public String stderrText() {
    return message.getStderr().toString(StandardCharsets.UTF_8);
  }

  /**
   * Whether part of the output is missing.
   *
   * @return true when it wrote more than was kept
   */
  public boolean truncated() {
    return message.getTruncatedCount() > 0;
  }

  /**
   * The time from start to exit.
   *
   * @return wall time
   */
  public Duration wallTime() {
    return Duration.ofNanos(message.getWallMicros() * 1_000);
  }

  /**
   * User and system time of the whole process tree.
   *
   * @return CPU time
   */
  public Duration cpuTime() {
    return Duration.ofNanos(message.getCpuMicros() * 1_000);
  }

  /**
   * What the process tree fetched from storage, as far as it ended before the command did.
   *
   * @return bytes; empty when nobody counted them
   */
  public OptionalLong storageReadBytes() {
    return message.hasStorageReadBytes()
        ? OptionalLong.of(message.getStorageReadBytes())
        : OptionalLong.empty();
  }

  /**
   * What the process tree wrote to files that belong on storage, as far as it ended before the command did.
   *
   * @return bytes; empty when nobody counted them
   */
  public OptionalLong storageWrittenBytes() {
    return message.hasStorageWrittenBytes()
        ? OptionalLong.of(message.getStorageWrittenBytes())
        : OptionalLong.empty();
  }
}
