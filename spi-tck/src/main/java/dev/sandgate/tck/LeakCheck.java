// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class that leaves something behind: a descriptor of this JVM, a process below it or with the
 * suite's ids, a mount, a cgroup, a thread. Looks before the first and after the last case, with patience,
 * and shows the difference.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {

  /** The node's name in the suite: part of every sandbox id, unique to this JVM. */
  static final String NODE = "tck" + ProcessHandle.current().pid();

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(LeakCheck.class);

  /** Called by JUnit. */
  public LeakCheck() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    HostView.warmUp();
    context.getStore(STORE).put(context.getUniqueId(), HostView.now());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    HostView before = context.getStore(STORE).get(context.getUniqueId(), HostView.class);
    Eventually.value("nothing is left behind", () -> extra(before), Set::isEmpty);
  }

  private static Set<String> extra(HostView before) {
    Set<String> extra = new TreeSet<>(HostView.now().things());
    extra.removeAll(before.things());
    return extra;
  }
}
