// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.util.List;

/**
 * What a backend found out about this host.
 *
 * @param findings one per thing examined, in the order examined
 */
public record Probe(List<Finding> findings) {

  /** Freezes the findings. */
  public Probe {
    findings = List.copyOf(findings);
  }

  /**
   * One thing examined.
   *
   * @param subject what was examined, for example {@code user namespaces}
   * @param required whether the backend cannot run without it
   * @param available whether it is there
   * @param detail the version or value seen; when absent, why, and what to do about it
   */
  public record Finding(String subject, boolean required, boolean available, String detail) {}

  /**
   * Whether sandboxes can be created.
   *
   * @return true when every required finding is available
   */
  public boolean available() {
    return findings.stream().allMatch(f -> f.available() || !f.required());
  }

  /**
   * Why sandboxes cannot be created.
   *
   * @return the missing required findings, or an empty string
   */
  public String reason() {
    return String.join(
        "; ",
        findings.stream()
            .filter(f -> f.required() && !f.available())
            .map(f -> f.subject() + ": " + f.detail())
            .toList());
  }
}
