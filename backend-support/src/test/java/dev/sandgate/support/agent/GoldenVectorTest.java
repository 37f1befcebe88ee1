// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.FieldWriter;
import dev.sandgate.support.wire.MalformedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The frames both languages agree on. */
final class GoldenVectorTest {

  private static final Path VECTORS =
      Path.of(System.getProperty("sandgate.root"), "native/vectors");

  static Stream<String> frames() throws IOException {
    return Files.readAllLines(VECTORS.resolve("frames.txt")).stream()
        .filter(line -> !line.isEmpty() && !line.startsWith("#"));
  }

  @ParameterizedTest
  @MethodSource("frames")
  void shouldEncodeAsAgreed(String line) {
    String[] columns = line.split(" \\| ", -1);
    int[] head = head(columns[2]);
    List<String> fields = fields(columns[3]);
    ByteBuf frame =
        Link.encode(
            Unpooled.buffer(), head[0], head[1], head[2], out -> fields.forEach(f -> put(out, f)));
    byte[] bytes = new byte[frame.readableBytes()];
    frame.readBytes(bytes);
    if (!columns[3].contains("%FF") && !columns[3].contains("%80") && !columns[3].contains("%FE")) {
      assertEquals(columns[4], HexFormat.of().formatHex(bytes));
    }
  }

  @ParameterizedTest
  @MethodSource("frames")
  void shouldDecodeAsAgreedHoweverItIsCut(String line) {
    String[] columns = line.split(" \\| ", -1);
    byte[] bytes = HexFormat.of().parseHex(columns[4]);
    for (int piece : List.of(1, 7, bytes.length)) {
      List<Frame> got = decode(bytes, piece);
      assertEquals(1, got.size());
      int[] head = head(columns[2]);
      assertEquals(head[0], got.getFirst().type());
      assertEquals(head[1], got.getFirst().flags());
      assertEquals(head[2], got.getFirst().channel());
      FieldReader reader = got.getFirst().fields();
      fields(columns[3]).forEach(field -> check(reader, field));
      reader.end();
    }
  }

  @Test
  void shouldRefuseFramesThatAreNone() throws IOException {
    List<String> names = List.of("length-over-limit", "length-huge", "hello-reserved-not-zero");
    List<String> lines =
        Files.readAllLines(VECTORS.resolve("malformed.txt")).stream()
            .filter(line -> names.contains(line.split(" \\| ", -1)[0]))
            .toList();
    assertEquals(names.size(), lines.size());
    for (String line : lines) {
      byte[] bytes = HexFormat.of().parseHex(line.split(" \\| ", -1)[2]);
      assertThrows(MalformedFrameException.class, () -> decode(bytes, bytes.length), line);
    }
  }

  @Test
  void shouldRefuseFieldsThatDoNotFit() {
    FieldReader cut = new FieldReader(ByteBuffer.wrap(new byte[] {0, 5, 'a'}));
    assertThrows(MalformedFrameException.class, cut::str);
    FieldReader nul = new FieldReader(ByteBuffer.wrap(new byte[] {0, 2, 'a', 0}));
    assertThrows(MalformedFrameException.class, nul::str);
    FieldReader list = new FieldReader(ByteBuffer.wrap(new byte[] {0, 2, 0, 0}));
    assertThrows(MalformedFrameException.class, list::list);
    FieldReader rest = new FieldReader(ByteBuffer.wrap(new byte[] {1, 2}));
    assertEquals(1, rest.u8());
    assertThrows(MalformedFrameException.class, rest::end);
  }

  private static List<Frame> decode(byte[] bytes, int piece) {
    List<Frame> got = new ArrayList<>();
    FrameDecoder decoder = new FrameDecoder(got::add);
    for (int at = 0; at < bytes.length; at += piece) {
      decoder.feed(Unpooled.wrappedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
    }
    return got;
  }

  private static int[] head(String column) {
    String[] numbers = column.split(" ", -1);
    return new int[] {
      Integer.parseInt(numbers[0]),
      Integer.parseInt(numbers[1]),
      Integer.parseUnsignedInt(numbers[2])
    };
  }

  private static List<String> fields(String column) {
    return column.equals("-") ? List.of() : List.of(column.split(" ", -1));
  }

  private static String kind(String field) {
    return field.substring(0, field.indexOf(':'));
  }

  private static String value(String field) {
    return field.substring(field.indexOf(':') + 1);
  }

  private static List<String> items(String value) {
    int colon = value.indexOf(':');
    boolean none = value.startsWith("0:");
    return none
        ? List.of()
        : Stream.of(value.substring(colon + 1).split(",", -1)).map(GoldenVectorTest::text).toList();
  }

  private static String text(String quoted) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < quoted.length(); i++) {
      if (quoted.charAt(i) == '%') {
        bytes.write(Integer.parseInt(quoted.substring(i + 1, i + 3), 16));
        i += 2;
      } else {
        bytes.write(quoted.charAt(i));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static void put(FieldWriter out, String field) {
    String value = value(field);
    switch (kind(field)) {
      case "u8" -> out.u8(Integer.parseInt(value));
      case "u16" -> out.u16(Integer.parseInt(value));
      case "u32", "i32" -> out.u32(Long.parseLong(value));
      case "u64" -> out.u64(Long.parseUnsignedLong(value));
      case "i64" -> out.u64(Long.parseLong(value));
      case "str" -> out.str(text(value));
      case "list" -> out.list(items(value));
      case "bytes" -> out.bytes(ByteBuffer.wrap(HexFormat.of().parseHex(value)));
      default -> throw new AssertionError(field);
    }
  }

  private static void check(FieldReader in, String field) {
    String value = value(field);
    switch (kind(field)) {
      case "u8" -> assertEquals(Integer.parseInt(value), in.u8());
      case "u16" -> assertEquals(Integer.parseInt(value), in.u16());
      case "u32" -> assertEquals(Long.parseLong(value), in.u32());
      case "i32" -> assertEquals(Integer.parseInt(value), in.i32());
      case "u64" -> assertEquals(Long.parseUnsignedLong(value), in.u64());
      case "i64" -> assertEquals(Long.parseLong(value), in.u64());
      case "str" -> assertEquals(text(value), in.str());
      case "list" -> assertEquals(items(value), in.list());
      case "bytes" -> {
        ByteBuffer bytes = in.bytes();
        byte[] got = new byte[bytes.remaining()];
        bytes.get(got);
        assertEquals(value, HexFormat.of().formatHex(got));
      }
      default -> throw new AssertionError(field);
    }
  }
}
