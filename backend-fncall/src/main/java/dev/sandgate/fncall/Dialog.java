// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command whose streams carry requests and answers. One thread asks and blocks; the agent's event loop takes answers in,
 * of which there are two a request, each as large as the request allows.
 */
final class Dialog {

  private static final Logger LOG = LoggerFactory.getLogger(Dialog.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CHUNK = 64 << 10;
  private static final int HEAD = Byte.BYTES + Integer.BYTES;
  private static final int MOST_BYTES = 8 << 20;
  private static final int MOST_ANSWERS = 8;
  private static final Duration WRITING = Duration.ofSeconds(30);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final String worker;
  private final Exec exec;
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private ByteBuffer heard = ByteBuffer.allocate(CHUNK).flip();
  private long said;
  private volatile boolean open = true;

  /**
   * What was answered.
   *
   * @param message in JSON
   * @param out that follows
   * @param err that follows
   * @param lost there is no answer any more, and this message says why
   */
  record Answer(JsonNode message, ByteBuffer out, ByteBuffer err, boolean lost) {

    static Answer killed(int signal) {
      return new Answer(JSON.createObjectNode().put("exit", -signal), NOTHING, NOTHING, true);
    }

    private static Answer lost(String why) {
      return new Answer(JSON.createObjectNode().put("why", why), NOTHING, NOTHING, true);
    }
  }

  private Dialog(String worker, Exec exec) {
    this.worker = worker;
    this.exec = exec;
  }

  /** Starts a command as root; blocks. */
  static Dialog with(Guest guest, List<String> argv) {
    ExecSpec spec =
        new ExecSpec("interpreter", argv, Map.of(), "/", "root", true, Optional.empty(), 0);
    Exec exec = guest.agent().exec(spec).await().indefinitely();
    Dialog dialog = new Dialog(guest.id(), exec);
    exec.events()
        .subscribe()
        .with(
            dialog::heard,
            failure -> dialog.end(String.valueOf(failure.getMessage())),
            () -> dialog.end("it ended"));
    return dialog;
  }

  boolean isOpen() {
    return open;
  }

  /** Sends a request. */
  void say(ByteBuffer request) {
    while (request.hasRemaining()) {
      ByteBuffer chunk = request.slice(request.position(), Math.min(CHUNK, request.remaining()));
      request.position(request.position() + chunk.remaining());
      said = exec.write(said, chunk, false).await().atMost(WRITING);
    }
  }

  /** Waits for an answer; SANDBOX_LOST when none can come. */
  Answer next(Duration within) {
    try {
      Answer answer = answers.poll(within.toNanos(), TimeUnit.NANOSECONDS);
      if (answer == null) {
        throw lost("it did not answer within " + within);
      }
      if (answer.lost()) {
        answers.add(answer);
        throw lost(answer.message().path("why").asText());
      }
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    }
  }

  private SandgateException lost(String why) {
    return new SandgateException(
        ErrorCode.SANDBOX_LOST, "the interpreter of " + worker + " is lost: " + why);
  }

  private void heard(ExecEvent event) {
    switch (event) {
      case ExecEvent.Output output -> {
        if (output.stream() == ExecEvent.Stream.STDOUT) {
          take(output.data());
        } else {
          LOG.warn("{}: {}", worker, StandardCharsets.UTF_8.decode(output.data()));
        }
      }
      case ExecEvent.Exited exited ->
          end("it exited with " + exited.exitCode() + ", signal " + exited.signal());
    }
  }

  private void end(String why) {
    open = false;
    answers.add(Answer.lost(why));
  }

  private void take(ByteBuffer data) {
    if (!open) {
      return;
    }
    ByteBuffer all = ByteBuffer.allocate(heard.remaining() + data.remaining());
    all.put(heard).put(data).flip();
    heard = all;
    try {
      if (all.remaining() > MOST_BYTES || answers.size() > MOST_ANSWERS) {
        throw new IOException("it says too much");
      }
      for (Answer answer = parsed(); answer != null; answer = parsed()) {
        answers.add(answer);
      }
    } catch (IOException e) {
      end("it does not keep to the protocol: " + e.getMessage());
    }
  }

  /** The next answer if it is there as a whole. */
  private @Nullable Answer parsed() throws IOException {
    if (heard.remaining() < HEAD) {
      return null;
    }
    int start = heard.position();
    int length = checked(heard.getInt(start + 1));
    if (heard.remaining() < HEAD + length) {
      return null;
    }
    JsonNode message = JSON.readTree(heard.array(), start + HEAD, length);
    int out = checked(message.path("out").asInt());
    int err = checked(message.path("err").asInt());
    if (heard.remaining() < HEAD + length + out + err) {
      return null;
    }
    heard.position(start + HEAD + length + out + err);
    int first = start + HEAD + length;
    return new Answer(message, part(first, out), part(first + out, err), false);
  }

  private static int checked(int length) throws IOException {
    if (length < 0 || length > MOST_BYTES) {
      throw new IOException("a length of " + length);
    }
    return length;
  }

  private ByteBuffer part(int from, int length) {
    return length == 0 ? NOTHING : heard.slice(from, length).asReadOnlyBuffer();
  }
}
