// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.backends;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.spi.Backend;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.SandgateException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One open backend, with what its probe found. */
public final class OpenBackend {

  private static final Logger LOG = LoggerFactory.getLogger(OpenBackend.class);

  private final String name;
  private final Backend backend;
  private final CompletableFuture<Probe> probe;
  private final CompletableFuture<Void> adopted = new CompletableFuture<>();

  OpenBackend(String name, Backend backend) {
    this.name = name;
    this.backend = backend;
    this.probe = Blocking.start(this::examine);
  }

  /** The name in create requests. */
  public String name() {
    return name;
  }

  /** The backend itself. */
  public Backend backend() {
    return backend;
  }

  /** What was found out about this host, once; never fails. */
  public CompletableFuture<Probe> probe() {
    return probe;
  }

  /** Completes when the sandboxes of an earlier run are taken back, before which nothing is created. */
  public CompletableFuture<Void> adopted() {
    return adopted;
  }

  /** Refuses what the backend does not declare. */
  public void require(Capability capability) {
    if (!backend.capabilities().contains(capability)) {
      throw new SandgateException(
          ErrorCode.UNSUPPORTED, "the backend " + name + " does not declare " + capability);
    }
  }

  /** Refuses when the host lacks what the backend needs; blocks until that is known. */
  public void requireAvailable() {
    require(probe.join());
  }

  /** As {@link #requireAvailable}, as far as that is known by now; does not block. */
  public void requireNotUnavailable() {
    Probe found = probe.getNow(null);
    if (found != null) {
      require(found);
    }
  }

  private void require(Probe found) {
    if (!found.available()) {
      throw new SandgateException(
          ErrorCode.BACKEND_UNAVAILABLE,
          "the backend " + name + " cannot run here: " + found.reason());
    }
  }

  void close() {
    try {
      backend.close();
    } catch (RuntimeException e) {
      LOG.warn("backend {} did not close well", name, e);
    }
  }

  private Probe examine() {
    try {
      return backend.probe();
    } catch (RuntimeException e) {
      LOG.error("backend {} could not examine the host", name, e);
      return new Probe(
          List.of(
              new Probe.Finding(
                  "probe", true, false, "the probe itself failed: " + e.getMessage())));
    }
  }
}
