// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.SandgateClientException;
import io.smallrye.mutiny.Multi;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is done to several sandboxes with one call, told one by one. */
abstract class Several extends Work {

  @Parameters(paramLabel = "SANDBOX", arity = "0..*", description = "Their ids.")
  private List<String> ids = List.of();

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "All with this label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  List<String> ids() {
    return ids;
  }

  Map<String, String> labels() {
    return labels;
  }

  /** Makes the call and tells each item; the worst exit code. That a label selects nothing is no success. */
  <I> int each(Multi<I> items, ToIntFunction<I> tell) {
    List<Integer> codes = items.map(tell::applyAsInt).collect().asList().await().indefinitely();
    if (codes.isEmpty()) {
      throw CommandFailure.failed("no sandbox that this would change has these labels");
    }
    return codes.stream().mapToInt(Integer::intValue).max().orElse(ExitCode.OK);
  }

  void requireSome() {
    if (ids.isEmpty() == labels.isEmpty()) {
      throw CommandFailure.usage("SANDBOX: give either ids or --label");
    }
  }

  int failed(SandgateClientException why) {
    return Failures.tell(why, spec().commandLine());
  }
}
