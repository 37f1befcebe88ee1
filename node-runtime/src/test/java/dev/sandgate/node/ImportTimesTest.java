// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times of files that are far away are those that tar, which is not ours, unpacks. */
@Tag("root")
class ImportTimesTest {

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

  private static String script(String name) throws URISyntaxException {
    return Path.of(ImportTimesTest.class.getResource("/images/" + name).toURI()).toString();
  }

  private Path archive(String... times) throws Exception {
    Path archive = directory.resolve("timed.tar");
    List<String> command =
        new ArrayList<>(List.of("python3", script("timed_archive.py"), archive.toString()));
    command.addAll(List.of(times));
    Programs.run(command.toArray(String[]::new));
    return archive;
  }

  private static Environment take(Path archive) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(
        ImportEnvironmentRequest.newBuilder()
            .setName("timed")
            .setTar(archive.toString())
            .setReplace(true)
            .build());
    return call.rest().getLast().getEnvironment();
  }

  @Test
  void shouldShowTheTimesThatTarUnpacks() throws Exception {
    String[] times = {
      "0",
      "0.000000001",
      "1234567890.123456789",
      "-2",
      "-2.5",
      "-86400",
      "-1000000000.25",
      "-2208988800",
      "-99999999999",
      "4102444800",
      "4102444801.5",
      "9223372036.9",
      "9999999999",
      "15032385535",
      "99999999999",
      "253402300799"
    };
    Path archive = archive(times);
    Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
    Programs.run("tar", "-C", unpacked.toString(), "-xf", archive.toString());
    Files.setLastModifiedTime(unpacked, FileTime.fromMillis(0));
    String file = take(archive).getLayers(0).getDigest().replace(':', '-') + ".erofs";
    String image = node.directory().resolve("layers").resolve(file).toString();
    String compare = script("compare_trees.py");
    String told =
        Programs.run("unshare", "-m", "python3", compare, unpacked.toString(), image).strip();
    assertTrue(told.matches("49 entries compared, 0 with several names"), told);
    assertEquals(take(archive).getDigest(), take(archive).getDigest());
  }

  @Timeout(30)
  @ParameterizedTest
  @ValueSource(strings = {"99999999999999999999", "1e999999999", "-1e999999999", "soon", "1.2.3"})
  void shouldRefuseATimeThatIsNone(String time) throws Exception {
    Path archive = archive(time);
    refused(GrpcStatus.INVALID_ARGUMENT, () -> take(archive));
  }
}
