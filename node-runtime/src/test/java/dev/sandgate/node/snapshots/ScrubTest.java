// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.config.SnapshotCapacity;
import dev.sandgate.proto.v1.SnapshotRules;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What rules take out of a copy. */
class ScrubTest {

  @TempDir Path root;

  private void file(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static Rules rules(SnapshotRules.Builder asked) {
    return Rules.of(asked.build(), SnapshotCapacity.of(Map.of()));
  }

  private Set<String> left() throws IOException {
    try (Stream<Path> entries = Files.walk(root)) {
      return entries
          .filter(entry -> !Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
          .map(entry -> root.relativize(entry).toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void shouldTakeOutWhatTheRulesNameAndNothingElse() throws IOException {
    for (String gone :
        List.of(
            "root/.bash_history",
            "home/a/.local/share/fish/fish_history",
            "home/a/.ssh/id_rsa",
            "tmp/x/y",
            "var/log/a/b.log",
            "srv/deep/.git-credentials",
            "root/.aws/config",
            "data/x.key",
            "root/.cache/pip/http/1")) {
      file(gone, "secret");
    }
    file("srv/.npmrc", "//r/:_authToken=1");
    file("srv/pip.conf", "index-url = https://user:pass@example.org/simple");
    file("root/.gitconfig", "[url]\nhttps://example.org/x@y");
    for (String kept :
        List.of("root/bash_history", "tmp2/x", "var/log2", "data/x.keys", "etc/passwd")) {
      file(kept, "kept");
    }
    Files.createSymbolicLink(root.resolve("link"), Path.of("/tmp"));
    long removed =
        Scrub.apply(root, rules(SnapshotRules.newBuilder().addScrubPaths("/data/*.key")));
    assertEquals(
        Set.of(
            "root/bash_history",
            "tmp2/x",
            "var/log2",
            "data/x.keys",
            "etc/passwd",
            "link",
            "root/.gitconfig"),
        left());
    assertTrue(
        Files.isDirectory(root.resolve("tmp")) && Files.isDirectory(root.resolve("var/log/a")));
    assertFalse(Files.exists(root.resolve("tmp/x")) || Files.exists(root.resolve("root/.aws")));
    assertTrue(removed >= 11, removed + " removed");
  }

  @Test
  void shouldKeepTheTimesOfDirectories() throws IOException {
    file("root/.bash_history", "x");
    FileTime time = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(root.resolve("root"), time);
    Scrub.apply(root, rules(SnapshotRules.newBuilder()));
    assertEquals(time, Files.getLastModifiedTime(root.resolve("root")));
  }

  @Test
  void shouldKeepResidueWhenAskedTo() throws IOException {
    file("root/.bash_history", "x");
    file("a", "x");
    Scrub.apply(root, rules(SnapshotRules.newBuilder().setKeepResidue(true).addScrubPaths("/a")));
    assertEquals(Set.of("root/.bash_history"), left());
  }

  @Test
  void shouldRefuseWhatIsForbiddenByName() throws IOException {
    file("opt/a/b/solution.py", "x");
    for (String pattern :
        List.of("/opt/**/solution.py", "/**/*.py", "/opt", "/opt/a/*/s*n.py", "/**")) {
      SandgateException refused =
          assertThrows(
              SandgateException.class,
              () ->
                  Scrub.apply(root, rules(SnapshotRules.newBuilder().addForbiddenPaths(pattern))));
      assertEquals(ErrorCode.FAILED_PRECONDITION, refused.code());
    }
    for (String pattern : List.of("/opt/*/solution.py", "/solution.py", "/opt/a/b/solution.py/x")) {
      Scrub.apply(root, rules(SnapshotRules.newBuilder().addForbiddenPaths(pattern)));
    }
  }

  @Test
  void shouldNotTakeLongWithAnyPattern() {
    PathPattern names = PathPattern.of("p", "/" + "**/a/".repeat(300) + "b");
    PathPattern letters = PathPattern.of("p", "/" + "a*".repeat(1000) + "b");
    assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> {
          assertFalse(names.matches(Collections.nCopies(1_000, "a")));
          assertFalse(letters.matches(List.of("a".repeat(250))));
        });
  }

  @Test
  void shouldRefusePatternsThatAreNone() {
    for (String pattern : List.of("", "a/b", "/", "/a/", "//a", "/a//b")) {
      SandgateException refused =
          assertThrows(
              SandgateException.class,
              () -> rules(SnapshotRules.newBuilder().addScrubPaths(pattern)));
      assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
      assertEquals("rules.scrub_paths[0]", refused.field());
    }
    assertThrows(
        SandgateException.class,
        () ->
            rules(SnapshotRules.newBuilder().addAllForbiddenPaths(Collections.nCopies(257, "/a"))));
    assertThrows(
        SandgateException.class, () -> rules(SnapshotRules.newBuilder().setMaxBytes(1L << 60)));
  }
}
