// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.node.Node;
import dev.sandgate.node.NodeConfig;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.config.Defaults;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A node with the container backend in a process of its own, so that it can be killed. */
public final class NodeProcess implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final Process process;
  private final Rpc rpc;

  private NodeProcess(Process process) throws IOException {
    this.process = process;
    BufferedReader out = process.inputReader();
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the node did not start, see its stderr");
    }
    this.rpc = new Rpc(vertx, Integer.parseInt(line), TestNode.TOKEN);
  }

  /**
   * Where it keeps what.
   *
   * @param data the node's data directory
   * @param run the spawner's directory
   * @param cgroup the name of its cgroups
   */
  public record Places(Path data, Path run, String cgroup) {

    /** Of one test, which its mark tells from others. */
    public static Places of(String mark) throws IOException {
      String name = "sgt-" + mark;
      return new Places(Files.createTempDirectory("sandgate-crash-"), Path.of("/run", name), name);
    }
  }

  /** Starts one that makes nothing ahead; returns when what lived is taken back. */
  public static NodeProcess start(Places places, String fault) throws IOException {
    return start(places, fault, 0);
  }

  /** Starts one that keeps so many blanks made ahead. */
  public static NodeProcess start(Places places, String fault, int blanks) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dsandgate.native=" + System.getProperty("sandgate.native"),
            "-Ddev.sandgate.fault=" + fault,
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            NodeProcess.class.getName(),
            places.data().toString(),
            places.run().toString(),
            places.cgroup(),
            Integer.toString(blanks));
    return new NodeProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** The process's own main: prints its port and runs until its stdin ends. */
  public static void main(String[] arguments) throws IOException {
    NodeConfig config =
        new NodeConfig(
            "n1",
            "127.0.0.1",
            0,
            Path.of(arguments[0]),
            Optional.empty(),
            TestNode.TOKEN,
            Defaults.STANDARD,
            Capacity.STANDARD,
            Map.of(
                "backend.memory.enabled",
                "false",
                "backend.fncall.enabled",
                "false",
                "backend.container.run",
                arguments[1],
                "backend.container.cgroup-name",
                arguments[2],
                "backend.container.pool.min",
                arguments[3],
                "backend.container.pool.max",
                arguments[3]));
    Node node = Node.start(Vertx.vertx(), config);
    node.adopted().join();
    System.out.println(node.port());
    while (System.in.read() >= 0) {
      // Nothing is sent: the end counts.
    }
    node.close();
    System.exit(0);
  }

  /** A client. */
  public Rpc rpc() {
    return rpc;
  }

  /** Kills it without a warning. */
  public void kill() {
    process.destroyForcibly();
    ended();
  }

  /** Waits for its end; gives its exit code. */
  public int ended() {
    try {
      if (!process.waitFor(Rpc.PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the node lives on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return process.exitValue();
  }

  @Override
  public void close() throws IOException {
    rpc.close();
    try {
      if (process.isAlive()) {
        Objects.requireNonNull(process.getOutputStream()).close();
        ended();
      }
    } finally {
      process.destroyForcibly();
      Rpc.await(vertx.close().toCompletionStage().toCompletableFuture());
    }
  }
}
