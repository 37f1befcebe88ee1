// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The leak check sees each kind of thing that a case can leave behind. */
final class HostViewTest {

  private final HostView before = warm();

  private static HostView warm() {
    HostView.warmUp();
    return HostView.now();
  }

  private Set<String> extra() {
    Set<String> extra = new TreeSet<>(HostView.now().things());
    extra.removeAll(before.things());
    return extra;
  }

  private void sees(String kind) {
    Set<String> extra = extra();
    assertTrue(extra.stream().anyMatch(thing -> thing.startsWith(kind)), extra::toString);
  }

  @Test
  void shouldSeeNothingWhenNothingWasLeft() {
    Eventually.value("no difference", this::extra, Set::isEmpty);
  }

  @Test
  void shouldSeeAnOpenFileAndASocket(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("f"));
    try (FileChannel open = FileChannel.open(file);
        ServerSocketChannel socket = ServerSocketChannel.open()) {
      sees("descriptor " + file);
      sees("descriptor socket");
      assertTrue(open.isOpen() && socket.isOpen());
    }
    Eventually.value("both are closed", this::extra, Set::isEmpty);
  }

  @Test
  void shouldSeeAChildProcess() throws IOException, InterruptedException {
    Process child = new ProcessBuilder("sleep", "1000").start();
    sees("process " + child.pid());
    child.destroyForcibly().waitFor();
  }

  @Test
  void shouldSeeAnOrphanThatCarriesTheNodesName() throws IOException, InterruptedException {
    String script = "(setsid sleep 1000 - sb-" + LeakCheck.NODE + "-x 2>/dev/null &) ; true";
    new ProcessBuilder("sh", "-c", script.replace("sleep 1000 -", "sh -c 'sleep 1000; :' "))
        .start()
        .waitFor();
    Eventually.holds(
        "it is seen", () -> extra().stream().anyMatch(thing -> thing.startsWith("process ")));
    ProcessHandle.allProcesses()
        .filter(p -> p.info().commandLine().orElse("").contains("sb-" + LeakCheck.NODE + "-x"))
        .forEach(
            p -> {
              p.descendants().forEach(ProcessHandle::destroyForcibly);
              p.destroyForcibly();
            });
    Eventually.value("it is gone", this::extra, Set::isEmpty);
  }

  @Test
  void shouldSeeAThread() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    Thread thread = Thread.ofPlatform().name("left-behind").start(() -> await(done));
    sees("thread left-behind");
    done.countDown();
    thread.join();
    assertEquals(Set.of(), extra());
  }

  private static void await(CountDownLatch done) {
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
