// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import java.util.List;

/**
 * What the environment of the sandboxes under test offers beyond a POSIX shell and the usual small tools
 * ({@code cat head seq sleep sha256sum dd tr stty tty mkfifo setsid}; BusyBox has them all).
 *
 * @param scratch an absolute directory that commands and files may write; empty for the user's home
 * @param otherUser a second user known inside whom commands may run as, or empty when there is none
 * @param echoServer a command that echoes every TCP connection to a port of 127.0.0.1 until killed, with
 *     {@code {port}} where the port goes; empty when there is none
 */
public record GuestTools(String scratch, String otherUser, List<String> echoServer) {

  /** BusyBox: writes to {@code /tmp}, its {@code nc} echoes. */
  public static final GuestTools BUSYBOX =
      new GuestTools("/tmp", "", List.of("nc", "-ll", "-p", "{port}", "-e", "cat"));

  /** Freezes the list. */
  public GuestTools {
    echoServer = List.copyOf(echoServer);
  }

  /**
   * The same with another second user.
   *
   * @param user its name or number
   * @return a copy
   */
  public GuestTools withOtherUser(String user) {
    return new GuestTools(scratch, user, echoServer);
  }

  List<String> echoServer(int port) {
    return echoServer.stream().map(word -> word.replace("{port}", Integer.toString(port))).toList();
  }
}
