// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.proto.http2.StreamFaults;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.FilesGrpcService;
import dev.sandgate.proto.v1.FunctionsGrpcService;
import dev.sandgate.proto.v1.MetersGrpcService;
import dev.sandgate.proto.v1.NodesGrpcService;
import dev.sandgate.proto.v1.PortsGrpcService;
import dev.sandgate.proto.v1.SandboxesGrpcService;
import dev.sandgate.proto.v1.SessionsGrpcService;
import dev.sandgate.proto.v1.SnapshotsGrpcService;
import dev.sandgate.proto.v1.TrajectoriesGrpcService;
import io.netty.util.AsciiString;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The gateway's own gRPC server: a node of its own as far as the relay is concerned, on loopback, behind a token. */
public final class OwnServices implements AutoCloseable {

  private static final String ENCODING = "grpc-encoding";
  private static final String LOOPBACK = "127.0.0.1";
  private static final int TOKEN_BYTES = 32;
  private static final int MAX_STREAMS = 100_000;
  private static final int MAX_RESETS = 1_000_000;
  private static final int CONNECTION_WINDOW = 16 << 20;
  private static final int HEADER_BYTES = 32 << 10;
  private static final long MAX_REQUEST_BYTES = 1 << 20;
  private static final long REFRESH_MILLIS = 2_000;
  private static final long CLOSE_SECONDS = 10;

  private final Vertx vertx;
  private final List<NodeClient> clients;
  private final HttpServer server;
  private final NodeAddress address;
  private final long refreshing;

  private OwnServices(
      Vertx vertx,
      List<NodeClient> clients,
      HttpServer server,
      NodeAddress address,
      NodeWatch watch) {
    this.vertx = vertx;
    this.clients = clients;
    this.server = server;
    this.address = address;
    refreshing = vertx.setPeriodic(0, REFRESH_MILLIS, _ -> watch.refresh());
  }

  /**
   * Times of calls, of its callers and to nodes.
   *
   * @param call how long a node may take to answer
   * @param connect how long a connection to a node may take to be ready
   * @param silence after which a node is pinged, and after which again its connection is lost
   * @param firstMessage how long a caller may take to send what its call is to begin with
   */
  public record Times(Duration call, Duration connect, Duration silence, Duration firstMessage) {}

  /** Starts the server; blocks until it listens. */
  public static OwnServices start(Vertx vertx, String ownId, List<NodeAddress> nodes, Times times) {
    String token = token();
    byte[] expected = ("Bearer " + token).getBytes(StandardCharsets.US_ASCII);
    List<NodeClient> clients =
        nodes.stream().map(node -> new NodeClient(vertx, node, times)).toList();
    Fleet fleet = new Fleet(clients);
    NodeWatch watch = new NodeWatch(fleet);
    GrpcServer grpc =
        GrpcServer.server(vertx, new GrpcServerOptions().setMaxMessageSize(MAX_REQUEST_BYTES));
    Call.Host host = new Call.Host(grpc, vertx, times.firstMessage().toMillis());
    bind(host, fleet, watch, times.call().toMillis());
    HttpServer server =
        await(
            vertx
                .createHttpServer(options())
                .connectionHandler(StreamFaults::contain)
                .requestHandler(request -> guarded(request, expected, grpc))
                .listen());
    NodeAddress own = new NodeAddress(ownId, LOOPBACK, server.actualPort(), token);
    return new OwnServices(vertx, clients, server, own, watch);
  }

  private static void bind(Call.Host host, Fleet fleet, NodeWatch watch, long timeoutMillis) {
    Creation creation = new Creation(fleet);
    Listing listing = new Listing(fleet, timeoutMillis);
    EnvironmentCalls environments = new EnvironmentCalls(fleet, timeoutMillis);
    Call.unary(host, SandboxesGrpcService.Create, creation::create);
    Call.streaming(
        host,
        SandboxesGrpcService.CreateBatch,
        (request, call) -> BatchCreation.start(creation, fleet.all().size(), request, call));
    Call.unary(host, SandboxesGrpcService.List, listing::list);
    SandboxBatches batches = new SandboxBatches(fleet);
    Call.streaming(host, SandboxesGrpcService.DeleteBatch, batches::delete);
    bind(host, new PauseBatches(fleet, listing));
    Call.streaming(host, ExecsGrpcService.RunBatch, batches::run);
    Call.unary(host, NodesGrpcService.List, watch::list);
    Call.unary(host, MetersGrpcService.List, new MeterCalls(fleet, timeoutMillis)::list);
    Call.driven(
        host,
        EnvironmentsGrpcService.ImportEnvironment,
        call -> EnvironmentImport.start(fleet, call));
    TrajectoryCalls trajectories = new TrajectoryCalls(fleet, timeoutMillis);
    Call.unary(host, TrajectoriesGrpcService.List, trajectories::list);
    Call.streaming(host, TrajectoriesGrpcService.Export, trajectories::export);
    Call.streaming(
        host,
        EnvironmentsGrpcService.Export,
        (request, call) -> EnvironmentExport.start(fleet, timeoutMillis, request, call));
    Call.unary(host, EnvironmentsGrpcService.List, environments::list);
    Call.unary(host, EnvironmentsGrpcService.Get, environments::get);
    Call.unary(host, EnvironmentsGrpcService.Remove, environments::remove);
    SharedEnvironmentCalls shared = new SharedEnvironmentCalls(fleet);
    Call.unary(host, EnvironmentsGrpcService.Share, shared::share);
    Call.unary(host, EnvironmentsGrpcService.Unshare, shared::unshare);
    Call.unary(host, EnvironmentsGrpcService.Pull, shared::pull);
    Call.unary(host, EnvironmentsGrpcService.CollectShared, new SharedCollection(fleet)::collect);
    bind(host, new VersionCalls(fleet, timeoutMillis));
    bind(host, new SnapshotCalls(fleet, timeoutMillis));
    bind(host, new FunctionCalls(fleet));
  }

