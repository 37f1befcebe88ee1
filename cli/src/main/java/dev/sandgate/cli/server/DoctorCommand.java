// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Json;
import dev.sandgate.cli.terminal.Interruption;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.Backend;
import dev.sandgate.proto.v1.Finding;
import dev.sandgate.proto.v1.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what can run here and, where something cannot, why. */
@Command(
    name = "doctor",
    description = "Show what this host and its backends can do, and why not.",
    footer = {
      "",
      "Asks the gateway for its nodes; without one, opens the backends here for a moment.",
      "Ends with 1 when no backend is available."
    })
public final class DoctorCommand extends Work {

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "Where further backends lie as jars. Default: DATA/plugins")
  private @Nullable Path plugins;

  @Option(names = "--local", description = "Look at this host also when a gateway runs.")
  private boolean local;

  @Override
  public Integer call() throws IOException {
    return Interruption.ends(this::examine);
  }

  private int examine() throws IOException {
    List<Finding> host = HostFacts.examine(global().data());
    List<Node> nodes = local ? here() : nodes();
    Console console = console();
    if (console.json()) {
      console.json(Map.of("host", Json.of(host), "nodes", Json.of(nodes)));
    } else {
      show(console, host, nodes);
    }
    boolean any =
        nodes.stream()
            .flatMap(node -> node.getBackendsList().stream())
            .anyMatch(Backend::getAvailable);
    return any ? ExitCode.OK : ExitCode.FAILURE;
  }

  private List<Node> nodes() throws IOException {
    try (Sandgate sandgate = global().connect()) {
      return sandgate.nodes().await().indefinitely();
    } catch (SandgateClientException unreachable) {
      if (!unreachable.unreachable()) {
        throw unreachable;
      }
      return here();
    } catch (CommandFailure noKey) {
      return here();
    }
  }

  private List<Node> here() throws IOException {
    Path jars = plugins != null ? plugins : global().data().resolve("plugins");
    return List.of(LocalBackends.probe(Optional.of(jars)));
  }

  private static void show(Console console, List<Finding> host, List<Node> nodes) {
    List<List<String>> rows = new ArrayList<>();
    host.forEach(finding -> rows.add(row(console, "host", finding)));
    List<List<String>> backends = new ArrayList<>();
    for (Node node : nodes) {
      for (Backend backend : node.getBackendsList()) {
        backends.add(row(console, node, backend));
        backend
            .getFindingsList()
            .forEach(finding -> rows.add(row(console, backend.getName(), finding)));
      }
      if (!node.getReachable()) {
        backends.add(List.of(node.getNodeId(), "-", "-", console.bad("unreachable"), ""));
      }
    }
    console.table(List.of("OF", "SUBJECT", "STATE", "DETAIL"), rows);
    console.line("");
    console.table(
        List.of("NODE", "BACKEND", "ISOLATION", "STATE", "WHY, OR WHAT IT CAN"), backends);
  }

  private static List<String> row(Console console, String of, Finding finding) {
    return List.of(of, finding.getSubject(), state(console, finding), finding.getDetail());
  }

  private static String state(Console console, Finding finding) {
    if (finding.getAvailable()) {
      return console.good("available");
    }
    return finding.getRequired() ? console.bad("unavailable") : "unavailable (optional)";
  }

  private static List<String> row(Console console, Node node, Backend backend) {
    String can = String.join(" ", backend.getCapabilitiesList());
    return List.of(
        node.getNodeId(),
        backend.getName(),
        backend.getIsolation(),
        backend.getAvailable() ? console.good("available") : console.bad("unavailable"),
        backend.getAvailable() ? can : backend.getReason());
  }
}
