// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.Tars;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import io.vertx.grpc.common.GrpcStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An archive is taken whole or refused, by name and with the fix. */
@Tag("root")
class ImportArchivesTest {

  private static final int RECORD = 512;

  private static TestNode node;
  @TempDir private Path directory;

  @BeforeAll
  static void begin() {
    node = TestNode.start(config -> TestNode.with(config, "backend.memory.layered", "true"));
  }

  @AfterAll
  static void end() {
    node.close();
  }

  private static Environment uploading(String name, byte[] data) {
    return importing(ImportEnvironmentRequest.newBuilder().setName(name).setUpload(true), data);
  }

  private static Environment replacing(byte[] data) {
    return importing(
        ImportEnvironmentRequest.newBuilder().setName("damaged").setUpload(true).setReplace(true),
        data);
  }

  private static Environment importing(ImportEnvironmentRequest.Builder first, byte[] data) {
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.send(first.build());
    for (int i = 0; i < data.length; i += 60_000) {
      ByteString part = ByteString.copyFrom(data, i, Math.min(60_000, data.length - i));
      call.send(ImportEnvironmentRequest.newBuilder().setData(part).build());
    }
    call.end();
    return call.rest().getLast().getEnvironment();
  }

  private static byte[] two() {
    return new Tars().file("etc/first", "1").file("etc/second", "2").bytes();
  }

  private static String random() {
    byte[] random = new byte[200_000];
    new Random(7).nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  private static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] flipped(byte[] whole, int at) {
    byte[] damaged = whole.clone();
    damaged[at] ^= 0x01;
    return damaged;
  }

  private static byte[] magic(int size, int... first) {
    byte[] bytes = new byte[size];
    new Random(3).nextBytes(bytes);
    for (int i = 0; i < first.length; i++) {
      bytes[i] = (byte) first[i];
    }
    return bytes;
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(all::writeBytes);
    return all.toByteArray();
  }

  static Stream<Arguments> damaged() {
    byte[] two = two();
    byte[] large = gzip(new Tars().file("etc/large", random()).bytes());
    byte[] text = "no archive at all, just words\n".repeat(60).getBytes(StandardCharsets.UTF_8);
    String deep = "d/".repeat(2_200) + "f";
    return Stream.of(
        Arguments.of("nothing", new byte[0], "it is empty"),
        Arguments.of("a short text", Arrays.copyOf(text, 200), "no tar"),
        Arguments.of("a longer text", text, "no tar"),
        Arguments.of("half a header", Arrays.copyOf(two, 300), "no tar"),
        Arguments.of("a bit of a header", flipped(two, 2 * RECORD + 108), "etc/first"),
        Arguments.of("cut in a header", Arrays.copyOf(two, 2 * RECORD + 100), "etc/first"),
        Arguments.of("cut between entries", Arrays.copyOf(two, 2 * RECORD), "etc/first"),
        Arguments.of("cut in a file", Arrays.copyOf(two, 3 * RECORD), "etc/second"),
        Arguments.of("cut gzip", Arrays.copyOf(gzip(two), 100), "cut off"),
        Arguments.of("cut gzip trailer", Arrays.copyOf(large, large.length - 5), "etc/large"),
        Arguments.of("a bit of a gzip", flipped(large, large.length / 2), "etc/large"),
        Arguments.of("a gzip's checksum", flipped(large, large.length - 8), "etc/large"),
        Arguments.of("no gzip", magic(900, 0x1f, 0x8b, 8, 0), "gzip"),
        Arguments.of("xz", magic(200, 0xfd, '7', 'z', 'X', 'Z', 0), "xz -dc"),
        Arguments.of("large xz", magic(9_000, 0xfd, '7', 'z', 'X', 'Z', 0), "xz -dc"),
        Arguments.of("zstd", magic(300, 0x28, 0xb5, 0x2f, 0xfd), "zstd -dc"),
        Arguments.of(
            "bzip2", magic(300, 'B', 'Z', 'h', '9', '1', 'A', 'Y', '&', 'S', 'Y'), "bzip2 -dc"),
        Arguments.of("a long name", new Tars().file("n".repeat(255), "").bytes(), "254 bytes"),
        Arguments.of("a deep tree", new Tars().file(deep, "").bytes(), "3,000 bytes"),
        Arguments.of(
            "a long link", new Tars().link("way", "w/".repeat(3_000)).bytes(), "3,000 bytes"));
  }