  private static void bind(Call.Host host, PauseBatches pauses) {
    Call.streaming(host, SandboxesGrpcService.PauseBatch, pauses::pause);
    Call.streaming(host, SandboxesGrpcService.ResumeBatch, pauses::resume);
  }

  private static void bind(Call.Host host, FunctionCalls functions) {
    Call.unary(host, FunctionsGrpcService.Invoke, functions::invoke);
    Call.streaming(host, FunctionsGrpcService.InvokeBatch, functions::invokeAll);
  }

  private static void bind(Call.Host host, VersionCalls versions) {
    Call.unary(host, EnvironmentsGrpcService.History, versions::history);
    Call.unary(host, EnvironmentsGrpcService.Lock, versions::lock);
    Call.unary(host, EnvironmentsGrpcService.Unlock, versions::unlock);
    Call.unary(host, EnvironmentsGrpcService.ListLocks, versions::locks);
  }

  private static void bind(Call.Host host, SnapshotCalls snapshots) {
    Call.unary(host, SnapshotsGrpcService.List, snapshots::list);
    Call.unary(host, SnapshotsGrpcService.Get, snapshots::get);
    Call.unary(host, SnapshotsGrpcService.History, snapshots::history);
    Call.unary(host, SnapshotsGrpcService.Remove, snapshots::remove);
  }

  /** The paths of the methods that it answers. */
  public static Set<AsciiString> paths() {
    List<ServiceMethod<?, ?>> sandboxes =
        List.of(
            SandboxesGrpcService.Create,
            SandboxesGrpcService.CreateBatch,
            SandboxesGrpcService.DeleteBatch,
            SandboxesGrpcService.PauseBatch,
            SandboxesGrpcService.ResumeBatch,
            SandboxesGrpcService.List,
            ExecsGrpcService.RunBatch);
    List<ServiceMethod<?, ?>> snapshots =
        List.of(
            SnapshotsGrpcService.List,
            SnapshotsGrpcService.Get,
            SnapshotsGrpcService.History,
            SnapshotsGrpcService.Remove);
    return paths(
        Stream.of(
            sandboxes,
            snapshots,
            NodesGrpcService.all(),
            MetersGrpcService.all(),
            FunctionsGrpcService.all(),
            EnvironmentsGrpcService.all(),
            TrajectoriesGrpcService.all()));
  }

  /** The paths of the methods that nodes answer, each for its sandboxes. */
  public static Set<AsciiString> sandboxPaths() {
    Set<AsciiString> paths =
        paths(
            Stream.of(
                SandboxesGrpcService.all(),
                SnapshotsGrpcService.all(),
                ExecsGrpcService.all(),
                SessionsGrpcService.all(),
                FilesGrpcService.all(),
                PortsGrpcService.all()));
    paths.removeAll(paths());
    return paths;
  }

  private static Set<AsciiString> paths(Stream<List<ServiceMethod<?, ?>>> services) {
    return services
        .flatMap(List::stream)
        .map(method -> new AsciiString("/" + method.fullMethodName()))
        .collect(Collectors.toCollection(HashSet::new));
  }

  // The one peer is the relay: it multiplexes everybody, and passes their resets on.
  private static HttpServerOptions options() {
    return new HttpServerOptions()
        .setHost(LOOPBACK)
        .setPort(0)
        .setTcpNoDelay(true)
        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
        .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(MAX_STREAMS)
                .setMaxHeaderListSize(HEADER_BYTES));
  }

  private static String token() {
    byte[] token = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(token);
    return HexFormat.of().formatHex(token);
  }

  private static void guarded(HttpServerRequest request, byte[] expected, GrpcServer grpc) {
    if (matches(request.getHeader("authorization"), expected)) {
      // Without it Vert.x trips over a message that is marked as compressed and leaves the call
      // open.
      if (request.getHeader(ENCODING) == null) {
        request.headers().set(ENCODING, "identity");
      }
      grpc.handle(request);
    } else {
      request.response().setStatusCode(403).end();
    }
  }

  private static boolean matches(@Nullable String header, byte[] expected) {
    return header != null
        && MessageDigest.isEqual(header.getBytes(StandardCharsets.US_ASCII), expected);
  }

  /** Where the relay finds it. */
  public NodeAddress address() {
    return address;
  }

  @Override
  public void close() {
    vertx.cancelTimer(refreshing);
    List<Future<Void>> closing = new ArrayList<>(List.of(server.close()));
    clients.forEach(client -> closing.add(client.close()));
    await(Future.join(closing).timeout(CLOSE_SECONDS, TimeUnit.SECONDS).otherwiseEmpty());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
