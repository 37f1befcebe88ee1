// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Signal;
import dev.sandgate.proto.v1.SignalExecRequest;
import dev.sandgate.proto.v1.SignalTarget;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Much output, slow readers, caps. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutputTest {

  private static final int LINES = 2_000_000;

  private TestNode node;
  private String sandbox;

  @BeforeAll
  void begin() {
    node = TestNode.start();
    sandbox = node.create().getSandboxId();
  }

  @AfterAll
  void end() {
    node.close();
  }

  private Answers<StartExecRequest, ExecEvent> open(String id, Command.Builder command) {
    return node.rpc().stream(
        ExecsGrpcClient.Start,
        StartExecRequest.newBuilder()
            .setSandboxId(sandbox)
            .setExecId(id)
            .setCommand(command)
            .build());
  }

  private Answers<AttachExecRequest, ExecEvent> attach(String id, long from) {
    return node.rpc().stream(
        ExecsGrpcClient.Attach,
        AttachExecRequest.newBuilder()
            .setSandboxId(sandbox)
            .setExecId(id)
            .setStdoutOffset(from)
            .build());
  }

  private Exec get(String id) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.Get,
            GetExecRequest.newBuilder().setSandboxId(sandbox).setExecId(id).build());
  }

  private static Command.Builder seq(int lines) {
    return Command.newBuilder().addArgv("seq").addArgv("1").addArgv(String.valueOf(lines));
  }

  private static String expected() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (int i = 1; i <= LINES; i++) {
      digest.update((i + "\n").getBytes(StandardCharsets.US_ASCII));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static String received(Answers<?, ExecEvent> answers) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    long offset = 0;
    for (Optional<ExecEvent> next = answers.next(); next.isPresent(); next = answers.next()) {
      assertFalse(next.get().hasTruncated(), "nothing is truncated");
      if (next.get().hasOutput()) {
        assertEquals(offset, next.get().getOutput().getOffset());
        digest.update(next.get().getOutput().getData().asReadOnlyByteBuffer());
        offset += next.get().getOutput().getData().size();
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  @Test
  void shouldDeliverEveryByteLiveAndFromTheRecord() throws Exception {
    String expected = expected();
    assertEquals(expected, received(open("much", seq(LINES))));
    assertEquals(expected, received(attach("much", 0)));
  }

  @Test
  void shouldDeliverEveryByteWithTheBlockPolicy() throws Exception {
    assertEquals(
        expected(),
        received(open("blocked", seq(LINES).setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK))));
  }

  @Test
  void shouldNotLetAStoppedReaderHoldAnotherOrTheCommand() throws Exception {
    Answers<StartExecRequest, ExecEvent> stopped = open("stopped", seq(LINES));
    stopped.next();
    assertEquals(expected(), received(attach("stopped", 0)));
    assertTrue(get("stopped").hasResult());
    stopped.cancel();
  }

  @Test
  void shouldHoldTheCommandForAStoppedReaderWithTheBlockPolicy() {
    Answers<StartExecRequest, ExecEvent> stopped =
        open(
            "held",
            Command.newBuilder().addArgv("yes").setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK));
    stopped.next();
    long held =
        Eventually.settles(
            "the command waits", Duration.ofMillis(300), () -> get("held").getStdoutBytes());
    assertTrue(held > 0 && held < 8 << 20, held + " bytes");
    for (int i = 0; i < 200; i++) {
      stopped.next();
    }
    assertTrue(
        Eventually.value("it goes on", () -> get("held").getStdoutBytes(), now -> now > held)
            > held);
    stopped.cancel();
  }

  @Test
  void shouldEndNoOtherCallWhenAReaderLeavesAnEndBehindThatItNeverRead() {
    Answers<StartExecRequest, ExecEvent> other =
        open("other", Command.newBuilder().addArgv("sleep").addArgv("1000"));
    assertTrue(other.next().orElseThrow().getStarted().getPid() > 0);
    // More than the stream's window and less than the server queues: the end waits behind it.
    Ran.of(open("short", seq(18_000)).rest());
    for (int i = 0; i < 20; i++) {
      Answers<AttachExecRequest, ExecEvent> stopped = attach("short", 0);
      assertTrue(stopped.next().orElseThrow().hasStarted());
      stopped.cancel();
      get("short");
    }
    kill("other");
    assertEquals(9, other.rest().getLast().getExited().getSignal());
  }

  @Test
  void shouldEndAKilledCommandThatWaitsForAReaderThoughNobodyReads() {
    Command.Builder yes =
        Command.newBuilder().addArgv("yes").setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK);
    leave(open("unread", yes));
    Eventually.settles(
        "the command waits", Duration.ofMillis(300), () -> get("unread").getStdoutBytes());
    kill("unread");
    assertEquals("CALLER", ended("unread").getKillReason());
    leave(open("unread-late", yes.setTimeoutMillis(300)));
    assertTrue(ended("unread-late").getTimedOut());
  }

  private static void leave(Answers<StartExecRequest, ExecEvent> reader) {
    reader.next();
    reader.cancel();
  }

  private ExecResult ended(String id) {
    return Eventually.value(id + " ends", () -> get(id), Exec::hasResult).getResult();
  }

  private void kill(String id) {
    node.rpc()
        .unary(
            ExecsGrpcClient.Signal,
            SignalExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setSignal(
                    Signal.newBuilder().setNumber(9).setTarget(SignalTarget.SIGNAL_TARGET_TREE))
                .build());
  }

  @Test
  void shouldKeepHeadAndTailOfTheCapAndSayWhatIsBetween() throws Exception {
    int cap = 800_000;
    String all = text(1_000_000);
    Ran live = Ran.of(open("capped", seq(1_000_000).setOutputCapBytes(cap)).rest());
    Ran late = Ran.of(attach("capped", 0).rest());
    ExecTruncated gap =
        ExecTruncated.newBuilder()
            .setStream(OutputStream.OUTPUT_STREAM_STDOUT)
            .setFrom(600_000)
            .setTo(6_888_896 - 100_000)
            .build();
    assertEquals(List.of(gap), late.truncated());
    assertTrue(late.stdout().equals(all.substring(0, 600_000) + all.substring(6_788_896)));
    assertEquals(List.of(gap), late.result().getTruncatedList());
    assertTrue(late.result().getStdoutTruncated());
    assertFalse(late.result().getStderrTruncated());
    assertEquals(0, late.result().getExitCode());
    long missed = live.truncated().stream().mapToLong(g -> g.getTo() - g.getFrom()).sum();
    assertEquals(all.length(), live.stdout().length() + missed, "delivered + truncated");
    Ran middle = Ran.of(attach("capped", 700_000).rest());
    assertEquals(700_000, middle.truncated().getFirst().getFrom());
    assertEquals(all.substring(6_788_896), middle.stdout());
    node.restart();
    Ran restarted = Ran.of(attach("capped", 0).rest());
    assertEquals(late.stdout(), restarted.stdout());
    assertEquals(late.truncated(), restarted.truncated());
    assertEquals(late.result(), restarted.result());
    RunExecRequest repeated =
        RunExecRequest.newBuilder()
            .setSandboxId(sandbox)
            .setExecId("capped")
            .setCommand(seq(1_000_000).setOutputCapBytes(cap))
            .build();
    ExecResult run = node.rpc().unary(ExecsGrpcClient.Run, repeated);
    assertEquals(late.stdout(), run.getStdout().toStringUtf8());
    assertEquals(List.of(gap), run.getTruncatedList());
  }

  private static String text(int lines) {
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= lines; i++) {
      all.append(i).append('\n');
    }
    return all.toString();
  }

  @Test
  void shouldAnswerRunWithHeadAndTailOfMuchOutput() {
    ExecResult run =
        node.rpc()
            .unary(
                ExecsGrpcClient.Run,
                RunExecRequest.newBuilder().setSandboxId(sandbox).setCommand(seq(LINES)).build());
    String all = text(LINES);
    int half = 2 << 20;
    assertTrue(
        run.getStdout()
            .toStringUtf8()
            .equals(all.substring(0, half) + all.substring(all.length() - half)),
        "the first and the last 2 MiB");
    assertEquals(1, run.getTruncatedCount());
    assertEquals(half, run.getTruncated(0).getFrom());
    assertEquals(all.length() - half, run.getTruncated(0).getTo());
    assertTrue(run.getStdoutTruncated());
  }

  @Test
  void shouldBoundDiskAndMemoryOfAFloodWhoeverReads() {
    long before = bytesOfSpools(node);
    Command.Builder yes = Command.newBuilder().addArgv("yes").setOutputCapBytes(4 << 20);
    Answers<StartExecRequest, ExecEvent> absent = open("absent", yes);
    absent.cancel();
    Answers<StartExecRequest, ExecEvent> stopped = open("still", yes);
    stopped.next();
    Answers<StartExecRequest, ExecEvent> fast = open("fast", yes);
    long delivered = 0;
    long position = 0;
    while (position < 64 << 20) {
      ExecEvent event = fast.next().orElseThrow();
      if (event.hasOutput()) {
        assertEquals(position, event.getOutput().getOffset());
        delivered += event.getOutput().getData().size();
        position += event.getOutput().getData().size();
      } else if (event.hasTruncated()) {
        assertEquals(position, event.getTruncated().getFrom());
        position = event.getTruncated().getTo();
      }
    }
    assertTrue(delivered > 0);
    Eventually.holds("the others went on", () -> get("absent").getStdoutBytes() > 64 << 20);
    for (String id : List.of("absent", "still", "fast")) {
      kill(id);
      Eventually.holds(id + " has ended", () -> get(id).hasResult());
      ExecTruncated gap = get(id).getResult().getTruncated(0);
      assertEquals(3 << 20, gap.getFrom());
      assertEquals(get(id).getStdoutBytes() - (512 << 10), gap.getTo());
    }
    assertTrue(bytesOfSpools(node) - before <= 3 * ((4 << 20) + 64), "the cap holds on disk");
    fast.cancel();
    stopped.cancel();
  }

  @Test
  void shouldCapALineThatNeverEnds() {
    String zeros = String.valueOf(500 << 20);
    ExecResult run =
        node.rpc()
            .unary(
                ExecsGrpcClient.Run,
                RunExecRequest.newBuilder()
                    .setSandboxId(sandbox)
                    .setCommand(
                        Command.newBuilder()
                            .addAllArgv(List.of("head", "-c", zeros, "/dev/zero"))
                            .setOutputCapBytes(1 << 20))
                    .build());
    assertEquals(500 << 20, run.getStdoutBytes());
    assertEquals(7 << 17, run.getStdout().size());
    assertEquals((500 << 20) - (7 << 17), gap(run));
  }

  private static long gap(ExecResult result) {
    return result.getTruncated(0).getTo() - result.getTruncated(0).getFrom();
  }

  private static long bytesOfSpools(TestNode of) {
    try (Stream<java.nio.file.Path> files = Files.list(of.directory().resolve("spool"))) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldSendWhatIsReadyInLargeMessages() {
    Ran.of(open("large", seq(100_000)).rest());
    Ran again = Ran.of(attach("large", 0).rest());
    assertEquals(588_895, again.stdout().length());
    assertTrue(again.messages() <= 12, again.messages() + " messages");
  }

  @Test
  void shouldKeepOutputInFilesWhenMemoryIsSpentAndDeleteThem() throws Exception {
    Capacity none = new Capacity(10, 2, 10, 0, Duration.ofMinutes(10));
    try (TestNode small = TestNode.start(config -> TestNode.with(config, none))) {
      String id = small.create().getSandboxId();
      for (int i = 0; i < 6; i++) {
        Ran ran =
            Ran.of(
                small.rpc().stream(ExecsGrpcClient.Start, start(id, "e" + i, "echo", "hi")).rest());
        assertEquals("hi\n", ran.stdout());
      }
      Eventually.holds("two records of six are left", () -> spools(small) == 2);
      Ran last =
          Ran.of(small.rpc().stream(ExecsGrpcClient.Start, start(id, "e5", "echo", "hi")).rest());
      assertEquals("hi\n", last.stdout());
    }
  }

  private static long spools(TestNode of) {
    try (Stream<java.nio.file.Path> files = Files.list(of.directory().resolve("spool"))) {
      return files.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