  /** PAX headers are UTF-8; some programs write other bytes all the same. */
  private static byte[] rawPax() {
    byte[] archive = new Tars().file("n".repeat(120) + "@", "").bytes();
    for (int i = 0; i < archive.length; i++) {
      archive[i] = archive[i] == '@' ? (byte) 0xff : archive[i];
    }
    return archive;
  }

  /** A record without an equals sign. */
  private static byte[] damagedPax() {
    byte[] archive = new Tars().with("etc/a", "", "SCHILY.xattr.user.x", "@").bytes();
    for (int i = 1; i < archive.length; i++) {
      archive[i - 1] = archive[i] == '@' ? (byte) '.' : archive[i - 1];
    }
    return archive;
  }

  /** More names of one file than any file of ext4 has. */
  private static byte[] manyNames() {
    Tars tar = new Tars().file("etc/one", "");
    for (int i = 0; i < 65_001; i++) {
      tar.hardLink("etc/n" + i, "etc/one");
    }
    return tar.bytes();
  }

  static Stream<Arguments> unkept() {
    String big = "v".repeat(5_000);
    String attribute = "SCHILY.xattr.user.big";
    return Stream.of(
        Arguments.of("no UTF-8", Tars.latin1().file("etc/n\u00ff", "").bytes(), "etc/n"),
        Arguments.of("a link to it", Tars.latin1().link("way", "na\u00efve").bytes(), "way"),
        Arguments.of("a name of it", Tars.latin1().hardLink("one", "n\u00ff").bytes(), "one"),
        Arguments.of(
            "a long one", Tars.latin1().file("n".repeat(120) + "\u00ff", "").bytes(), "not UTF-8"),
        Arguments.of("in a PAX header", rawPax(), "not UTF-8"),
        Arguments.of("a damaged PAX header", damagedPax(), "PAX header"),
        Arguments.of("names of one file", manyNames(), "etc/n6"),
        Arguments.of("an owner", new Tars().owned("etc/his", 65_536, 0).bytes(), "etc/his"),
        Arguments.of("a group", new Tars().owned("etc/his", 0, 70_000).bytes(), "65,535"),
        Arguments.of("nobody", new Tars().owned("etc/his", 4_294_967_295L, 0).bytes(), "etc/his"),
        Arguments.of(
            "a large attribute", new Tars().with("etc/a", "", attribute, big).bytes(), "user.big"),
        Arguments.of(
            "a larger one",
            new Tars().with("etc/a", "", attribute, big.repeat(14)).bytes(),
            "70,000"),
        Arguments.of(
            "an access list of a name",
            new Tars().with("etc/a", "", "SCHILY.acl.access", "user:lisa:rw-").bytes(),
            "--numeric-owner"),
        Arguments.of(
            "of a directory", new Tars().with("etc/", "", attribute, big).bytes(), "user.big"),
        Arguments.of(
            "of a link",
            new Tars().with("way", "to", "SCHILY.xattr.trusted.x", "y").bytes(),
            "trusted.x"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unkept")
  void shouldRefuseByNameWhatALayerWouldNotKeep(String what, byte[] archive, String why)
      throws IOException {
    shouldRefuseWhatIsNoWholeArchive(what, archive, why);
  }

  @Test
  void shouldKeepEveryKindOfNameThatALayerHolds() throws Exception {
    String longest = "n".repeat(254);
    byte[] archive =
        new Tars()
            .file("etc/\u00e4\u732b", "1")
            .file(longest, "2")
            .link("one", "etc/nowhere")
            .hardLink("two", "one")
            .hardLink("two", "one")
            .owned("etc/last", 65_535, 65_535)
            .bytes();
    Environment made = uploading("names", archive);
    Path seen = unpacked(made);
    assertEquals("1", Files.readString(seen.resolve("etc/\u00e4\u732b")));
    assertEquals("2", Files.readString(seen.resolve(longest)));
    assertEquals(Path.of("etc/nowhere"), Files.readSymbolicLink(seen.resolve("two")));
    assertEquals(65_535, Files.getAttribute(seen.resolve("etc/last"), "unix:uid"));
  }

  @Test
  void shouldKeepAccessListsAsTarWritesThem() throws Exception {
    String list = "user::rw-,group::r--,other::---,mask::r--,user:lisa:r--:7";
    byte[] archive = new Tars().with("etc/a", "", "SCHILY.acl.access", list).bytes();
    Environment made = uploading("lists", archive);
    String file = made.getLayers(0).getDigest().replace(':', '-') + ".erofs";
    String image = node.directory().resolve("layers").resolve(file).toString();
    String look = Path.of(getClass().getResource("/images/attribute.py").toURI()).toString();
    String seen =
        Programs.run("unshare", "-m", "python3", look, image, "etc/a", "system.posix_acl_access");
    String kept =
        "02000000 01000600ffffffff 0200040007000000 04000400ffffffff 10000400ffffffff 20000000ffffffff";
    assertEquals(kept.replace(" ", ""), seen.strip());
  }

  private Path unpacked(Environment made) {
    String file = made.getLayers(0).getDigest().replace(':', '-') + ".erofs";
    Path seen = directory.resolve("seen");
    Path image = node.directory().resolve("layers").resolve(file);
    Programs.run("fsck.erofs", "--preserve", "--extract=" + seen, image.toString());
    return seen;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("damaged")
  void shouldRefuseWhatIsNoWholeArchive(String what, byte[] archive, String why)
      throws IOException {
    ByteArrayOutputStream logged = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
    Failed refused;
    try {
      refused = assertThrows(Failed.class, () -> replacing(archive), what);
    } finally {
      System.setErr(before);
    }
    String message = String.valueOf(refused.getMessage());
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status(), message);
    assertTrue(message.contains(why), message);
    String log = logged.toString(StandardCharsets.UTF_8);
    assertFalse(log.contains("\tat "), log);
    try (Stream<Path> left = Files.list(node.directory().resolve("imports"))) {
      assertEquals(0, left.count(), "an unfinished import is left");
    }
  }

  @Test
  void shouldRefuseAFileOfTheNodeThatIsNoArchive() {
    for (String file : List.of("/etc/passwd", "/etc", "/dev/zero")) {
      Failed refused =
          assertThrows(
              Failed.class,
              () ->
                  importing(
                      ImportEnvironmentRequest.newBuilder().setName("file").setTar(file),
                      new byte[0]),
              file);
      assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status(), file);
    }
  }

  @Test
  void shouldTakeWholeArchivesOfEveryKind() {
    byte[] two = two();
    String digest = uploading("plain", two).getLayers(0).getDigest();
    int half = two.length / 2;
    List<byte[]> same =
        List.of(
            gzip(two),
            joined(gzip(Arrays.copyOf(two, half)), gzip(Arrays.copyOfRange(two, half, two.length))),
            joined(two, new byte[300_000]));
    for (int i = 0; i < same.size(); i++) {
      Environment made = uploading("same" + i, same.get(i));
      assertEquals(digest, made.getLayers(0).getDigest(), "archive " + i);
    }
  }

  @ParameterizedTest(name = "{0} KiB")
  @ValueSource(ints = {1_300, 4_000})
  void shouldSayThatTheDiskIsFull(int kibibytes) throws Exception {
    Path imports = node.directory().resolve("imports");
    tool("mount", "-t", "tmpfs", "-o", "size=2m", "small", imports.toString());
    try {
      byte[] large = new Tars().file("large", "x".repeat(kibibytes << 10)).bytes();
      Failed full = assertThrows(Failed.class, () -> uploading("large", large));
      assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, full.status());
      String message = String.valueOf(full.getMessage());
      assertTrue(message.contains("no space left on " + node.directory()), message);
    } finally {
      tool("umount", imports.toString());
    }
  }

  @Test
  void shouldSayThatTheDiskTakesNoMoreFiles() throws Exception {
    Path imports = node.directory().resolve("imports");
    tool("mount", "-t", "tmpfs", "-o", "nr_inodes=50", "small", imports.toString());
    try {
      Tars many = new Tars();
      for (int i = 0; i < 100; i++) {
        many.link("link" + i, "nowhere");
      }
      Failed full = assertThrows(Failed.class, () -> uploading("many", many.bytes()));
      assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, full.status(), full.getMessage());
    } finally {
      tool("umount", imports.toString());
    }
  }

  private static void tool(String... command) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
  }
}
