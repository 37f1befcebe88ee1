// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.Undo;
import dev.sandgate.support.spawner.Blank;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerSettings;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Blanks that an OCI runtime makes: a process is started for each, so a few at a time. */
final class OciBlanks implements Blanks {

  private static final Pattern PID = Pattern.compile("\\{\"pid\": (\\d+)}");
  private static final int AT_A_TIME = 4;
  private static final long PATIENCE_SECONDS = 30;

  private final ContainerSettings settings;
  private final Spawner spawner;
  private final Semaphore turns = new Semaphore(AT_A_TIME, true);

  OciBlanks(ContainerSettings settings, Spawner spawner) {
    this.settings = settings;
    this.spawner = spawner;
  }

  @Override
  public int make(Blank blank, Undo undo) {
    spawner.info();
    undo.push("blank " + blank.id(), () -> spawner.destroy(blank.id(), ""));
    int pid = run(blank);
    spawner.adoptBlank(blank.id(), pid);
    spawner.limits(blank.id(), blank.cpuMillis(), blank.memoryBytes(), blank.pids());
    return pid;
  }

  private int run(Blank blank) {
    turns.acquireUninterruptibly();
    Path said = settings.spawner().run().resolve("oci-" + blank.id() + ".out");
    try {
      return run(command(blank), said);
    } catch (IOException e) {
      throw failed(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("interrupted", e);
    } finally {
      turns.release();
    }
  }

  /** A container keeps the descriptors of its runtime's caller: a file, never a pipe, takes what is said. */
  private static int run(List<String> command, Path said) throws IOException, InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(said.toFile())
              .redirectErrorStream(true)
              .start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw failed("no answer within " + PATIENCE_SECONDS + " s", null);
      }
      String text = Files.readString(said, StandardCharsets.UTF_8).strip();
      Matcher answer = PID.matcher(text);
      if (process.exitValue() != 0 || !answer.find()) {
        throw failed(text, null);
      }
      return Integer.parseInt(answer.group(1));
    } finally {
      Files.deleteIfExists(said);
    }
  }

  private List<String> command(Blank blank) {
    SpawnerSettings helper = settings.spawner();
    return List.of(
        helper.binary().toString(),
        "oci",
        "--runtime",
        settings.runtime(),
        "--run",
        helper.run().toString(),
        "--id",
        blank.id(),
        "--agent",
        helper.agent().toString(),
        "--class",
        blank.bestEffort() ? "be" : "ls",
        "--uid-base",
        Integer.toString(helper.uidBase()),
        "--cgroup-name",
        helper.cgroupName());
  }

  private static SandgateException failed(@Nullable String why, @Nullable Exception cause) {
    return new SandgateException(
        ErrorCode.BACKEND_UNAVAILABLE, "", "the OCI runtime made no container: " + why, cause);
  }
}
