// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static dev.sandgate.node.checks.Fields.rangeOr;
import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.backends.OpenBackend;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.checks.Variables;
import dev.sandgate.node.config.Defaults;
import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.environments.Stack;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads what a create request asks for: every field checked, every default filled in. */
final class SpecReader {

  private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final long MIN_MEMORY = 16L << 20;
  private static final long MAX_BYTES = 1L << 50;
  private static final long MIN_DISK = 1L << 20;
  private static final long MAX_DISK = 1L << 43;
  private static final long MAX_INODES = 1L << 31;
  private static final long MAX_TIME = Duration.ofDays(7).toMillis();
  private static final Duration PAUSED_LIFETIME = Duration.ofMillis(MAX_TIME);
  private static final int MAX_LAYERS = 64;

  private final Backends backends;
  private final Environments environments;
  private final Defaults defaults;

  SpecReader(Backends backends, Environments environments, Defaults defaults) {
    this.backends = backends;
    this.environments = environments;
    this.defaults = defaults;
  }

  /**
   * What was asked for, understood.
   *
   * @param backend who makes it
   * @param stack its root file system
   * @param filled the request's spec with every default
   */
  record Wanted(OpenBackend backend, Stack stack, SandboxSpec filled) {

    Limits limits() {
      return filled.getLimits();
    }

    dev.sandgate.spi.SandboxSpec forBackend(String id) {
      Limits limits = limits();
      return new dev.sandgate.spi.SandboxSpec(
          id,
          stack.layers(),
          new ResourceLimits(
              limits.getCpuMillis(),
              limits.getMemoryBytes(),
              limits.getPids(),
              limits.getDiskBytes(),
              limits.getOpenFiles(),
              limits.getInodes()),
          filled.getQosClass() == dev.sandgate.proto.v1.QosClass.QOS_CLASS_LATENCY_SENSITIVE
              ? QosClass.LATENCY_SENSITIVE
              : QosClass.BEST_EFFORT,
          filled.getUser(),
          filled.getEnvMap(),
          filled.getHostname().isEmpty() ? id : filled.getHostname(),
          filled.getLabelsMap());
    }
  }

  Wanted read(SandboxSpec asked) {
    String name = asked.getBackend().isEmpty() ? "container" : asked.getBackend();
    OpenBackend backend = backends.require("backend", name);
    backend.requireNotUnavailable();
    Variables.environment("env", asked.getEnvMap());
    Fields.workingDirectory("cwd", asked.getCwd());
    Variables.labels("labels", asked.getLabelsMap());
    Fields.account("user", asked.getUser());
    checkHostname(asked.getHostname());
    checkNetwork(asked);
    checkCapabilities(asked, backend);
    Limits limits = limits(asked.getLimits());
    Stack stack = stack(asked, backend);
    SandboxSpec filled =
        asked.toBuilder()
            .setBackend(name)
            .setLimits(limits)
            .setQosClass(qosClass(asked))
            .setUser(asked.getUser().isEmpty() ? stack.user() : asked.getUser())
            .putAllEnv(environment(asked, stack))
            .setCwd(asked.getCwd().isEmpty() ? stack.published().cwd() : asked.getCwd())
            .setLifetimeMillis(
                time("lifetime_millis", asked.getLifetimeMillis(), defaults.lifetime()))
            .setLeaseMillis(time("lease_millis", asked.getLeaseMillis(), defaults.lease()))
            .setPausedLifetimeMillis(
                time("paused_lifetime_millis", asked.getPausedLifetimeMillis(), PAUSED_LIFETIME))
            .setIdlePauseMillis(
                time("idle_pause_millis", asked.getIdlePauseMillis(), Duration.ZERO))
            .setIdleTimeoutMillis(
                time("idle_timeout_millis", asked.getIdleTimeoutMillis(), defaults.idleTimeout()))
            .build();
    return new Wanted(backend, stack, filled);
  }

  private static void checkCapabilities(SandboxSpec asked, OpenBackend backend) {
    if (!asked.getLimits().equals(Limits.getDefaultInstance())) {
      backend.require(Capability.LIMITS);
    }
    if (asked.getQosClass() == dev.sandgate.proto.v1.QosClass.QOS_CLASS_LATENCY_SENSITIVE) {
      backend.require(Capability.CLASSES);
    }
    if (asked.getIdlePauseMillis() != 0) {
      backend.require(Capability.PAUSE);
    }
  }

