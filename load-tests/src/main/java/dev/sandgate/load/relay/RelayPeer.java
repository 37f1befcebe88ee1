// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.load.tool.Child;
import dev.sandgate.load.tool.Ports;
import dev.sandgate.load.tool.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A proxy between the load client and the echo backend, alone on CPU 0, in one process with one worker.
 *
 * @param name for the report
 * @param port where it listens
 * @param child its process
 */
record RelayPeer(String name, int port, Child child) implements AutoCloseable {

  static final int CPU = 0;

  private static final String HAPROXY =
      """
      global
        nbthread 1
        maxconn 4000
        tune.h2.max-concurrent-streams 200000
        tune.h2.initial-window-size 65535
      defaults
        mode http
        timeout client 60s
        timeout server 60s
        timeout connect 5s
      frontend f
        bind 127.0.0.1:@PORT@ proto h2
        default_backend b
      backend b
        server s 127.0.0.1:@BACKEND@ proto h2
      """;

  private static final String NGINX =
      """
      daemon off; master_process off; worker_processes 1; error_log stderr crit; pid @TEMP@/nginx.pid;
      events { worker_connections 10000; }
      http {
        access_log off; client_body_temp_path @TEMP@; proxy_temp_path @TEMP@; fastcgi_temp_path @TEMP@;
        uwsgi_temp_path @TEMP@; scgi_temp_path @TEMP@; keepalive_requests 10000000; client_max_body_size 0;
        http2_recv_buffer_size 256k;
        upstream b { server 127.0.0.1:@BACKEND@; keepalive 64; }
        server {
          listen 127.0.0.1:@PORT@ http2; http2_max_concurrent_streams 100000;
          location / { grpc_pass grpc://b; grpc_read_timeout 60s; grpc_send_timeout 60s; }
        }
      }
      """;

  /** HAProxy, one thread. */
  static Optional<RelayPeer> haproxy(Tools tools, int backend)
      throws IOException, InterruptedException {
    Optional<Path> program = tools.find("haproxy", "haproxy");
    return program.isEmpty()
        ? Optional.empty()
        : Optional.of(haproxy(tools, program.get().toString(), backend));
  }

  private static RelayPeer haproxy(Tools tools, String program, int backend) throws IOException {
    int port = Ports.free();
    Path config = tools.directory().resolve("haproxy.cfg");
    Files.writeString(config, filled(HAPROXY, tools, port, backend));
    return start(tools, "haproxy", port, List.of(program, "-db", "-f", config.toString()));
  }

  /** nginx with grpc_pass, one worker. */
  static Optional<RelayPeer> nginx(Tools tools, int backend)
      throws IOException, InterruptedException {
    Optional<Path> program = tools.find("nginx", "nginx-light");
    return program.isEmpty()
        ? Optional.empty()
        : Optional.of(nginx(tools, program.get().toString(), backend));
  }

  private static RelayPeer nginx(Tools tools, String program, int backend) throws IOException {
    int port = Ports.free();
    Path config = tools.directory().resolve("nginx.conf");
    Files.writeString(config, filled(NGINX, tools, port, backend));
    return start(tools, "nginx", port, List.of(program, "-c", config.toString()));
  }

  private static String filled(String template, Tools tools, int port, int backend) {
    return template
        .replace("@TEMP@", tools.directory().toString())
        .replace("@PORT@", Integer.toString(port))
        .replace("@BACKEND@", Integer.toString(backend));
  }

  /** Our gateway, one loop, in a JVM of its own. */
  static RelayPeer sandgate(Tools tools, int backend) throws IOException {
    int port = Ports.free();
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            GatewayProcess.class.getName(),
            Integer.toString(port),
            Integer.toString(backend));
    return start(tools, "sandgate", port, command);
  }

  private static RelayPeer start(Tools tools, String name, int port, List<String> command)
      throws IOException {
    RelayPeer peer = new RelayPeer(name, port, Child.pinned(CPU, tools.log(name), command));
    try {
      Ports.awaitListening(port, peer.child()::alive);
      return peer;
    } catch (IOException e) {
      peer.close();
      throw new IOException(name + " did not start, see " + tools.log(name), e);
    }
  }

  long pid() {
    return child.pid();
  }

  @Override
  public void close() {
    child.close();
  }
}
