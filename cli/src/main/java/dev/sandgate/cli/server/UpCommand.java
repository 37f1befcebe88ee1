// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.terminal.Signals;
import dev.sandgate.node.config.KnownSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a gateway and a node until it is told to stop. */
@Command(
    name = "up",
    description = "Run a gateway and a node in one process, on loopback unless told otherwise.",
    footer = {
      "",
      "The first start makes an admin key in the data directory. SIGTERM or Ctrl-C drains and",
      "ends with 0; sandboxes live on and come back with the next start.",
      "",
      "Apart: 'up --node-only --node-listen HOST:PORT' on each host, 'up --gateway-only --node",
      "ID=HOST:PORT' in front; all data directories hold the same node.token."
    })
public final class UpCommand extends Work {

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "The gateway's address. Default: 127.0.0.1:7070")
  private String listen = "127.0.0.1:7070";

  @Option(
      names = "--node-listen",
      paramLabel = "HOST:PORT",
      description = "The node's address. Default: 127.0.0.1:0, any free port")
  private String nodeListen = "127.0.0.1:0";

  @Option(names = "--node-port", paramLabel = "PORT", description = "The node's port on loopback.")
  private @Nullable Integer nodePort;

  @Option(
      names = "--node-id",
      paramLabel = "ID",
      description = "1-20 characters of [a-z0-9], part of every sandbox id. Default: local")
  private String nodeId = "local";

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "Where further backends lie as jars. Default: DATA/plugins")
  private @Nullable Path plugins;

  @Option(names = "--gateway-only", description = "No node in this process.")
  private boolean gatewayOnly;

  @Option(names = "--node-only", description = "No gateway in this process.")
  private boolean nodeOnly;

  @Option(
      names = "--node",
      paramLabel = "ID=HOST:PORT",
      description = "A node of another process; may be repeated.")
  private Map<String, String> nodes = new LinkedHashMap<>();

  @Option(
      names = "--set",
      paramLabel = "K=V",
      description = {
        "A backend's setting, backend.NAME.KEY=VALUE, or what sandboxes get that ask for nothing:",
        "node.idle-timeout, node.lease, node.lifetime (0s: for ever); or how the node records",
        "and keeps: node.collapse-bytes, node.disk-reserve-bytes, node.journal, node.keep-replaced-seconds,",
        "node.spool-bytes, node.trajectory-bytes, node.trajectory-hours; or how environments come and leave:",
        "node.exports-at-once, node.imports-at-once, node.transfer-stall-ms; or when it takes no further sandbox:",
        "node.cpu-overcommit, node.memory-overcommit (ratios), node.memory-reserve-bytes, node.max-cpu-pressure,",
        "node.max-io-pressure, node.max-memory-pressure (percent of time that tasks wait);",
        "or where the memory of paused sandboxes goes: node.swap (zram:BYTES, file:BYTES);",
        "or the layers it shares with other nodes: node.shared-layers (a directory, or oci://HOST/NAME),",
        "node.shared-layers-auth, node.shared-layers-pull (on, off), node.shared-layers-local-bytes,",
        "node.shared-layers-timeout-ms."
      })
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings as a properties file; --set goes before it.")
  private @Nullable Path configFile;

  @Override
  public Integer call() throws IOException {
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopNow = new CountDownLatch(2);
    Runnable heard =
        () -> {
          stop.countDown();
          stopNow.countDown();
        };
    Signals.on("TERM", heard);
    Signals.on("INT", heard);
    try (Server server = Server.start(config())) {
      tell(console(), server);
      stop.await();
      console()
          .note(
              "sandgate: stopping; sandboxes live on and come back with the next start."
                  + " What streams has 30 s to end; a second signal ends it now");
      hurryOn(stopNow, server);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }

  private static void hurryOn(CountDownLatch stopNow, Server server) {
    Thread.ofVirtual()
        .name("second signal")
        .start(
            () -> {
              try {
                stopNow.await();
                server.hurry();
              } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private ServerConfig config() throws IOException {
    if (gatewayOnly && nodeOnly) {
      throw CommandFailure.usage("--gateway-only: goes not with --node-only");
    }
    if (gatewayOnly && nodes.isEmpty()) {
      throw CommandFailure.usage("--node: a gateway needs nodes: give --node ID=HOST:PORT");
    }
    Path data = global().data();
    Map<String, String> all = allSettings();
    Optional<Path> jars = Optional.of(plugins != null ? plugins : data.resolve("plugins"));
    String own = nodePort == null ? nodeListen : "127.0.0.1:" + nodePort;
    ServerConfig.NodePart node =
        gatewayOnly
            ? null
            : new ServerConfig.NodePart(nodeId, HostPort.parse("--node-listen", own), jars, all);
    List<ServerConfig.RemoteNode> remote = new ArrayList<>();
    nodes.forEach(
        (id, address) ->
            remote.add(new ServerConfig.RemoteNode(id, HostPort.parse("--node", address))));
    HostPort gateway = nodeOnly ? null : HostPort.parse("--listen", listen);
    return new ServerConfig(data, gateway, node, remote);
  }

  private Map<String, String> allSettings() throws IOException {
    Map<String, String> all = new LinkedHashMap<>();
    if (configFile != null) {
      Properties file = new Properties();
      try (Reader reader = Files.newBufferedReader(configFile, StandardCharsets.UTF_8)) {
        file.load(reader);
      }
      file.stringPropertyNames().forEach(name -> all.put(name, file.getProperty(name)));
    }
    all.putAll(settings);
    KnownSettings.check(all.keySet());
    return all;
  }

  private void tell(Console console, Server server) {
    Path keyFile = global().data().resolve("admin.key");
    if (console.json()) {
      Map<String, Object> facts = new LinkedHashMap<>();
      if (!nodeOnly) {
        facts.put("url", server.url());
        facts.put("key_file", keyFile.toString());
      }
      if (!gatewayOnly) {
        facts.put("node_port", server.nodePort());
      }
      console.json(facts);
    } else if (nodeOnly) {
      console.line("sandgate node " + nodeId + " is up on port " + server.nodePort());
    } else {
      guide(console, server, keyFile);
    }
  }

  private static void guide(Console console, Server server, Path keyFile) {
    console.line(console.bold("sandgate is up at " + server.url()));
    console.line("  admin key   " + keyFile);
    console.line("  first       sandgate env import busybox --builtin busybox");
    console.line("  then        id=$(sandgate create busybox)");
    console.line("              sandgate exec $id -- echo hello world");
    console.line("  stop        Ctrl-C or SIGTERM");
  }
}
