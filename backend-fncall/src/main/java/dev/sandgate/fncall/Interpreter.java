// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Case;
import dev.sandgate.spi.FunctionCall.File;
import dev.sandgate.spi.FunctionResult.Output;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.SandgateException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A warm interpreter in a worker, see {@code zygote.py}; one call at a time, which block. */
final class Interpreter {

  private static final Logger LOG = LoggerFactory.getLogger(Interpreter.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PROGRAM = program();
  private static final Duration STARTING = Duration.ofSeconds(60);
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final int PLAIN_MODE = 0644;
  private static final int PROGRAM_MODE = 0755;
  private static final int SIGKILL = 9;
  private static final int SIGNALLED = 128;

  private final Guest guest;
  private final Dialog dialog;
  private final Writes begun;
  private boolean asked;
  private long kills;

  private Interpreter(Guest guest, Dialog dialog) {
    this.guest = guest;
    this.dialog = dialog;
    this.begun = Writes.of(guest);
    this.kills = guest.memoryKills();
  }

  /** Starts it and waits until it has imported what it is to import. */
  static Interpreter start(Guest guest, List<String> preload) {
    List<String> argv =
        new ArrayList<>(List.of("python3", "-I", "-B", "-X", "utf8", "-c", PROGRAM));
    argv.addAll(preload);
    Dialog dialog = Dialog.with(guest, argv);
    JsonNode told = dialog.next(STARTING).message();
    String error = told.path("error").asText();
    if (!error.isEmpty()) {
      throw new SandgateException(
          ErrorCode.EXEC_FAILED, "preload", "preload: cannot be imported: " + error.strip(), null);
    }
    return new Interpreter(guest, dialog);
  }

  boolean isAlive() {
    return dialog.isOpen();
  }

  /** Runs a call with one of its cases. */
  Run run(FunctionCall call, Case with) {
    asked = true;
    FunctionCall.Limits limits = call.limits();
    byte[] body = body(call, with.stdin());
    int millis = Math.toIntExact(limits.timeout().toMillis());
    ByteBuffer head = ByteBuffer.allocate(3 * Integer.BYTES + body.length);
    head.putInt(millis).putInt(limits.outputBytes()).putInt(body.length).put(body).flip();
    dialog.say(head);
    Dialog.Answer answer = awaited(limits.timeout().plus(GRACE));
    return ended(answer, with.expected(), killedForMemory());
  }

  private Dialog.Answer awaited(Duration within) {
    try {
      return dialog.next(within);
    } catch (SandgateException lost) {
      if (killedForMemory()) {
        return Dialog.Answer.killed(SIGKILL);
      }
      throw lost;
    }
  }

  private boolean killedForMemory() {
    long now = guest.memoryKills();
    boolean killed = now > kills;
    if (killed) {
      kills = now;
    }
    return killed;
  }

  private static Run ended(
      Dialog.Answer answer, Optional<ByteBuffer> expected, boolean outOfMemory) {
    JsonNode message = answer.message();
    int exit = message.path("exit").asInt();
    boolean timedOut = message.path("timedOut").asBoolean();
    Output out = new Output(answer.out(), message.path("outTotal").asLong());
    Output err = new Output(answer.err(), message.path("errTotal").asLong());
    boolean starved = outOfMemory || answer.lost();
    return Verdicts.run(
        new Verdicts.Ended(
            exit < 0 ? SIGNALLED - exit : exit, Math.max(0, -exit), timedOut, starved),
        out,
        err,
        usage(message),
        expected);
  }

  private static ExecUsage usage(JsonNode message) {
    return new ExecUsage(
        Duration.of(message.path("wallMicros").asLong(), ChronoUnit.MICROS),
        Duration.of(message.path("cpuMicros").asLong(), ChronoUnit.MICROS),
        message.path("peakBytes").asLong());
  }

  /** Whether the last call left nothing that the interpreter can see, and wrote nothing that is seen from outside. */
  boolean isClean() {
    if (!asked) {
      return true;
    }
    asked = false;
    JsonNode left = dialog.next(GRACE).message().path("left");
    if (!left.isEmpty()) {
      LOG.debug("{} is dirty: {}", guest.id(), left);
      return false;
    }
    return begun.isSameAs(Writes.of(guest));
  }

  private static byte[] body(FunctionCall call, ByteBuffer stdin) {
    ObjectNode task = JSON.createObjectNode();
    task.put("source", call.task().source());
    call.env().forEach(task.putObject("env")::put);
    call.task().arguments().forEach(task.putArray("arguments")::add);
    ArrayNode files = task.putArray("files");
    ByteArrayOutputStream blob = new ByteArrayOutputStream();
    for (File file : call.task().files()) {
      files
          .addArray()
          .add(file.path())
          .add(file.data().remaining())
          .add(file.executable() ? PROGRAM_MODE : PLAIN_MODE);
      blob.writeBytes(bytes(file.data()));
    }
    blob.writeBytes(bytes(stdin));
    byte[] text = task.toString().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Integer.BYTES + text.length + blob.size())
        .putInt(text.length)
        .put(text)
        .put(blob.toByteArray())
        .array();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return copy;
  }

  private static String program() {
    try (InputStream file = Interpreter.class.getResourceAsStream("zygote.py")) {
      if (file == null) {
        throw new IllegalStateException("zygote.py is not in the jar");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
