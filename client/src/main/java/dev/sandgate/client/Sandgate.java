// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.client.rpc.RpcChannel;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.ListNodesResponse;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.SandboxSpec;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The door to a Sandgate gateway: a few HTTP/2 connections, made when first needed. Safe for use by any number of threads.
 * {@link #create} and {@link #close} block; everything else gives a Uni or Multi and never does.
 */
public final class Sandgate implements AutoCloseable {

  private final @Nullable Vertx ownVertx;
  private final RpcChannel channel;
  private final Calls calls;
  private final ClientOptions options;

  private Sandgate(@Nullable Vertx ownVertx, Vertx vertx, ClientOptions options) {
    this.ownVertx = ownVertx;
    this.options = options;
    this.channel = RpcChannel.open(vertx, options.uri(), options.key(), options.connections());
    this.calls = new Calls(channel, options.callTimeout(), options.reconnectTimeout());
  }

  /**
   * Opens a client with event loops of its own, on daemon threads.
   *
   * @param uri the gateway: {@code http://host:port} or {@code https://host:port}
   * @param key the API key
   * @return the client, which the caller closes; whether the gateway answers is seen at the first call
   * @throws IllegalArgumentException when the address is none
   */
  public static Sandgate connect(String uri, String key) {
    return connect(ClientOptions.of(uri, key));
  }

  /**
   * Opens a client with event loops of its own, on daemon threads.
   *
   * @param options where and how to connect
   * @return the client, which the caller closes
   */
  public static Sandgate connect(ClientOptions options) {
    Vertx vertx =
        Vertx.vertx(
            new VertxOptions()
                .setUseDaemonThread(true)
                .setPreferNativeTransport(true)
                // It would tell users of a loaded machine that a thread waits for a processor.
                .setBlockedThreadCheckInterval(1)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.HOURS)
                .setEventLoopPoolSize(options.connections()));
    return new Sandgate(vertx, vertx, options);
  }

  /**
   * Opens a client on event loops that the caller owns.
   *
   * @param vertx whose event loops to use; it is not closed with the client
   * @param options where and how to connect
   * @return the client, which the caller closes
   */
  public static Sandgate connect(Vertx vertx, ClientOptions options) {
    return new Sandgate(null, vertx, options);
  }

  /**
   * Sandboxes: create, batch, get, list, delete.
   *
   * @return a view, cheap to make
   */
  public Sandboxes sandboxes() {
    return new Sandboxes(calls, options.reconnectTimeout());
  }

  /**
   * Calls that name many sandboxes: run, delete.
   *
   * @return a view, cheap to make
   */
  public Batches batches() {
    return new Batches(calls);
  }

  /**
   * Function calls: programs that need no sandbox of their own.
   *
   * @return a view, cheap to make
   */
  public Functions functions() {
    return new Functions(calls);
  }

  /**
   * Environments: import, list, remove.
   *
   * @return a view, cheap to make
   */
  public Environments environments() {
    return new Environments(calls);
  }

  /**
   * Snapshots: create, list, history, remove.
   *
   * @return a view, cheap to make
   */
  public Snapshots snapshots() {
    return new Snapshots(calls);
  }

  /**
   * Trajectories: what was done in sandboxes.
   *
   * @return a view, cheap to make
   */
  public Trajectories trajectories() {
    return new Trajectories(calls);
  }

  /**
   * Meters: what sandboxes used.
   *
   * @return a view, cheap to make
   */
  public Meters meters() {
    return new Meters(calls);
  }

  /**
   * The nodes and what their backends can do.
   *
   * @return all of them, unreachable ones marked
   */
  public Uni<List<Node>> nodes() {
    return calls
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .map(ListNodesResponse::getNodesList);
  }

  /**
   * Makes a sandbox of the default backend. Blocks; not to be called on an event loop.
   *
   * @param environment {@code name}, {@code name:tag} or {@code name@sha256:…}
   * @return its handle; closing it deletes the sandbox
   * @throws SandgateClientException as {@link Sandboxes#create}
   */
  public SandboxHandle create(String environment) {
    return Blocking.await(
        sandboxes().create(SandboxSpec.newBuilder().setEnvironment(environment).build()));
  }

  /** Closes the connections and waits until they are closed; running calls fail. Sandboxes live on. Blocks. */
  @Override
  public void close() {
    Vertx vertx = ownVertx;
    CompletionStage<Void> closed =
        channel
            .close()
            .eventually(
                () -> vertx == null ? io.vertx.core.Future.succeededFuture() : vertx.close())
            .toCompletionStage();
    Blocking.await(Uni.createFrom().completionStage(closed));
  }
}
