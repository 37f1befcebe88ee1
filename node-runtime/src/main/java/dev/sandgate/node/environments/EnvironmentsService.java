// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.checks.Paging;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.ListEnvironmentsResponse;
import dev.sandgate.proto.v1.PullEnvironmentRequest;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.RemoveEnvironmentResponse;
import dev.sandgate.proto.v1.ShareEnvironmentRequest;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The methods of {@code sandgate.v1.Environments}. */
final class EnvironmentsService {

  private final Environments environments;
  private final Reach reach;
  private final ImportCalls imports;
  private final SharedNames names;

  EnvironmentsService(Environments environments, Reach reach, Imports imports) {
    this.environments = environments;
    this.reach = reach;
    this.imports = new ImportCalls(environments, imports);
    this.names = new SharedNames(environments, reach);
  }

  void route(Routes routes) {
    routes.stream(
        EnvironmentsGrpcService.ImportEnvironment,
        ImportEnvironmentRequest.parser(),
        imports::take);
    routes.blocking(EnvironmentsGrpcService.List, ListEnvironmentsRequest.parser(), this::list);
    routes.blocking(
        EnvironmentsGrpcService.Get,
        GetEnvironmentRequest.parser(),
        request -> shown(environments.require("reference", request.getReference())));
    routes.blocking(
        EnvironmentsGrpcService.Remove, RemoveEnvironmentRequest.parser(), this::remove);
    routes.blocking(EnvironmentsGrpcService.Share, ShareEnvironmentRequest.parser(), names::share);
    routes.blocking(
        EnvironmentsGrpcService.Unshare, UnshareEnvironmentRequest.parser(), names::unshare);
    routes.blocking(EnvironmentsGrpcService.Pull, PullEnvironmentRequest.parser(), names::pull);
    routes.blocking(
        EnvironmentsGrpcService.CollectShared, CollectSharedRequest.parser(), names::collect);
    new VersionsService(this, environments, reach.catalogue()).route(routes);
  }

  private ListEnvironmentsResponse list(ListEnvironmentsRequest request) {
    TreeMap<String, Supplier<Environment>> all = new TreeMap<>();
    for (Named own : reach.catalogue().environments()) {
      all.put(own.key() + "@" + own.digest(), () -> shown(own));
    }
    for (Environment shared : reach.sharedOnly()) {
      String key = shared.getName() + ":" + shared.getTag() + "@" + shared.getDigest();
      all.put(key, () -> used(shared));
    }
    ListEnvironmentsResponse.Builder page = ListEnvironmentsResponse.newBuilder();
    String next =
        Paging.of(request.getPageSize(), request.getPageToken()).fill(all, page::addEnvironments);
    return page.setNextPageToken(next).build();
  }

  private Environment used(Environment shared) {
    int sandboxes = environments.uses().of(Reach.named(shared)).size();
    return shared.toBuilder().setSandboxes(sandboxes).build();
  }

  private RemoveEnvironmentResponse remove(RemoveEnvironmentRequest request) {
    environments.remove(request.getReference());
    return RemoveEnvironmentResponse.getDefaultInstance();
  }

  Environment shown(Named named) {
    Environment.Builder environment =
        Environment.newBuilder()
            .setName(named.name())
            .setTag(named.tag())
            .setDigest(named.digest())
            .setCreatedAt(time(named.createdMillis()))
            .setSandboxes(environments.uses().of(named).size())
            .setShared(reach.catalogue().find(named.key()).isEmpty())
            .setUses(
                environments
                    .statistics()
                    .of(Statistics.key(named))
                    .setLiving(environments.uses().of(named).size()));
    named.published().show(environment);
    for (String digest : named.digests()) {
      reach.layer(digest).map(this::shown).ifPresent(environment::addLayers);
    }
    Accessed.fill(environment);
    return environment.build();
  }

  static Timestamp time(long millis) {
    return Timestamp.newBuilder()
        .setSeconds(millis / 1_000)
        .setNanos((int) (millis % 1_000) * 1_000_000)
        .build();
  }

  private LayerInfo shown(StoredLayer layer) {
    return reach.shown(layer).toBuilder()
        .setUses(
            environments
                .statistics()
                .of(layer.digest())
                .setLiving(environments.uses().count(layer.digest())))
        .build();
  }
}
