// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Files.FileInfo;
import dev.sandgate.spi.Files.FileType;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** File operations, when {@link Capability#FILES} is declared; commands see what they do and the reverse. */
interface FilesCases {

  Fixture fixture();

  private Files files() {
    fixture().assumeHas(Capability.FILES);
    return fixture().shared().files();
  }

  /** An empty directory of the case's own. */
  private String directory() {
    String directory = fixture().scratch() + "/f" + System.nanoTime();
    Waiting.on(files().makeDirectory("", directory, 0755, false));
    return directory;
  }

  private void gone(String directory) {
    Waiting.on(files().remove("", directory, true));
    assertEquals(ErrorCode.NOT_FOUND, Waiting.codeOf(files().stat("", directory)));
  }

  private long write(String path, String text) {
    return write(new WriteTarget("", path, 0644, WriteMode.TRUNCATE, 0, false), text);
  }

  private long write(WriteTarget target, String text) {
    return Waiting.on(
        files().write(target, FileBytes.chunks(text.getBytes(StandardCharsets.UTF_8))));
  }

  private String text(String path) {
    return new String(FileBytes.all(files().read("", path, 0, -1)).bytes(), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_536, 65_537, 10_000_000})
  default void shouldReadBackWhatWasWritten(int size) {
    String directory = directory();
    byte[] data = new byte[size];
    new Random(size).nextBytes(data);
    WriteTarget target = new WriteTarget("", directory + "/data", 0640, WriteMode.CREATE, 0, false);
    assertEquals(size, Waiting.on(files().write(target, FileBytes.chunks(data))));
    Capture back = FileBytes.all(files().read("", directory + "/data", 0, -1));
    assertEquals(size, back.count());
    assertEquals(Capture.sha256Hex(data), back.sha256Hex());
    String seen = fixture().run(Command.of("sha256sum", directory + "/data")).line();
    assertEquals(Capture.sha256Hex(data), seen.substring(0, 64));
    gone(directory);
  }

  @Test
  default void shouldReadARange() {
    String directory = directory();
    write(directory + "/f", "0123456789");
    assertEquals("345", FileBytes.all(files().read("", directory + "/f", 3, 3)).text());
    assertEquals("89", FileBytes.all(files().read("", directory + "/f", 8, 100)).text());
    assertEquals("", FileBytes.all(files().read("", directory + "/f", 10, -1)).text());
    assertEquals("", FileBytes.all(files().read("", directory + "/f", 99, 5)).text());
    gone(directory);
  }

  @Test
  default void shouldTreatAnExistingFileAsTheModeSays() {
    String directory = directory();
    String path = directory + "/f";
    write(path, "long content");
    write(path, "short");
    assertEquals("short", text(path));
    WriteTarget create = new WriteTarget("", path, 0644, WriteMode.CREATE, 0, false);
    assertEquals(
        ErrorCode.ALREADY_EXISTS,
        Waiting.codeOf(files().write(create, FileBytes.chunks(new byte[1]))));
    write(new WriteTarget("", path, 0644, WriteMode.APPEND, 0, false), "+more");
    assertEquals("short+more", text(path));
    write(new WriteTarget("", path, 0644, WriteMode.RESUME, 5, false), "-end");
    assertTrue(text(path).startsWith("short-end"), text(path));
    gone(directory);
  }

  @Test
  default void shouldResumeABigFile() {
    String directory = directory();
    byte[] data = new byte[3_000_000];
    new Random(3).nextBytes(data);
    int cut = 1_234_567;
    WriteTarget first = new WriteTarget("", directory + "/f", 0644, WriteMode.CREATE, 0, false);
    Multi<ByteBuffer> broken =
        Multi.createBy()
            .concatenating()
            .streams(
                FileBytes.chunks(java.util.Arrays.copyOf(data, cut)),
                Multi.createFrom().failure(new IllegalStateException("the caller broke off")));
    Waiting.failureOf(files().write(first, broken).subscribeAsCompletionStage());
    long kept = Waiting.on(files().stat("", directory + "/f")).size();
    assertTrue(kept <= cut, () -> kept + " bytes");
    WriteTarget rest = new WriteTarget("", directory + "/f", 0644, WriteMode.RESUME, kept, false);
    byte[] tail = java.util.Arrays.copyOfRange(data, (int) kept, data.length);
    assertEquals(tail.length, Waiting.on(files().write(rest, FileBytes.chunks(tail))));
    assertEquals(
        Capture.sha256Hex(data),
        FileBytes.all(files().read("", directory + "/f", 0, -1)).sha256Hex());
    gone(directory);
  }

  @Test
  default void shouldMakeMissingParents() {
    String directory = directory();
    write(new WriteTarget("", directory + "/a/b/f", 0600, WriteMode.CREATE, 0, true), "deep");
    assertEquals("deep", fixture().run(Command.of("cat", directory + "/a/b/f")).line());
    WriteTarget orphan = new WriteTarget("", directory + "/x/f", 0600, WriteMode.CREATE, 0, false);
    assertEquals(
        ErrorCode.NOT_FOUND, Waiting.codeOf(files().write(orphan, FileBytes.chunks(new byte[1]))));
    gone(directory);
  }

  @Test
  default void shouldDescribeEntries() {
    String directory = directory();
    write(new WriteTarget("", directory + "/f", 0640, WriteMode.CREATE, 0, false), "12345");
    fixture()
        .sh("cd " + directory + "; ln -s f link; ln -s /nowhere dangling; mkfifo pipe")
        .succeeded();
    FileInfo file = Waiting.on(files().stat("", directory + "/f"));
    assertEquals(FileType.REGULAR, file.type());
    assertEquals(5, file.size());
    assertEquals(0640, file.mode());
    assertEquals(directory + "/f", file.path());
    assertEquals(fixture().run(Command.of("id", "-u")).line(), Integer.toString(file.uid()));
    long age = System.currentTimeMillis() - file.modifiedNanos() / 1_000_000;
    assertTrue(age > -60_000 && age < 60_000, () -> "modified " + age + " ms ago");
    assertEquals(FileType.DIRECTORY, Waiting.on(files().stat("", directory)).type());
    FileInfo link = Waiting.on(files().stat("", directory + "/link"));
    assertEquals(FileType.SYMLINK, link.type());
    assertEquals("f", link.linkTarget());
    assertEquals("/nowhere", Waiting.on(files().stat("", directory + "/dangling")).linkTarget());
    assertEquals(FileType.OTHER, Waiting.on(files().stat("", directory + "/pipe")).type());
    gone(directory);
  }

  @Test
  default void shouldRefuseWhatIsNoRegularFileAtOnce() {
    String directory = directory();
    fixture().sh("mkfifo " + directory + "/pipe").succeeded();
    for (String path : List.of(directory + "/pipe", directory)) {
      assertEquals(
          ErrorCode.FILE_FAILED, Waiting.codeOf(files().read("", path, 0, -1).collect().asList()));
    }
    WriteTarget pipe = new WriteTarget("", directory + "/pipe", 0644, WriteMode.TRUNCATE, 0, false);
    assertEquals(
        ErrorCode.FILE_FAILED, Waiting.codeOf(files().write(pipe, FileBytes.chunks(new byte[1]))));
    gone(directory);
  }

  @Test
  default void shouldSayWhatDoesNotExist() {
    String missing = directory();
    gone(missing);
    assertEquals(ErrorCode.NOT_FOUND, Waiting.codeOf(files().stat("", missing)));
    assertEquals(
        ErrorCode.NOT_FOUND, Waiting.codeOf(files().read("", missing, 0, -1).collect().asList()));
    assertEquals(
        ErrorCode.NOT_FOUND, Waiting.codeOf(files().list("", missing, 1).collect().asList()));
    assertEquals(ErrorCode.NOT_FOUND, Waiting.codeOf(files().remove("", missing, false)));
    assertEquals(ErrorCode.NOT_FOUND, Waiting.codeOf(files().move("", missing, missing + "2")));
  }

  @Test
  default void shouldKeepUsersApart() {
    String other = fixture().subject().tools().otherUser();
    assumeTrue(!other.isEmpty(), "the environment has no second user");
    String directory = directory();
    write(new WriteTarget("", directory + "/f", 0600, WriteMode.CREATE, 0, false), "secret");
    String mine = fixture().run(Command.of("id", "-u")).line();
    String denied = mine.equals("0") ? other : "";
    String owner = mine.equals("0") ? "" : mine;
    assertEquals("secret", FileBytes.all(files().read(owner, directory + "/f", 0, -1)).text());
    if (!denied.isEmpty()) {
      Uni<?> theft = files().read(denied, directory + "/f", 0, -1).collect().asList();
      assertEquals(ErrorCode.PERMISSION_DENIED, Waiting.codeOf(theft));
    }
    gone(directory);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with space",
        "new\nline",
        "-rf",
        "ünïcødé€😀",
        "quote'\"\\",
        "*?[a]",
        "...",
        "tab\t\u0001"
      })
  default void shouldAcceptOddNames(String name) {
    String directory = directory();
    String path = directory + "/" + name;
    write(path, "odd");
    assertEquals("odd", fixture().run(Command.of("cat", path)).line());
    List<FileInfo> listed = Waiting.on(files().list("", directory, 1).collect().asList());
    assertEquals(List.of(path), listed.stream().map(FileInfo::path).toList());
    Waiting.on(files().move("", path, path + "2"));
    Waiting.on(files().remove("", path + "2", false));
    gone(directory);
  }

  @Test
  default void shouldListToTheDepthAsked() {
    String directory = directory();
    fixture()
        .sh("cd " + directory + "; mkdir -p a/b/c; touch f a/g a/b/h; ln -s a link")
        .succeeded();
    assertEquals(Set.of("/a", "/f", "/link"), listed(directory, 1));
    assertEquals(Set.of("/a", "/f", "/link", "/a/b", "/a/g"), listed(directory, 2));
    assertEquals(7, listed(directory, 64).size());
    gone(directory);
  }

  private Set<String> listed(String directory, int depth) {
    return Waiting.on(files().list("", directory, depth).collect().asList()).stream()
        .map(info -> info.path().substring(directory.length()))
        .collect(Collectors.toSet());
  }

  @Test
  default void shouldListManyEntries() {
    String directory = directory();
    fixture().sh("cd " + directory + "; seq 1 5000 | xargs touch").succeeded();
    assertEquals(5000, listed(directory, 1).size());
    gone(directory);
  }

  @Test
  default void shouldMakeDirectories() {
    String directory = directory();
    Waiting.on(files().makeDirectory("", directory + "/x/y", 0700, true));
    Waiting.on(files().makeDirectory("", directory + "/x/y", 0700, true));
    assertEquals(0700, Waiting.on(files().stat("", directory + "/x/y")).mode());
    assertEquals(
        ErrorCode.ALREADY_EXISTS,
        Waiting.codeOf(files().makeDirectory("", directory + "/x/y", 0700, false)));
    assertEquals(
        ErrorCode.NOT_FOUND,
        Waiting.codeOf(files().makeDirectory("", directory + "/p/q", 0700, false)));
    gone(directory);
  }

  @Test
  default void shouldMoveAndReplace() {
    String directory = directory();
    write(directory + "/from", "new");
    write(directory + "/to", "old");
    Waiting.on(files().move("", directory + "/from", directory + "/to"));
    assertEquals("new", text(directory + "/to"));
    assertEquals(Set.of("/to"), listed(directory, 1));
    gone(directory);
  }

  @Test
  default void shouldRemoveALinkAndNotItsTarget() {
    String directory = directory();
    fixture()
        .sh("cd " + directory + "; mkdir keep; touch keep/f; mkdir d; ln -s ../keep d/l")
        .succeeded();
    assertEquals(
        ErrorCode.FILE_FAILED, Waiting.codeOf(files().remove("", directory + "/d", false)));
    Waiting.on(files().remove("", directory + "/d", true));
    assertEquals(Set.of("/keep", "/keep/f"), listed(directory, 9));
    gone(directory);
  }

  @Test
  default void shouldRemoveADeepTree() {
    String directory = directory();
    fixture()
        .sh("cd " + directory + "; i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i+1)); done")
        .succeeded();
    gone(directory);
  }

  @Test
  default void shouldSendNoMoreThanTheReaderAsksFor() {
    String directory = directory();
    fixture().sh("head -c 20000000 /dev/zero > " + directory + "/f").succeeded();
    FileBytes.Slow reader = new FileBytes.Slow();
    files().read("", directory + "/f", 0, -1).subscribe(reader);
    reader.request(3);
    Eventually.holds("three chunks", () -> reader.chunks() == 3);
    reader.request(2);
    Eventually.holds("five chunks", () -> reader.chunks() == 5);
    reader.cancel();
    gone(directory);
  }

  @Test
  default void shouldTakeNoMoreThanItHasRoomFor() {
    String directory = directory();
    AtomicLong asked = new AtomicLong();
    WriteTarget target = new WriteTarget("", directory + "/f", 0644, WriteMode.CREATE, 0, false);
    Multi<ByteBuffer> source =
        FileBytes.chunks(new byte[1 << 20])
            .onRequest()
            .invoke(n -> asked.accumulateAndGet(n, Math::max));
    assertEquals(1 << 20, Waiting.on(files().write(target, source)));
    assertTrue(asked.get() <= 64, () -> asked + " chunks were asked for at once");
    gone(directory);
  }

  @Test
  default void shouldReadAHugeSparseFileByRange() {
    String directory = directory();
    String path = directory + "/sparse";
    fixture().sh("dd if=/dev/null of=" + path + " bs=1 seek=1099511627776 2>/dev/null").succeeded();
    assertEquals(1L << 40, Waiting.on(files().stat("", path)).size());
    assertArrayEquals(
        new byte[5], FileBytes.all(files().read("", path, (1L << 40) - 5, -1)).bytes());
    gone(directory);
  }
}
