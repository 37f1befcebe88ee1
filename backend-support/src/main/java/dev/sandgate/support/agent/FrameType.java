// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

/** The types of frames; {@code native/PROTOCOL.md} says what they carry. */
final class FrameType {
  static final int HELLO = 0x01;
  static final int WELCOME = 0x02;
  static final int PING = 0x03;
  static final int PONG = 0x04;
  static final int SETUP = 0x05;
  static final int STATS = 0x06;
  static final int STATS_INFO = 0x07;
  static final int OK = 0x10;
  static final int FAIL = 0x11;
  static final int CANCEL = 0x12;
  static final int WINDOW = 0x13;
  static final int EXEC = 0x20;
  static final int ATTACH = 0x21;
  static final int STARTED = 0x22;
  static final int OUTPUT = 0x23;
  static final int INPUT = 0x24;
  static final int INPUT_CLOSED = 0x25;
  static final int SIGNAL = 0x26;
  static final int RESIZE = 0x27;
  static final int EXIT = 0x28;
  static final int RELEASE = 0x29;
  static final int READ = 0x40;
  static final int WRITE = 0x41;
  static final int STAT = 0x42;
  static final int LIST = 0x43;
  static final int MKDIR = 0x44;
  static final int MOVE = 0x45;
  static final int REMOVE = 0x46;
  static final int SET = 0x47;
  static final int CHECKSUM = 0x48;
  static final int ARCHIVE = 0x49;
  static final int EXTRACT = 0x4a;
  static final int WATCH = 0x4b;
  static final int EVENT = 0x4c;
  static final int DIGEST = 0x4d;
  static final int DONE = 0x4e;
  static final int ENTRY = 0x4f;
  static final int CONNECT = 0x50;
  static final int SESSION_OPEN = 0x60;
  static final int SESSION_RUN = 0x61;

  private FrameType() {}
}
