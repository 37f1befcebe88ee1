// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.config.SnapshotCapacity;
import dev.sandgate.node.support.Programs;
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
  void shouldTakeOutFilesThatAreCredentialsByConvention() throws IOException {
    for (String gone :
        List.of("root/.vault-token", "root/.config/rclone/rclone.conf", "home/a/.s3cfg")) {
      file(gone, "secret");
    }
    file("w/.git/config", "[remote \"origin\"]\n\turl = https://u:token@example.org/x.git");
    file("w/deep.git/config", "\turl = https://ghp_0123456789abcdefghij@example.org/x.git");
    file("w/x/.git/modules/a/b/config", "\textraheader = AUTHORIZATION: basic eDp5\n");
    file("root/.config/git/config", "[github]\n\ttoken = 1");
    file("w/.env", "PORT=1\nexport DB_PASSWORD='x'");
    file("w/.env.production", "AWS_SECRET_ACCESS_KEY=1");
    file("w/.envrc", "URL=postgres://u:p@db/x");
    Set<String> kept = new TreeSet<>();
    keep(kept, "w/y/.git/config", "[remote \"origin\"]\n\turl = https://me@example.org/x.git");
    keep(kept, "w/y/config", "url = https://u:token@example.org/x.git");
    keep(kept, "w/y/.env", "PORT=1\nTOKEN=\nAPI_KEY=\"\"\nMAX_TOKENS=3\nSECRET=${OTHER}\n");
    keep(kept, "w/y/.env.example", "TOKEN=yours");
    keep(kept, "w/y/env", "TOKEN=1");
    Scrub.apply(root, rules(SnapshotRules.newBuilder()));
    assertEquals(kept, left());
  }

  private void keep(Set<String> kept, String path, String text) throws IOException {
    file(path, text);
    kept.add(path);
  }

  @Test
  void shouldNotTakeLongToLookForCredentials() throws IOException {
    file("w/.env", "\n".repeat(1 << 20));
    file("x/.env", "token_".repeat(100_000));
    file("y/.env", "://".repeat(100_000) + "a".repeat(500_000));
    file("z/.npmrc", "_auth" + " ".repeat(1_000_000));
    assertTimeoutPreemptively(
        Duration.ofSeconds(10), () -> Scrub.apply(root, rules(SnapshotRules.newBuilder())));
  }

  @Test
  void shouldTakeOutPipesAndKeepWhatHidesSomething() throws IOException {
    file("tmp/x", "1");
    Programs.run("mkfifo", root.resolve("tmp/pipe").toString(), root.resolve("pipe").toString());
    Programs.run("mknod", root.resolve("tmp/hidden").toString(), "c", "0", "0");
    Scrub.apply(root, rules(SnapshotRules.newBuilder()));
    assertEquals(Set.of("pipe", "tmp/hidden"), left());
  }

  @Test
  void shouldRefuseANameThatNoImageHoldsUnlessItGoes() throws IOException {
    file("tmp/" + "n".repeat(255), "x");
    Scrub.apply(root, rules(SnapshotRules.newBuilder()));
    for (String kind : List.of("touch", "mkdir")) {
      Path entry = root.resolve("srv-" + kind).resolve("n".repeat(255));
      Files.createDirectories(entry.getParent());
      Programs.run(kind, entry.toString());
      SandgateException refused =
          assertThrows(
              SandgateException.class, () -> Scrub.apply(root, rules(SnapshotRules.newBuilder())));
      assertEquals(ErrorCode.FAILED_PRECONDITION, refused.code());
      assertTrue(String.valueOf(refused.getMessage()).startsWith("/srv-" + kind + "/nnn"));
      Files.delete(entry);
    }
  }

  @Test
  void shouldTellEveryRuleInItsDocument() throws IOException {
    String document = Files.readString(Path.of("../docs/RESIDUE.md"));
    Stream.of(
            Residue.ENTRIES,
            Residue.FILES,
            Residue.MAY_HOLD_SECRETS,
            Residue.VARIABLES,
            Residue.EXAMPLES)
        .flatMap(List::stream)
        .forEach(rule -> assertTrue(document.contains("`" + rule + "`"), rule.toString()));
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
