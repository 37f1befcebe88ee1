// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.Timestamp;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.UseStatistics;
import dev.sandgate.proto.v1.WeekOfUse;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The use of one environment on two nodes, together. */
final class MergedUses {

  private MergedUses() {}

  /** Two nodes' views of the same content under the same name. */
  static Environment together(Environment one, Environment other) {
    Environment.Builder both =
        one.toBuilder()
            .setSandboxes(one.getSandboxes() + other.getSandboxes())
            .setUses(together(one.getUses(), other.getUses()));
    if (other.hasAccessedFraction()) {
      both.setAccessedFraction(Math.max(one.getAccessedFraction(), other.getAccessedFraction()));
    }
    Map<String, LayerInfo> layers =
        other.getLayersList().stream()
            .collect(Collectors.toMap(LayerInfo::getDigest, Function.identity(), (a, _) -> a));
    for (LayerInfo.Builder layer : both.getLayersBuilderList()) {
      merge(layer, layers.getOrDefault(layer.getDigest(), LayerInfo.getDefaultInstance()));
    }
    return both.build();
  }

  private static void merge(LayerInfo.Builder layer, LayerInfo there) {
    layer.setUses(together(layer.getUses(), there.getUses()));
    if (there.hasAccessedFraction()) {
      layer.setAccessedFraction(Math.max(layer.getAccessedFraction(), there.getAccessedFraction()));
    }
  }

  /** A job may be on both nodes: the larger number of jobs is right at least. */
  private static UseStatistics together(UseStatistics one, UseStatistics other) {
    UseStatistics.Builder both =
        UseStatistics.newBuilder()
            .setCreated(one.getCreated() + other.getCreated())
            .setLiving(one.getLiving() + other.getLiving())
            .setJobs(Math.max(one.getJobs(), other.getJobs()));
    if (both.getJobs() > 0) {
      both.setSandboxesPerJob((inJobs(one) + inJobs(other)) / both.getJobs());
    }
    if (both.getCreated() > 0) {
      both.setFirstUsedAt(first(one, other)).setLastUsedAt(last(one, other));
    }
    TreeMap<Long, WeekOfUse> weeks = new TreeMap<>(Comparator.reverseOrder());
    one.getWeeksList().forEach(week -> add(weeks, week));
    other.getWeeksList().forEach(week -> add(weeks, week));
    return both.addAllWeeks(weeks.values()).build();
  }

  private static double inJobs(UseStatistics uses) {
    return uses.getSandboxesPerJob() * uses.getJobs();
  }

  private static void add(Map<Long, WeekOfUse> weeks, WeekOfUse week) {
    weeks.merge(
        week.getBeginsAt().getSeconds(),
        week,
        (a, b) -> a.toBuilder().setCreated(a.getCreated() + b.getCreated()).build());
  }

  private static Timestamp first(UseStatistics one, UseStatistics other) {
    if (!one.hasFirstUsedAt() || !other.hasFirstUsedAt()) {
      return one.hasFirstUsedAt() ? one.getFirstUsedAt() : other.getFirstUsedAt();
    }
    return before(one.getFirstUsedAt(), other.getFirstUsedAt())
        ? one.getFirstUsedAt()
        : other.getFirstUsedAt();
  }

  private static Timestamp last(UseStatistics one, UseStatistics other) {
    return before(one.getLastUsedAt(), other.getLastUsedAt())
        ? other.getLastUsedAt()
        : one.getLastUsedAt();
  }

  private static boolean before(Timestamp one, Timestamp other) {
    return one.getSeconds() != other.getSeconds()
        ? one.getSeconds() < other.getSeconds()
        : one.getNanos() < other.getNanos();
  }
}
