// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.service.Fleet.Answer;
import dev.sandgate.gateway.service.Fleet.Member;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.CollectSharedResponse;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Removes from the shared storage what nothing needs. Every node is asked first what it needs, and one that does not answer ends
 * it; then one node for each storage removes the rest.
 *
 * @param fleet the nodes
 */
record SharedCollection(Fleet fleet) {

  private static final long MOST_MILLIS = Duration.ofHours(1).toMillis();

  Future<CollectSharedResponse> collect(CollectSharedRequest request, Caller caller) {
    CollectSharedRequest question = request.toBuilder().setRemove(false).build();
    return ask(fleet.all(), question, caller)
        .compose(
            answers -> {
              List<Answer<CollectSharedResponse>> sharing = sharing(answers);
              Set<String> needed = new TreeSet<>(request.getNeededList());
              sharing.forEach(answer -> needed.addAll(answer.value().getFirst().getNeededList()));
              CollectSharedRequest order =
                  request.toBuilder().clearNeeded().addAllNeeded(needed).build();
              return ask(List.copyOf(onePerPlace(sharing)), order, caller);
            })
        .map(SharedCollection::together);
  }

  /** Those that share layers; a node that says nothing may need anything. */
  private static List<Answer<CollectSharedResponse>> sharing(
      List<Answer<CollectSharedResponse>> answers) {
    List<Answer<CollectSharedResponse>> sharing = new ArrayList<>();
    for (Answer<CollectSharedResponse> answer : answers) {
      if (answer.succeeded()) {
        sharing.add(answer);
      } else if (!answer.failedWith(Code.FAILED_PRECONDITION)) {
        throw answer.failure().getFirst();
      }
    }
    EnvironmentCalls.requireSome(answers);
    return sharing;
  }

  private static Collection<Member> onePerPlace(List<Answer<CollectSharedResponse>> sharing) {
    Map<String, Member> members = new TreeMap<>();
    sharing.forEach(
        answer -> members.putIfAbsent(answer.value().getFirst().getPlace(), answer.member()));
    return members.values();
  }

  private static CollectSharedResponse together(List<Answer<CollectSharedResponse>> answers) {
    CollectSharedResponse.Builder all = CollectSharedResponse.newBuilder();
    List<String> places = new ArrayList<>();
    for (Answer<CollectSharedResponse> answer : answers) {
      if (!answer.succeeded()) {
        throw answer.failure().getFirst();
      }
      places.add(answer.value().getFirst().getPlace());
      all.addAllLayers(answer.value().getFirst().getLayersList());
    }
    return all.setPlace(String.join(", ", places)).build();
  }

  private static Future<List<Answer<CollectSharedResponse>>> ask(
      List<Member> nodes, CollectSharedRequest request, Caller caller) {
    return Fleet.askAll(
        nodes,
        EnvironmentsGrpcClient.CollectShared,
        _ -> request,
        new Fleet.Asking(caller, MOST_MILLIS));
  }
}
