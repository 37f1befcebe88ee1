// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.ramp;

import dev.sandgate.client.SandgateClientException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** What the sessions did since the last look. Any thread. */
final class Tally {

  private static final int DIGITS = 3;
  private static final int REASONS_MOST = 50;

  private final Recorder creates = new Recorder(DIGITS);
  private final Recorder commands = new Recorder(DIGITS);
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();

  /**
   * Between two looks.
   *
   * @param creates that succeeded, microseconds
   * @param commands that succeeded, microseconds
   * @param failures how often, by reason
   */
  record Seen(Histogram creates, Histogram commands, Map<String, Integer> failures) {

    long succeeded() {
      return creates.getTotalCount() + commands.getTotalCount();
    }

    long failed() {
      return failures.values().stream().mapToLong(Integer::longValue).sum();
    }

    /** Of all that was tried, from 0 to 1. */
    double failureShare() {
      long tried = succeeded() + failed();
      return tried == 0 ? 0 : (double) failed() / tried;
    }
  }

  void created(long sinceNanos) {
    creates.recordValue(micros(sinceNanos));
  }

  void commanded(long sinceNanos) {
    commands.recordValue(micros(sinceNanos));
  }

  private static long micros(long sinceNanos) {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sinceNanos);
  }

  /** Something was refused, failed, or took too long. */
  void failed(String doing, Throwable why) {
    String reason = doing + ": " + reason(why);
    String kept = failures.size() < REASONS_MOST ? reason : "other";
    failures.merge(failures.containsKey(reason) ? reason : kept, 1, Integer::sum);
  }

  private static String reason(Throwable why) {
    return switch (why) {
      case SandgateClientException typed -> typed.code() + " " + typed.field();
      case io.smallrye.mutiny.TimeoutException _ -> "took too long";
      default -> String.valueOf(why.getMessage());
    };
  }

  /** What came since the last look; begins anew. */
  Seen look() {
    Map<String, Integer> failed = Map.copyOf(failures);
    failed.forEach(
        (reason, count) ->
            failures.computeIfPresent(reason, (_, all) -> all.equals(count) ? null : all - count));
    return new Seen(creates.getIntervalHistogram(), commands.getIntervalHistogram(), failed);
  }
}
