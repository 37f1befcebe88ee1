// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a caller is told of something that not all nodes did. */
final class NodeReport {

  private NodeReport() {}

  /**
   * What a removal gave: the answer of a node that did it. A node that had nothing to remove is no failure unless none had; any other
   * fails the call, which says of each node how it went.
   */
  static <A> A removed(List<Fleet.Answer<A>> answers) {
    Optional<CallFailed> first =
        answers.stream()
            .filter(answer -> !answer.succeeded() && !answer.failedWith(Code.NOT_FOUND))
            .map(answer -> answer.failure().getFirst())
            .findFirst();
    if (first.isEmpty()) {
      return EnvironmentCalls.requireSome(answers).getFirst().value().getFirst();
    }
    String all = answers.stream().map(NodeReport::of).collect(Collectors.joining(", "));
    throw answers.size() == 1 ? first.get() : with(first.get(), all + "; then remove it again");
  }

  private static String of(Fleet.Answer<?> answer) {
    String node = "node " + answer.member().nodeId();
    if (answer.succeeded()) {
      return node + " removed it";
    }
    return answer.failedWith(Code.NOT_FOUND)
        ? node + " has none"
        : node + ": " + answer.failure().getFirst().failure().detail().getCode();
  }

  /** Why an import failed on one of several nodes, and which have it by now. */
  static CallFailed notImported(CallFailed failure, String node, Collection<String> done) {
    String others = done.isEmpty() ? "no other has it" : "it is on " + String.join(", ", done);
    return with(failure, "this is node " + node + ", " + others + "; then import it again");
  }

  private static CallFailed with(CallFailed failure, String more) {
    Failure known = failure.failure();
    return new CallFailed(
        new Failure(known.status(), known.message() + " (" + more + ")", known.detail()));
  }
}
