// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Change;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Files.EventKind;
import dev.sandgate.spi.Files.ExtractTarget;
import dev.sandgate.spi.Files.Extracted;
import dev.sandgate.spi.Files.FileEvent;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole directories: archives, watching and changes, each when its capability is declared. */
interface TreeCases {

  Fixture fixture();

  private Files files(Capability capability) {
    fixture().assumeHas(capability);
    return fixture().shared().files();
  }

  private String directory(Capability capability) {
    String directory = fixture().scratch() + "/t" + System.nanoTime();
    Waiting.on(files(capability).makeDirectory("", directory, 0755, false));
    return directory;
  }

  private Uni<Extracted> extract(String directory, byte[] tar) {
    ExtractTarget target = new ExtractTarget("", directory, true, Long.MAX_VALUE, 10_000);
    return files(Capability.ARCHIVES).extract(target, FileBytes.chunks(tar));
  }

  @Test
  default void shouldGiveATreeBackAsItWas() {
    String directory = directory(Capability.ARCHIVES);
    fixture()
        .sh(
            "cd "
                + directory
                + "; mkdir -p from/a/b from/empty; head -c 300000 /dev/urandom > from/a/f;"
                + " echo x > 'from/a b'; chmod 751 from/a/f; ln -s a/f from/link;"
                + " ln -s /nowhere from/a/b/dangling; n=$(printf '%0200d' 1);"
                + " mkdir from/$n; echo deep > from/$n/$n")
        .succeeded();
    Multi<ByteBuffer> archive = files(Capability.ARCHIVES).archive("", directory + "/from");
    Extracted done =
        Waiting.on(
            files(Capability.ARCHIVES)
                .extract(
                    new ExtractTarget("", directory + "/x/to", true, Long.MAX_VALUE, 10_000),
                    archive));
    assertTrue(done.entries() >= 10 && done.bytes() > 300_000, done::toString);
    String facts = "find . -exec stat -c '%n %a' {} ';' | sort | sha256sum";
    fixture()
        .sh("cd " + directory + "; diff -r from x/to && test -x x/to/a/f && test -h x/to/link")
        .succeeded();
    assertEquals(
        fixture().sh("cd " + directory + "/from; " + facts).line(),
        fixture().sh("cd " + directory + "/x/to; " + facts).line());
    Waiting.on(files(Capability.ARCHIVES).remove("", directory, true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../x", "/abs", "a/../../x", ".."})
  default void shouldRefuseANameThatLeadsOut(String name) {
    refused(new TarBytes().file("ok", "1").file(name, "evil"), name, ErrorCode.FILE_FAILED);
  }

  private void refused(TarBytes tar, String name, ErrorCode code) {
    String directory = directory(Capability.ARCHIVES);
    fixture().sh("echo safe > " + directory + "/canary; mkdir " + directory + "/to").succeeded();
    Throwable failure =
        Waiting.failureOf(extract(directory + "/to", tar.bytes()).subscribeAsCompletionStage());
    assertEquals(code, Waiting.codeOf(failure), failure::toString);
    assertTrue(String.valueOf(failure.getMessage()).contains(name), failure::toString);
    assertTrue(String.valueOf(failure.getMessage()).contains("in place"), failure::toString);
    assertEquals("safe", fixture().run(Command.of("cat", directory + "/canary")).line());
    assertEquals(
        2, Waiting.on(files(Capability.ARCHIVES).list("", directory, 1).collect().asList()).size());
    Waiting.on(files(Capability.ARCHIVES).remove("", directory, true));
  }

  @Test
  default void shouldNotExtractThroughALink() {
    refused(
        new TarBytes().link("l", "..").file("l/canary", "evil"), "l/canary", ErrorCode.FILE_FAILED);
    refused(
        new TarBytes().link("l", "/").file("l/etc/passwd", "evil"),
        "l/etc/passwd",
        ErrorCode.FILE_FAILED);
    refused(new TarBytes().link("l", "../canary").file("l", "evil"), "l", ErrorCode.FILE_FAILED);
  }

  @Test
  default void shouldRefuseEntriesThatGiveAwayOrTakeRights() {
    refused(new TarBytes().entry("h", '1', "/etc/shadow", 0644, ""), "h", ErrorCode.FILE_FAILED);
    refused(new TarBytes().entry("h", '1', "../canary", 0644, ""), "h", ErrorCode.FILE_FAILED);
    for (char special : new char[] {'3', '4', '6'}) {
      refused(
          new TarBytes().entry("dev", special, "", 0644, ""), "dev", ErrorCode.PERMISSION_DENIED);
    }
    refused(new TarBytes().entry("suid", '0', "", 04755, "x"), "suid", ErrorCode.PERMISSION_DENIED);
  }

  @Test
  default void shouldRefuseAnArchiveOverItsLimits() {
    String directory = directory(Capability.ARCHIVES);
    byte[] tar = new TarBytes().file("a", "12345").file("b", "12345").file("c", "1").bytes();
    for (ExtractTarget target :
        List.of(
            new ExtractTarget("", directory, false, 9, 10),
            new ExtractTarget("", directory, false, 100, 1))) {
      Throwable failure =
          Waiting.failureOf(
              files(Capability.ARCHIVES)
                  .extract(target, FileBytes.chunks(tar))
                  .subscribeAsCompletionStage());
      assertEquals(ErrorCode.FILE_FAILED, Waiting.codeOf(failure));
      assertTrue(String.valueOf(failure.getMessage()).contains("extract b"), failure::toString);
    }
    Waiting.on(files(Capability.ARCHIVES).remove("", directory, true));
  }

  @Test
  default void shouldNameWhatHasNoPlaceInAnArchive() {
    String directory = directory(Capability.ARCHIVES);
    fixture().sh("mkfifo " + directory + "/pipe").succeeded();
    SandgateException failure =
        (SandgateException)
            Waiting.failureOf(
                files(Capability.ARCHIVES)
                    .archive("", directory)
                    .collect()
                    .asList()
                    .subscribeAsCompletionStage());
    assertEquals(ErrorCode.FILE_FAILED, failure.code());
    assertTrue(String.valueOf(failure.getMessage()).contains("pipe"), failure::toString);
    Waiting.on(files(Capability.ARCHIVES).remove("", directory, true));
  }

  @Test
  default void shouldSeeWhatHappensAlsoInNewDirectories() {
    String directory = directory(Capability.WATCH);
    Set<FileEvent> seen = ConcurrentHashMap.newKeySet();
    Cancellable watching =
        files(Capability.WATCH).watch("", directory, true).subscribe().with(seen::add);
    awaitEvent(seen, EventKind.STARTED, directory);
    fixture()
        .sh(
            "cd "
                + directory
                + "; echo x > f; chmod 600 f; mkdir -p d/e; echo y > d/e/g; mv f h; rm h")
        .succeeded();
    awaitEvent(seen, EventKind.CREATED, directory + "/f");
    awaitEvent(seen, EventKind.MODIFIED, directory + "/f");
    awaitEvent(seen, EventKind.ATTRIBUTES, directory + "/f");
    awaitEvent(seen, EventKind.CREATED, directory + "/d/e/g");
    awaitEvent(seen, EventKind.MOVED, directory + "/f");
    awaitEvent(seen, EventKind.REMOVED, directory + "/h");
    watching.cancel();
    Waiting.on(files(Capability.WATCH).remove("", directory, true));
  }

  private static void awaitEvent(Set<FileEvent> seen, EventKind kind, String path) {
    Eventually.holds(
        kind + " " + path + " among " + seen,
        () -> seen.stream().anyMatch(e -> e.kind() == kind && e.path().equals(path)));
  }

  @Test
  default void shouldTellWhatASandboxChanged() {
    fixture().assumeHas(Capability.CHANGES);
    Sandbox sandbox = fixture().fresh();
    Map<String, Change> before = changes(sandbox);
    assertTrue(
        before.keySet().stream().noneMatch(path -> path.startsWith(fixture().scratch())),
        before::toString);
    String top = fixture().scratch() + "/new";
    Fixture.run(sandbox, Command.of("sh", "-c", "mkdir " + top + "; echo hello > " + top + "/f"));
    Map<String, Change> after = changes(sandbox);
    assertEquals(Change.Kind.ADDED, found(after, top).kind());
    assertEquals(Change.Kind.ADDED, found(after, top + "/f").kind());
    assertEquals(6, found(after, top + "/f").size());
    assertEquals(Files.FileType.DIRECTORY, found(after, top).type());
    Fixture.run(sandbox, Command.of("sh", "-c", "echo HELLO > " + top + "/f"));
    Change again = found(changes(sandbox), top + "/f");
    assertTrue(
        again.changedNanos() > found(after, top + "/f").changedNanos(), () -> again + " " + after);
    Fixture.run(sandbox, Command.of("rm", "-r", top));
    assertEquals(before.keySet(), changes(sandbox).keySet());
    Waiting.on(sandbox.destroy());
  }

  private static Change found(Map<String, Change> changes, String path) {
    Change change = changes.get(path);
    if (change == null) {
      throw new AssertionError(path + " is not among " + changes);
    }
    return change;
  }

  private static Map<String, Change> changes(Sandbox sandbox) {
    return Waiting.on(sandbox.changes().collect().asList()).stream()
        .collect(Collectors.toMap(Change::path, Function.identity()));
  }
}
