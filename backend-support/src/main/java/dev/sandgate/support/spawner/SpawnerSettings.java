// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * How to start and find a spawner.
 *
 * @param binary the program
 * @param agent the guest agent's program
 * @param run the directory of its sockets, short enough that a socket's path fits into 107 bytes
 * @param state the directory of layers and uppers
 * @param uidBase the first host uid of the sandboxes' 65,536
 * @param cgroupName the name of its cgroup directory
 */
public record SpawnerSettings(
    Path binary, Path agent, Path run, Path state, int uidBase, String cgroupName) {

  private static final int LONGEST_SOCKET_PATH = 107;
  private static final int LONGEST_ID = 63;

  /** Refuses a run directory whose sockets could not be bound. */
  public SpawnerSettings {
    int longest = run.resolve("a").toString().getBytes(StandardCharsets.UTF_8).length + LONGEST_ID;
    if (longest + "/.sock".length() > LONGEST_SOCKET_PATH) {
      throw new IllegalArgumentException(
          "run: "
              + run
              + " is too long for sockets, at most "
              + (LONGEST_SOCKET_PATH - LONGEST_ID - "/a/.sock".length())
              + " bytes");
    }
  }

  /** Where the agent of a sandbox listens. */
  public Path agentSocket(String id) {
    return run.resolve("a").resolve(id + ".sock");
  }

  Path socket() {
    return run.resolve("spawner.sock");
  }

  List<String> command() {
    return List.of(
        binary.toString(),
        "serve",
        "--run",
        run.toString(),
        "--state",
        state.toString(),
        "--agent",
        agent.toString(),
        "--uid-base",
        Integer.toString(uidBase),
        "--cgroup-name",
        cgroupName);
  }
}
