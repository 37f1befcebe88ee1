// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.GatewayConfig;
import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.node.Node;
import dev.sandgate.node.NodeConfig;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.config.Defaults;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway and a node, or one of them, in this process on one Vert.x. Start and close block. Closing drains the gateway;
 * sandboxes live on and come back with the next start.
 */
public final class Server implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Server.class);
  private static final String LOCK = "server.lock";
  private static final long CLOSE_SECONDS = 10;

  private final ServerConfig config;
  private final FileChannel lock;
  private final String key;
  private final String token;
  private @Nullable Vertx vertx;
  private @Nullable Node node;
  private volatile @Nullable Gateway gateway;

  private Server(ServerConfig config, FileChannel lock) throws IOException {
    this.config = config;
    this.lock = lock;
    this.key = Secrets.inFile(config.data().resolve("admin.key"), "sgk_");
    this.token = Secrets.inFile(config.data().resolve("node.token"), "sgn_");
  }

  /** Starts what the configuration names; returns when it listens. */
  public static Server start(ServerConfig config) throws IOException {
    Server server = new Server(config, lock(config.data()));
    try {
      ServerConfig.NodePart part = config.node();
      if (part != null) {
        DataDirectory.check(config.data(), part.settings());
      }
      server.open();
      return server;
    } catch (IOException failure) {
      server.close();
      throw failure;
    } catch (RuntimeException failure) {
      server.close();
      throw explained(failure, config);
    }
  }

  private static FileChannel lock(Path data) throws IOException {
    if (!Files.isDirectory(data)) {
      Files.createDirectories(data);
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
    }
    FileChannel channel =
        FileChannel.open(data.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!locked(channel)) {
      channel.close();
      throw CommandFailure.failed(
          "--data: " + data + " is in use by another sandgate; stop it, or give another directory");
    }
    return channel;
  }

  // The lock lives as long as the channel.
  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock held = channel.tryLock();
      return held != null;
    } catch (OverlappingFileLockException sameProcess) {
      return false;
    }
  }

  private void open() {
    Vertx loops =
        Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setUseDaemonThread(true));
    vertx = loops;
    HostPort listen = config.gateway();
    if (listen != null) {
      checkFree(listen);
    }
    List<NodeAddress> nodes = new ArrayList<>();
    config.remoteNodes().forEach(remote -> nodes.add(remote.with(token)));
    ServerConfig.NodePart part = config.node();
    if (part != null) {
      Node started = Node.start(loops, nodeConfig(part));
      node = started;
      nodes.add(
          new NodeAddress(part.nodeId(), reachable(part.listen().host()), started.port(), token));
    }
    if (listen != null) {
      int cores = Runtime.getRuntime().availableProcessors();
      Map<String, String> keys = Map.of("admin", Secrets.hash(key));
      gateway =
          Gateway.start(loops, GatewayConfig.of(listen.host(), listen.port(), cores, nodes, keys));
    }
  }

  // Before anything is started: a spawner, sandboxes that are taken back.
  private static void checkFree(HostPort listen) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(listen.host(), listen.port()));
    } catch (IOException e) {
      throw CommandFailure.failed(
          "--listen: cannot listen on "
              + listen
              + ": "
              + e.getMessage()
              + "; give another HOST:PORT");
    }
  }

  private static String reachable(String host) {
    return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
  }

  private NodeConfig nodeConfig(ServerConfig.NodePart part) {
    return new NodeConfig(
        part.nodeId(),
        part.listen().host(),
        part.listen().port(),
        config.data().resolve("node"),
        part.plugins(),
        token,
        defaults(part.settings()),
        Capacity.STANDARD,
        part.settings());
  }

  private static Defaults defaults(Map<String, String> settings) {
    Defaults usual = Defaults.STANDARD;
    return new Defaults(
        usual.limits(),
        time(settings, "node.lifetime", usual.lifetime()),
        time(settings, "node.lease", usual.lease()),
        time(settings, "node.idle-timeout", usual.idleTimeout()));
  }

  private static Duration time(Map<String, String> settings, String key, Duration usual) {
    String text = settings.get(key);
    try {
      return text == null ? usual : Sizes.time(text);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(key + ": " + e.getMessage() + "; 0s is for ever");
    }
  }

  private static RuntimeException explained(RuntimeException failure, ServerConfig config) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return CommandFailure.failed(
            "--listen: cannot listen on "
                + config.gateway()
                + ": "
                + cause.getMessage()
                + "; give another HOST:PORT");
      }
    }
    return failure;
  }

  /** The gateway's address for clients; there must be a gateway. */
  public String url() {
    HostPort listen = Objects.requireNonNull(config.gateway());
    return "http://"
        + new HostPort(reachable(listen.host()), Objects.requireNonNull(gateway).port());
  }

  /** The port of the node; there must be one. */
  public int nodePort() {
    return Objects.requireNonNull(node).port();
  }

  /** The administrator's key. */
  public String key() {
    return key;
  }

  /** Waits no longer for streams to end when it closes. Never blocks. */
  public void hurry() {
    Gateway draining = gateway;
    if (draining != null) {
      draining.hurry();
    }
  }

  /** Drains and stops, gateway first; every step is tried. */
  @Override
  public void close() {
    try (FileChannel _ = lock) {
      closeParts();
    } catch (IOException e) {
      throw new IllegalStateException("the lock on " + config.data() + " cannot be given back", e);
    }
  }

  /** Its threads are daemons, so that one that does not end keeps nobody. */
  private static void closeLoops(Vertx loops) {
    try {
      loops.close().toCompletionStage().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the event loops did not end within {} s", CLOSE_SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the event loops did not end well", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeParts() {
    try {
      if (gateway != null) {
        gateway.close();
      }
    } finally {
      try {
        if (node != null) {
          node.close();
        }
      } finally {
        if (vertx != null) {
          closeLoops(vertx);
        }
      }
    }
  }
}
