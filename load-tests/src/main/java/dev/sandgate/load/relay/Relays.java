// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.tool.Child;
import dev.sandgate.load.tool.Owned;
import dev.sandgate.load.tool.Ports;
import dev.sandgate.load.tool.Tools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The echo backend on CPU 1 with the load client, and every relay that could be had on CPU 0. */
final class Relays implements AutoCloseable {

  static final String OURS = "sandgate";
  static final List<String> OTHERS = List.of("haproxy", "nginx");

  private static final int WARMUP_ROUNDS = 1;
  private static final int MAX_HEATING_ROUNDS = 8;
  private static final double SETTLED = 0.05;
  private static final double SECONDS = 2.5;

  private final Owned owned = new Owned();
  private final List<RelayPeer> peers = new ArrayList<>();
  private final LoadArguments arguments;
  private final Tools tools;
  private final Path h2peer;

  private Relays(LoadArguments arguments) throws IOException, InterruptedException {
    this.arguments = arguments;
    this.tools = new Tools(arguments.directory());
    this.h2peer = tools.h2peer();
  }

  /** Starts all of them. */
  static Relays open(LoadArguments arguments, Findings findings) throws Exception {
    Relays relays = new Relays(arguments);
    try {
      relays.start(findings);
      return relays;
    } catch (Exception e) {
      relays.close();
      throw e;
    }
  }

  private void start(Findings findings) throws IOException, InterruptedException {
    int backend = Ports.free();
    List<String> serve = List.of(h2peer.toString(), "serve", Integer.toString(backend));
    owned.add(Child.pinned(EchoLoad.CPU, tools.log("h2peer"), serve)).await("ready");
    peers.add(owned.add(RelayPeer.sandgate(tools, backend)));
    add(RelayPeer.haproxy(tools, backend), "haproxy", findings);
    add(RelayPeer.nginx(tools, backend), "nginx", findings);
  }

  private void add(Optional<RelayPeer> peer, String name, Findings findings) throws IOException {
    if (peer.isPresent()) {
      peers.add(owned.add(peer.get()));
    } else {
      findings.note(name + ": not run, it cannot be installed here");
    }
  }

  /** How long one round is measured. */
  double seconds() {
    return arguments.duration().map(duration -> duration.toMillis() / 1e3).orElse(SECONDS);
  }

  /** Loads them in turn; each round gives one value. Every result is also handed on, with the relay's name. */
  Comparison compare(
      EchoLoad load,
      ToDoubleFunction<EchoLoad.Result> value,
      BiConsumer<String, EchoLoad.Result> seen)
      throws Exception {
    List<Subject> subjects = new ArrayList<>();
    for (RelayPeer peer : peers) {
      heat(load, peer);
      subjects.add(Subject.of(peer.name(), () -> round(load, peer, value, seen)));
    }
    Comparison.Plan plan = new Comparison.Plan(WARMUP_ROUNDS, arguments.rounds());
    return Comparison.alternate(plan, subjects, arguments.progress());
  }

  /** Those of these names that are here, in this order. */
  List<RelayPeer> of(String... names) {
    return Stream.of(names)
        .flatMap(name -> peers.stream().filter(peer -> peer.name().equals(name)))
        .toList();
  }

  /** Loads one of them with interactive and other streams. */
  MixedLoad.Result run(MixedLoad load, RelayPeer peer) throws IOException {
    return load.run(h2peer, peer, tools.directory());
  }

  /** Loads one of them with echoes. */
  EchoLoad.Result run(EchoLoad load, RelayPeer peer) throws IOException {
    return load.run(h2peer, peer, tools.log("h2peer"));
  }

  /** Loads one until the cost of a message falls no more: a JVM compiles while it runs. */
  void heat(EchoLoad load, RelayPeer peer) throws IOException {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < MAX_HEATING_ROUNDS; i++) {
      EchoLoad.Result result = run(load, peer);
      double cost = result.isEmpty() ? least : result.cpuMicros() / result.bytes();
      if (!result.isEmpty() && cost > least * (1 - SETTLED)) {
        return;
      }
      least = cost;
    }
  }

  private Samples round(
      EchoLoad load,
      RelayPeer peer,
      ToDoubleFunction<EchoLoad.Result> value,
      BiConsumer<String, EchoLoad.Result> seen)
      throws IOException {
    EchoLoad.Result result = run(load, peer);
    if (result.isEmpty()) {
      throw new IOException("nothing came back through " + peer.name() + " in a whole round");
    }
    seen.accept(peer.name(), result);
    return Samples.of(value.applyAsDouble(result));
  }

  @Override
  public void close() throws IOException {
    owned.close();
  }
}
