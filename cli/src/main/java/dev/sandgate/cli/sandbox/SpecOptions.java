// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.SandboxSpec;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a sandbox is to be, as options. */
final class SpecOptions {

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "container, fncall, microvm, fullvm or a plugin's. Default: container")
  private String backend = "";

  @Option(
      names = "--layer",
      paramLabel = "NAME",
      description = "A further layer on the environment; may be repeated.")
  private List<String> layers = List.of();

  @Option(names = "--cpu", paramLabel = "CORES", description = "For example 0.5")
  private @Nullable String cpu;

  @Option(names = "--memory", paramLabel = "SIZE", description = "For example 512m")
  private @Nullable String memory;

  @Option(
      names = "--disk",
      paramLabel = "SIZE",
      description = "What it may write, for example 2g; beyond that a write finds no space")
  private @Nullable String disk;

  @Option(
      names = "--inodes",
      paramLabel = "N",
      description = "How many files it may write; only with --disk. Default: one per 16 KiB")
  private @Nullable Integer inodes;

  @Option(names = "--pids", paramLabel = "N", description = "Processes and threads.")
  private @Nullable Integer pids;

  @Option(
      names = "--class",
      paramLabel = "CLASS",
      description = "latency-sensitive or best-effort. Default: best-effort")
  private @Nullable String qosClass;

  @Option(
      names = "--user",
      paramLabel = "USER[:GROUP]",
      description = "Who runs commands by default.")
  private String user = "";

  @Option(
      names = "--env",
      paramLabel = "K=V",
      description = "Added to the environment of every command; may be repeated.")
  private Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "A label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--hostname", paramLabel = "NAME", description = "Seen inside.")
  private String hostname = "";

  @Option(
      names = "--lifetime",
      paramLabel = "TIME",
      description = "How long it may live at all, for example 2h")
  private @Nullable String lifetime;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      description = "How long it may live without a renewal, for example 30m")
  private @Nullable String lease;

  @Option(
      names = "--idle",
      paramLabel = "TIME",
      description = "How long it may go unused, for example 10m")
  private @Nullable String idle;

  @Option(
      names = "--idle-pause",
      paramLabel = "TIME",
      description =
          "Pause it whenever it goes unused for so long, for example 1m; the next call wakes it")
  private @Nullable String idlePause;

  /** Whether it is the backend that needs an environment. */
  boolean takesTheDefaultBackend() {
    return backend.isEmpty() || backend.equals("container");
  }

  SandboxSpec spec(String environment) {
    SandboxSpec.Builder spec =
        SandboxSpec.newBuilder()
            .setEnvironment(environment)
            .setBackend(backend)
            .addAllLayers(layers)
            .setLimits(limits())
            .setQosClass(qos())
            .setUser(user)
            .putAllEnv(env)
            .putAllLabels(labels)
            .setHostname(hostname);
    if (lifetime != null) {
      spec.setLifetimeMillis(Sizes.time(lifetime).toMillis());
    }
    if (lease != null) {
      spec.setLeaseMillis(Sizes.time(lease).toMillis());
    }
    if (idle != null) {
      spec.setIdleTimeoutMillis(Sizes.time(idle).toMillis());
    }
    if (idlePause != null) {
      spec.setIdlePauseMillis(Sizes.time(idlePause).toMillis());
    }
    return spec.build();
  }

  private Limits limits() {
    Limits.Builder limits = Limits.newBuilder();
    if (pids != null) {
      limits.setPids(positive("--pids", pids));
    }
    if (cpu != null) {
      limits.setCpuMillis(millis(cpu));
    }
    if (memory != null) {
      limits.setMemoryBytes(Sizes.bytes(memory));
    }
    if (disk != null) {
      limits.setDiskBytes(Sizes.bytes(disk));
    }
    if (inodes != null) {
      limits.setInodes(positive("--inodes", inodes));
    }
    return limits.build();
  }

  // 0 would ask for the default.
  private static int positive(String option, int value) {
    if (value < 1) {
      throw CommandFailure.usage(option + ": at least 1, not " + value);
    }
    return value;
  }

  private static int millis(String cores) {
    try {
      return positive("--cpu", new BigDecimal(cores).movePointRight(3).intValueExact());
    } catch (ArithmeticException | NumberFormatException e) {
      throw CommandFailure.usage(
          "--cpu: 0.01 to 1000 cores in steps of 0.001, not '" + cores + "'");
    }
  }

  private QosClass qos() {
    if (qosClass == null) {
      return QosClass.QOS_CLASS_UNSPECIFIED;
    }
    return switch (qosClass.toLowerCase(Locale.ROOT)) {
      case "latency-sensitive", "ls" -> QosClass.QOS_CLASS_LATENCY_SENSITIVE;
      case "best-effort", "be" -> QosClass.QOS_CLASS_BEST_EFFORT;
      default ->
          throw CommandFailure.usage(
              "--class: '" + qosClass + "' is unknown, give latency-sensitive or best-effort");
    };
  }
}
