// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.checks.Paging;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Locks.Lock;
import dev.sandgate.node.environments.Versions.Version;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentHistoryRequest;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.EnvironmentVersion;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.ListEnvironmentLocksRequest;
import dev.sandgate.proto.v1.ListEnvironmentLocksResponse;
import dev.sandgate.proto.v1.LockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentResponse;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The methods of {@code sandgate.v1.Environments} about what names stood for and what they are locked to.
 *
 * @param shown who shows an environment
 */
record VersionsService(EnvironmentsService shown, Environments environments, Catalogue catalogue) {

  private static final int MAX_REFERENCE = 256;

  void route(Routes routes) {
    routes.blocking(
        EnvironmentsGrpcService.History, EnvironmentHistoryRequest.parser(), this::history);
    routes.blocking(
        EnvironmentsGrpcService.Lock,
        LockEnvironmentRequest.parser(),
        request -> shown(environments.lock(request.getJob(), request.getReference())));
    routes.blocking(
        EnvironmentsGrpcService.Unlock, UnlockEnvironmentRequest.parser(), this::unlock);
    routes.blocking(
        EnvironmentsGrpcService.ListLocks, ListEnvironmentLocksRequest.parser(), this::locks);
  }

  /** What was removed under its name may still be in use, and has a history then. */
  private EnvironmentHistory history(EnvironmentHistoryRequest request) {
    String reference = Fields.text("reference", request.getReference(), MAX_REFERENCE);
    String key = catalogue.find(reference).map(Named::key).orElse(Catalogue.key(reference));
    List<Version> earlier = catalogue.earlier(key);
    if (earlier.isEmpty()) {
      environments.require("reference", reference);
    }
    TreeMap<String, Supplier<EnvironmentVersion>> all = new TreeMap<>();
    earlier.forEach(version -> all.put(place(version.named()), () -> shown(version)));
    catalogue.find(key).ifPresent(now -> all.put(place(now), () -> current(now)));
    EnvironmentHistory.Builder page = EnvironmentHistory.newBuilder();
    String next =
        Paging.of(request.getPageSize(), request.getPageToken()).fill(all, page::addVersions);
    return page.setNextPageToken(next).build();
  }

  /** Youngest first; a version keeps it when another takes its place. */
  private static String place(Named named) {
    return "%019d %s".formatted(Long.MAX_VALUE - named.createdMillis(), named.digest());
  }

  private EnvironmentVersion current(Named now) {
    return EnvironmentVersion.newBuilder()
        .setEnvironment(shown.shown(now))
        .setUsable(true)
        .setPlace(place(now))
        .build();
  }

  private EnvironmentVersion shown(Version version) {
    Environment environment = shown.shown(version.named());
    return EnvironmentVersion.newBuilder()
        .setEnvironment(
            version.usable() ? environment : environment.toBuilder().clearLayers().build())
        .setReplacedAt(EnvironmentsService.time(version.replacedMillis()))
        .setUsable(version.usable())
        .setPlace(place(version.named()))
        .build();
  }

  private UnlockEnvironmentResponse unlock(UnlockEnvironmentRequest request) {
    String reference = Fields.text("reference", request.getReference(), MAX_REFERENCE);
    if (request.getJob().isEmpty()) {
      throw dev.sandgate.spi.SandgateException.invalid("job", "it is missing; give the job's name");
    }
    String key = reference.isEmpty() ? "" : Catalogue.key(reference);
    int released = environments.locks().release(request.getJob(), key);
    return UnlockEnvironmentResponse.newBuilder().setReleased(released).build();
  }

  private ListEnvironmentLocksResponse locks(ListEnvironmentLocksRequest request) {
    TreeMap<String, Supplier<EnvironmentLock>> all = new TreeMap<>();
    for (Lock lock : environments.locks().all(request.getJob())) {
      String key = String.join("\1", lock.job(), lock.name(), lock.tag(), lock.digest());
      all.put(key, () -> shown(lock));
    }
    ListEnvironmentLocksResponse.Builder page = ListEnvironmentLocksResponse.newBuilder();
    String next =
        Paging.of(request.getPageSize(), request.getPageToken()).fill(all, page::addLocks);
    return page.setNextPageToken(next).build();
  }

  private static EnvironmentLock shown(Lock lock) {
    return EnvironmentLock.newBuilder()
        .setJob(lock.job())
        .setName(lock.name())
        .setTag(lock.tag())
        .setDigest(lock.digest())
        .setLockedAt(EnvironmentsService.time(lock.lockedMillis()))
        .build();
  }
}