  /** The environment's variables, unless the request has them. */
  private static Map<String, String> environment(SandboxSpec asked, Stack stack) {
    Map<String, String> all = new HashMap<>(stack.published().env());
    all.putAll(asked.getEnvMap());
    return Variables.environment("env", all);
  }

  private Limits limits(Limits asked) {
    ResourceLimits usual = defaults.limits();
    return Limits.newBuilder()
        .setCpuMillis(
            (int)
                rangeOr(
                    "limits.cpu_millis", asked.getCpuMillis(), 10, 1_000_000, usual.cpuMillis()))
        .setMemoryBytes(
            rangeOr(
                "limits.memory_bytes",
                asked.getMemoryBytes(),
                MIN_MEMORY,
                MAX_BYTES,
                usual.memoryBytes()))
        .setPids((int) rangeOr("limits.pids", asked.getPids(), 8, 1_000_000, usual.pids()))
        .setDiskBytes(
            rangeOr(
                "limits.disk_bytes", asked.getDiskBytes(), MIN_DISK, MAX_DISK, usual.diskBytes()))
        .setOpenFiles(
            (int)
                rangeOr(
                    "limits.open_files", asked.getOpenFiles(), 64, 1_048_576, usual.openFiles()))
        .setInodes(rangeOr("limits.inodes", asked.getInodes(), 16, MAX_INODES, usual.inodes()))
        .build();
  }

  private Stack stack(SandboxSpec asked, OpenBackend backend) {
    boolean layered = backend.backend().capabilities().contains(Capability.LAYERS);
    if (!layered) {
      if (!asked.getEnvironment().isEmpty() || asked.getLayersCount() > 0) {
        throw invalid(
            asked.getEnvironment().isEmpty() ? "layers" : "environment",
            "the backend " + backend.name() + " takes no environment; leave it out");
      }
      return Stack.NONE;
    }
    if (asked.getEnvironment().isEmpty()) {
      throw invalid("environment", "it is missing; give a name that Environments.List shows");
    }
    if (asked.getLayersCount() > MAX_LAYERS) {
      throw invalid(
          "layers",
          "%d are too many; give at most %d".formatted(asked.getLayersCount(), MAX_LAYERS));
    }
    boolean partial = backend.backend().capabilities().contains(Capability.PARTIAL_LAYERS);
    Stack stack =
        environments.resolve(
            asked.getEnvironment(),
            asked.getLayersList(),
            asked.getLabelsOrDefault("job", ""),
            partial);
    boolean further = asked.getLayersCount() > 0;
    Stack.requireRoom(
        stack.layers().size(),
        further ? "layers" : "environment",
        further ? "leave some out" : "export it and import it with a larger node.collapse-bytes");
    return stack;
  }

  /** A time limit in milliseconds, 0 for none. */
  static long time(String field, long askedMillis, Duration otherwise) {
    return rangeOr(field, askedMillis, 1, MAX_TIME, otherwise.toMillis());
  }

  private static dev.sandgate.proto.v1.QosClass qosClass(SandboxSpec asked) {
    return switch (asked.getQosClass()) {
      case QOS_CLASS_LATENCY_SENSITIVE ->
          dev.sandgate.proto.v1.QosClass.QOS_CLASS_LATENCY_SENSITIVE;
      case QOS_CLASS_UNSPECIFIED, QOS_CLASS_BEST_EFFORT ->
          dev.sandgate.proto.v1.QosClass.QOS_CLASS_BEST_EFFORT;
      case UNRECOGNIZED ->
          throw invalid(
              "qos_class", "unknown; give QOS_CLASS_LATENCY_SENSITIVE or QOS_CLASS_BEST_EFFORT");
    };
  }

  private static void checkHostname(String hostname) {
    if (!hostname.isEmpty()) {
      Fields.matches(
          "hostname",
          hostname,
          DNS_LABEL,
          "a DNS label: 1–63 characters of [a-z0-9-], no - at its ends");
    }
  }

  private static void checkNetwork(SandboxSpec asked) {
    if (asked.getNetwork().getAllowCount() > 0) {
      throw invalid(
          "network.allow",
          "%s is no rule set of this node; leave it empty for loopback only"
              .formatted(Fields.shown(asked.getNetwork().getAllow(0))));
    }
  }
}
