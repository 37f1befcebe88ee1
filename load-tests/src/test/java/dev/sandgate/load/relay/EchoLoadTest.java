// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.load.tool.Child;
import dev.sandgate.load.tool.Ports;
import dev.sandgate.load.tool.Tools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The load client against its own backend, with nothing in between. */
class EchoLoadTest {

  private static final EchoLoad LOAD = new EchoLoad("echo", 2, 6, 3, 0.5);

  @TempDir Path directory;

  @Test
  void shouldCountEveryEchoAndTheCpuTimeOfTheOtherSide() throws Exception {
    try (RelayPeer backend = backend()) {
      EchoLoad.Result result = LOAD.run(h2peer(), backend, directory.resolve("log"));
      assertTrue(result.messages() > 0, result::toString);
      long full = 69 * result.messages();
      assertTrue(Math.abs(full - result.bytes()) <= 69 * 18, result::toString);
      assertTrue(result.cpuMicros() > 0 && result.cpuMicrosPerMessage() > 0, result::toString);
      assertTrue(result.p50Micros() > 0, result::toString);
    }
  }

  @Test
  void shouldReceiveAFlood() throws Exception {
    try (RelayPeer backend = backend()) {
      EchoLoad flood = new EchoLoad("flood", 1, 2, 1, 0.5);
      EchoLoad.Result result = flood.run(h2peer(), backend, directory.resolve("log"));
      assertTrue(result.megabytesPerCpuSecond() > 0, result::toString);
    }
  }

  @Test
  void shouldFailWhenTheOtherSideIsGone() throws Exception {
    RelayPeer gone;
    try (RelayPeer backend = backend()) {
      gone = backend;
    }
    assertThrows(IOException.class, () -> LOAD.run(h2peer(), gone, directory.resolve("log")));
  }

  private RelayPeer backend() throws Exception {
    int port = Ports.free();
    List<String> command = List.of(h2peer().toString(), "serve", Integer.toString(port));
    Child child = Child.start(directory.resolve("log"), command);
    child.await("ready");
    return new RelayPeer("backend", port, child);
  }

  private Path h2peer() throws IOException, InterruptedException {
    return new Tools(directory).h2peer();
  }
}
