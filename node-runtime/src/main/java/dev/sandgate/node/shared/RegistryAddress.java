// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.net.URI;

/**
 * A repository of an OCI registry.
 *
 * @param host with its port, if that is not the usual one
 * @param repository its name there
 */
record RegistryAddress(String host, String repository) {

  private static final String SCHEME = "oci://";

  /** Reads {@code oci://HOST[:PORT]/NAME}, which the settings have checked. */
  static RegistryAddress of(String place) {
    String[] parts = place.substring(SCHEME.length()).split("/", 2);
    return new RegistryAddress(parts[0], parts[1]);
  }

  /** Something of the repository, such as {@code manifests/TAG}. */
  URI uri(String rest) {
    return URI.create("%s://%s/v2/%s/%s".formatted(scheme(), host, repository, rest));
  }

  /** A registry of this host may speak plain HTTP, as where images are imported from. */
  private String scheme() {
    return host.matches("(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])(:\\d+)?") ? "http" : "https";
  }

  @Override
  public String toString() {
    return SCHEME + host + "/" + repository;
  }
}
