// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports of one name at the same time. */
@Tag("root")
class ImportTurnsTest {

  private static final int MOST_WAITING = 16;

  @TempDir private Path directory;
  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start(config -> TestNode.with(config, "backend.memory.layered", "true"));
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Answers<ImportEnvironmentRequest, ImportProgress> begun(
      ImportEnvironmentRequest.Builder request) {
    Answers<ImportEnvironmentRequest, ImportProgress> call =
        node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(request.build());
    return call;
  }

  private ImportEnvironmentRequest.Builder of(String content) throws IOException {
    Path root = Files.createDirectories(directory.resolve(content).resolve("srv"));
    if (Files.notExists(root.resolve("file"))) {
      Files.writeString(root.resolve("file"), content);
    }
    return ImportEnvironmentRequest.newBuilder()
        .setName("one")
        .setDirectory(directory.resolve(content).toString());
  }

  /** Reads until something is told. */
  private static void until(Answers<?, ImportProgress> call, String phase) {
    ImportProgress next = call.next().orElseThrow();
    while (!next.getPhase().startsWith(phase)) {
      next = call.next().orElseThrow();
    }
  }

  @Test
  void shouldLetAnotherWaitUntilANameThatIsHeldIsLetGo() throws IOException {
    Answers<ImportEnvironmentRequest, ImportProgress> holder = begun(of("a").setHold(true));
    until(holder, "done");
    var same = begun(of("a"));
    var other = begun(of("b"));
    var moved = begun(of("b").setTag("v2"));
    assertEquals(100, moved.rest().getLast().getPercent(), "another tag waits for nobody");
    until(same, "waiting for another import of one:latest");
    until(other, "waiting for another import of one:latest");
    holder.cancel();
    assertEquals("one", same.rest().getLast().getEnvironment().getName());
    Failed lost = refused(GrpcStatus.ALREADY_EXISTS, other::rest);
    assertEquals("name", lost.detail().getField());
  }

  @Test
  void shouldRefuseWhatWouldWaitBeyondANumber() throws IOException {
    Answers<ImportEnvironmentRequest, ImportProgress> holder = begun(of("a").setHold(true));
    until(holder, "done");
    List<Answers<ImportEnvironmentRequest, ImportProgress>> waiting = new ArrayList<>();
    for (int i = 0; i < MOST_WAITING; i++) {
      waiting.add(begun(of("a")));
      until(waiting.getLast(), "waiting");
    }
    Failed many = refused(GrpcStatus.RESOURCE_EXHAUSTED, () -> begunAndRead());
    assertEquals("name", many.detail().getField());
    assertTrue(String.valueOf(many.getMessage()).contains("one:latest"), many.getMessage());
    waiting.getFirst().cancel();
    holder.cancel();
    for (var call : waiting.subList(1, MOST_WAITING)) {
      assertEquals(100, call.rest().getLast().getPercent());
    }
  }

  private void begunAndRead() {
    var _ =
        begun(ImportEnvironmentRequest.newBuilder().setName("one").setBuiltin("busybox")).rest();
  }
}
