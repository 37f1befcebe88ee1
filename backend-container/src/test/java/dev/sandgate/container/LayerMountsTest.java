// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Layer;
import dev.sandgate.support.layers.LayerLinks;
import dev.sandgate.support.layers.LayerMounts;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mounts of layers and who uses them. */
class LayerMountsTest {

  @TempDir private Path directory;
  private final ConcurrentLinkedQueue<String> forgotten = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void end() {
    threads.close();
  }

  private LayerMounts mounts(Duration keep) {
    return new LayerMounts(new LayerLinks(state()), forgotten::add, keep, threads);
  }

  private Path state() {
    return directory.resolve("state");
  }

  private Layer layer(char digit) throws IOException {
    Path image = directory.resolve("image" + digit);
    Files.writeString(image, "image " + digit);
    return new Layer("sha256:" + String.valueOf(digit).repeat(64), image);
  }

  private Layer partial(char digit) throws IOException {
    Layer whole = layer(digit);
    Path map = Files.writeString(directory.resolve("map" + digit), "map");
    return new Layer(whole.digest(), whole.image(), Optional.of(map));
  }

  private boolean linked(String name) {
    return Files.exists(state().resolve(name));
  }

  @Test
  void shouldForgetWhatNobodyUsesAndNeverWhatSomebodyDoes() throws IOException {
    LayerMounts mounts = mounts(Duration.ofMillis(50));
    List<Layer> both = List.of(layer('a'), partial('b'));
    List<String> names = mounts.hold("one", both);
    assertEquals(names, mounts.hold("two", both));
    assertTrue(linked(names.get(0)) && linked(names.get(1) + ".image"));
    assertTrue(linked(names.get(1) + ".map"));
    mounts.release("one", both);
    mounts.release("one", both);
    mounts.release("nobody", both);
    List<Layer> other = List.of(layer('c'));
    mounts.hold("three", other);
    mounts.release("three", other);
    Eventually.holds("the unused one is forgotten", () -> forgotten.size() == 1);
    assertTrue(forgotten.poll().contains("ccc"));
    assertTrue(linked(names.get(0)) && linked(names.get(1) + ".map"));
    mounts.release("two", both);
    Eventually.holds("both are forgotten", () -> forgotten.size() == 2);
    Eventually.holds("their links are gone", () -> !linked(names.get(0)));
    Eventually.holds("their links are gone", () -> !linked(names.get(1) + ".map"));
    mounts.hold("four", both);
    assertTrue(linked(names.get(0)));
  }

  @Test
  void shouldKeepWhatIsUsedAgainInTime() throws IOException {
    LayerMounts mounts = mounts(Duration.ofMillis(200));
    List<Layer> layers = List.of(layer('d'));
    List<Layer> other = List.of(layer('e'));
    mounts.hold("one", layers);
    mounts.release("one", layers);
    mounts.hold("two", layers);
    mounts.hold("three", other);
    mounts.release("three", other);
    Eventually.holds("a later one is forgotten", () -> forgotten.size() == 1);
    assertTrue(forgotten.peek().contains("eee"));
  }

  @Test
  void shouldForgetAtOnceOrWithItsLastUserWhatIsGone() throws IOException {
    LayerMounts mounts = mounts(Duration.ofHours(1));
    List<Layer> idle = List.of(layer('5'), partial('6'));
    List<String> names = mounts.hold("one", idle);
    mounts.release("one", idle);
    idle.forEach(layer -> mounts.forget(layer.digest()));
    assertEquals(names, List.copyOf(forgotten));
    assertFalse(linked(names.get(0)) || linked(names.get(1) + ".map"));
    List<Layer> used = List.of(layer('7'));
    String name = mounts.hold("two", used).getFirst();
    mounts.forget(used.getFirst().digest());
    assertTrue(linked(name));
    mounts.release("two", used);
    assertFalse(linked(name));
    mounts.hold("three", used);
    mounts.release("three", used);
    assertTrue(linked(name));
    mounts.forget(layer('8').digest());
    assertEquals(3, forgotten.size());
  }

  @Test
  void shouldSweepWhatAnEarlierRunLeft() throws IOException {
    mounts(Duration.ofHours(1)).hold("earlier", List.of(layer('1'), partial('2'), layer('3')));
    LayerMounts mounts = mounts(Duration.ofHours(1));
    String kept = mounts.hold("adopted", List.of(layer('3'))).getFirst();
    mounts.sweep();
    assertEquals(2, forgotten.size());
    assertTrue(linked(kept));
    assertFalse(forgotten.contains(kept));
    try (var left = Files.list(state().resolve("parts"))) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void shouldLinkAnotherFileOfTheSameName() throws IOException {
    LayerMounts mounts = mounts(Duration.ofHours(1));
    Layer layer = layer('4');
    String name = mounts.hold("one", List.of(layer)).getFirst();
    Files.delete(layer.image());
    layer('4');
    mounts.hold("two", List.of(layer));
    assertTrue(Files.isSameFile(layer.image(), state().resolve(name)));
  }
}
