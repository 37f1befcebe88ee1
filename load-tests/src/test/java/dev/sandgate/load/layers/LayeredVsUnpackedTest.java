// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The experiment in miniature; whether it is won is not for a test of seconds to say. */
@Tag("root")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LayeredVsUnpackedTest {

  private static final int PARTS = 2;
  private static final int FILE_BYTES = 100_000;

  @TempDir private Path directory;

  private LoadReport run(String command) throws Exception {
    LoadArguments arguments =
        new LoadArguments(
            directory, Optional.empty(), OptionalInt.of(2), 1, OptionalLong.empty(), _ -> {});
    List<String> commands =
        List.of("cat /part1/file /part2/file | wc -c", "echo x >> /part1/file", command);
    return new LayeredVsUnpacked(_ -> new Material(archives(), commands)).run(arguments);
  }

  private List<Path> archives() throws IOException, InterruptedException {
    Path base = Files.createDirectories(directory.resolve("base"));
    for (String place : List.of("bin", "proc", "sys", "dev", "tmp", "etc", "root")) {
      Files.createDirectories(base.resolve(place));
    }
    Files.copy(Path.of("/bin/busybox"), base.resolve("bin/busybox"));
    for (String applet : List.of("sh", "cat", "wc", "tar", "hostname")) {
      Files.createSymbolicLink(base.resolve("bin").resolve(applet), Path.of("busybox"));
    }
    for (int i = 1; i <= PARTS; i++) {
      Path part = directory.resolve("p" + i);
      Path tree = Files.createDirectories(part.resolve("part" + i));
      Files.write(tree.resolve("file"), new byte[FILE_BYTES]);
    }
    return List.of(packed("base"), packed("p1"), packed("p2"));
  }

  private Path packed(String name) throws IOException, InterruptedException {
    Path archive = directory.resolve(name + ".tar");
    int status =
        new ProcessBuilder(
                "tar", "-C", directory.resolve(name).toString(), "-cf", archive.toString(), ".")
            .start()
            .waitFor();
    assertEquals(0, status);
    return archive;
  }

  @Test
  void shouldCompareTimeAndBytesOfTheSameCommandsBothWays() throws Exception {
    LoadReport report = run("cat /part1/file | wc -c");
    assertEquals(2.0, report.figures().get("sandboxes_each_way"));
    assertEquals(FILE_BYTES + 2.0, report.figures().get("layered_bytes_mean"));
    assertEquals(PARTS * FILE_BYTES + 2.0, report.figures().get("unpacked_bytes_mean"));
    assertTrue(ratio(report, "unpacked_vs_layered_bytes_gain") > 1.9, report::toString);
    assertTrue(ratio(report, "unpacked_vs_layered_time_gain") > 0, report::toString);
    assertEquals(1.76, report.figures().get("paper_time_gain"));
    assertTrue(
        report.notes().contains("must the same output both ways, in every sandbox: held"),
        report::toString);
  }

  private static double ratio(LoadReport report, String name) {
    Double found = report.ratios().get(name);
    return found == null ? -1 : found;
  }

  @Test
  void shouldNoticeCommandsThatDifferFromSandboxToSandbox() throws Exception {
    LoadReport report = run("hostname");
    assertTrue(
        report.notes().contains("must the same output both ways, in every sandbox: MISSED"),
        report::toString);
    assertTrue(!report.ok());
  }
}
