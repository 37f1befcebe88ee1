// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Files.Attributes;
import dev.sandgate.spi.Files.Checksum;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Attributes, checksums and what happens when several write at once, when {@link Capability#FILES} is declared. */
interface FileSafetyCases {

  Fixture fixture();

  private Files files() {
    fixture().assumeHas(Capability.FILES);
    return fixture().shared().files();
  }

  private String directory() {
    String directory = fixture().scratch() + "/s" + System.nanoTime();
    Waiting.on(files().makeDirectory("", directory, 0755, false));
    return directory;
  }

  private Uni<Long> write(String path, byte[] data) {
    WriteTarget target = new WriteTarget("", path, 0644, WriteMode.TRUNCATE, 0, false);
    return files().write(target, FileBytes.chunks(data));
  }

  @Test
  default void shouldHashAFileInside() {
    String directory = directory();
    for (int size : new int[] {0, 1, 55, 56, 64, 65_536, 3_000_001}) {
      byte[] data = new byte[size];
      new Random(size).nextBytes(data);
      Waiting.on(write(directory + "/f", data));
      assertEquals(
          new Checksum(size, Capture.sha256Hex(data)),
          Waiting.on(files().checksum("", directory + "/f")));
    }
    assertEquals(ErrorCode.NOT_FOUND, Waiting.codeOf(files().checksum("", directory + "/missing")));
    assertEquals(ErrorCode.FILE_FAILED, Waiting.codeOf(files().checksum("", directory)));
    Waiting.on(files().remove("", directory, true));
  }

  @Test
  default void shouldChangeModeAndOwner() {
    String directory = directory();
    Waiting.on(write(directory + "/f", new byte[1]));
    Waiting.on(files().setAttributes("", directory + "/f", new Attributes(0705, "")));
    assertEquals(0705, Waiting.on(files().stat("", directory + "/f")).mode());
    String self = fixture().run(Command.of("id", "-u")).line();
    String group = fixture().run(Command.of("id", "-g")).line();
    Waiting.on(files().setAttributes("", directory + "/f", new Attributes(-1, self + ":" + group)));
    Waiting.on(files().setAttributes("", directory + "/f", new Attributes(-1, ":" + group)));
    assertEquals(0705, Waiting.on(files().stat("", directory + "/f")).mode());
    assertEquals(self, Integer.toString(Waiting.on(files().stat("", directory + "/f")).uid()));
    assertEquals(
        ErrorCode.FILE_FAILED,
        Waiting.codeOf(
            files().setAttributes("", directory + "/f", new Attributes(-1, "nobody-knows"))));
    assertEquals(
        ErrorCode.NOT_FOUND,
        Waiting.codeOf(files().setAttributes("", directory + "/none", new Attributes(0600, ""))));
    Waiting.on(files().remove("", directory, true));
  }

  @Test
  default void shouldNeverMixTwoWriters() {
    String path = directory() + "/f";
    List<CompletableFuture<Long>> writers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      byte[] data = new byte[1_000_000 + i];
      Arrays.fill(data, (byte) ('a' + i));
      writers.add(write(path, data).subscribeAsCompletionStage());
    }
    int whole = 0;
    for (CompletableFuture<Long> writer : writers) {
      Throwable failure = writer.handle((written, e) -> e).join();
      whole += failure == null ? 1 : 0;
      if (failure != null) {
        assertEquals(ErrorCode.FILE_FAILED, Waiting.codeOf(failure), failure::toString);
      }
    }
    assertTrue(whole > 0, "nobody could write");
    byte[] left = FileBytes.all(files().read("", path, 0, -1)).bytes();
    assertEquals(1_000_000 + left[0] - 'a', left.length);
    for (byte b : left) {
      assertEquals(left[0], b);
    }
    Waiting.on(files().remove("", path, false));
  }

  @Test
  default void shouldLetTheNextOneWriteAfterOneThatBrokeOff() {
    String path = directory() + "/f";
    WriteTarget target = new WriteTarget("", path, 0644, WriteMode.TRUNCATE, 0, false);
    Multi<ByteBuffer> broken =
        Multi.createBy()
            .concatenating()
            .streams(
                FileBytes.chunks(new byte[100]),
                Multi.createFrom().failure(new IllegalStateException("the caller broke off")));
    Waiting.failureOf(files().write(target, broken).subscribeAsCompletionStage());
    Waiting.on(write(path, "whole".getBytes(StandardCharsets.UTF_8)));
    assertEquals("whole", FileBytes.all(files().read("", path, 0, -1)).text());
    Waiting.on(files().remove("", path, false));
  }

  @Test
  default void shouldEndAFileThatGrows() {
    String path = directory() + "/growing";
    fixture().sh("echo begin > " + path).succeeded();
    Running writer =
        Fixture.start(fixture().shared(), Command.of("sh", "-c", "exec yes >> " + path));
    Eventually.holds("it grows", () -> Waiting.on(files().stat("", path)).size() > 100_000);
    assertTrue(FileBytes.all(files().read("", path, 0, -1)).count() > 100_000);
    writer.kill();
    Waiting.on(files().remove("", path, false));
  }

  @Test
  default void shouldTouchNoFileOfTheHostWhileALinkIsSwapped() throws IOException {
    assumeTrue(!fixture().plainProcesses(), "the backend claims no isolation");
    Path canary = java.nio.file.Files.createTempFile("sandgate-canary", "");
    java.nio.file.Files.writeString(canary, "host");
    String directory = directory();
    Running racer =
        Fixture.start(
            fixture().shared(),
            Command.of(
                "sh",
                "-c",
                "cd " + directory + "; while :; do ln -sfn / d; rm d; mkdir d; rmdir d; done"));
    String path = directory + "/d" + canary;
    for (int i = 0; i < 1_000; i++) {
      outcome(write(path, "sandbox".getBytes(StandardCharsets.UTF_8)));
      Uni<List<ByteBuffer>> read = files().read("", path, 0, -1).collect().asList();
      outcome(read.onItem().invoke(parts -> parts.forEach(FileSafetyCases::notOfTheHost)));
    }
    racer.kill();
    assertEquals("host", java.nio.file.Files.readString(canary));
    java.nio.file.Files.delete(canary);
    Waiting.on(files().remove("", directory, true));
  }

  private static void notOfTheHost(ByteBuffer part) {
    String text = StandardCharsets.UTF_8.decode(part).toString();
    assertEquals("sandbox", text);
  }

  /** Done, or refused with a typed error; in time. */
  private static void outcome(Uni<?> call) {
    Optional<Throwable> failure =
        Waiting.on(
            call.onItem()
                .transform(done -> Optional.<Throwable>empty())
                .onFailure()
                .recoverWithItem(Optional::of));
    failure.ifPresent(Waiting::codeOf);
  }
}
