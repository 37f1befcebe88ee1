#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes frames.txt and malformed.txt; with --check only compares them."""
import pathlib
import struct
import sys

HOST, GUEST = "host", "guest"
MAX = 2**64 - 1
SAFE = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/")
FORMATS = {"u8": ">B", "u16": ">H", "u32": ">I", "u64": ">Q", "i32": ">i", "i64": ">q"}


def raw(text):
    return text if isinstance(text, bytes) else text.encode()


def quoted(text):
    return "".join(chr(b) if b in SAFE else f"%{b:02X}" for b in raw(text))


def encoded(kind, value):
    if kind in FORMATS:
        return struct.pack(FORMATS[kind], value)
    if kind == "str":
        return struct.pack(">H", len(raw(value))) + raw(value)
    if kind == "list":
        return struct.pack(">H", len(value)) + b"".join(encoded("str", v) for v in value)
    return value


def shown(kind, value):
    if kind in FORMATS:
        return f"{kind}:{value}"
    if kind == "str":
        return f"str:{quoted(value)}"
    if kind == "list":
        return f"list:{len(value)}:" + ",".join(map(quoted, value))
    return f"bytes:{value.hex()}"


def frame(kind, flags, channel, payload, length=None, zero=0):
    size = len(payload) if length is None else length
    return struct.pack(">IBBHI", size, kind, flags, zero, channel) + payload


def payload(fields):
    return b"".join(encoded(k, v) for k, v in fields)


FRAMES = [
    ("hello", HOST, 0x01, 0, 0, [("u32", 1)]),
    ("welcome", GUEST, 0x02, 0, 0, [("u32", 1), ("u64", 0x0123456789ABCDEF), ("u32", 7), ("list", ["e1", "a.b-c_D"])]),
    ("welcome-no-execs", GUEST, 0x02, 0, 0, [("u32", 1), ("u64", MAX), ("u32", 0), ("list", [])]),
    ("welcome-more-follow", GUEST, 0x02, 1, 0, [("u32", 1), ("u64", 1), ("u32", 3), ("list", ["x" * 64])]),
    ("ping", HOST, 0x03, 0, 0, [("u64", MAX)]),
    ("pong", GUEST, 0x04, 0, 0, [("u64", 0x8000000000000000)]),
    ("setup", HOST, 0x05, 0, 0, [("str", "sb-1"), ("str", "user"), ("list", ["LANG=C.UTF-8", "EMPTY="]), ("u32", 1024)]),
    ("setup-empty", HOST, 0x05, 0, 0, [("str", ""), ("str", ""), ("list", []), ("u32", 0)]),
    ("stats", HOST, 0x06, 0, 9, []),
    ("stats-info", GUEST, 0x07, 0, 9, [("u32", 3), ("u32", 1), ("u64", 86400000)]),
    ("ok", GUEST, 0x10, 0, 4294967295, []),
    ("fail", GUEST, 0x11, 0, 7, [("u16", 4), ("i32", 2), ("str", "exec /bin/nope: No such file or directory")]),
    ("fail-no-errno", GUEST, 0x11, 0, 7, [("u16", 3), ("i32", 0), ("str", "")]),
    ("cancel", HOST, 0x12, 0, 7, []),
    ("window-host", HOST, 0x13, 0, 5, [("u8", 1), ("u64", 65536), ("u64", 327680)]),
    ("window-guest", GUEST, 0x13, 0, 5, [("u8", 0), ("u64", 0), ("u64", 262144)]),
    ("exec", HOST, 0x20, 0, 1, [("str", "e1"), ("str", ""), ("str", ""), ("u16", 0), ("u16", 0), ("u32", 0),
                                ("list", ["/bin/echo", "a b", "", "caf\u00e9"]), ("list", [])]),
    ("exec-terminal", HOST, 0x20, 3, 2, [("str", "shell.1"), ("str", "/work"), ("str", "user"), ("u16", 132), ("u16", 43),
                                         ("u32", 65536), ("list", ["bash", "-l"]), ("list", ["A=1", "B=x=y", "C="])]),
    ("exec-odd-bytes", HOST, 0x20, 0, 3, [("str", "b"), ("str", "/"), ("str", "0:0"), ("u16", 0), ("u16", 0), ("u32", 0),
                                          ("list", [b"\x01\x7f\x80\xff,|%\n"]), ("list", [b"X=\xfe"])]),
    ("attach", HOST, 0x21, 0, 6, [("str", "e1"), ("u64", 4096), ("u64", 0)]),
    ("started", GUEST, 0x22, 0, 1, [("u32", 17), ("u64", 0)]),
    ("output-stdout", GUEST, 0x23, 0, 1, [("u8", 1), ("u64", 0), ("bytes", b"hello\n")]),
    ("output-stderr", GUEST, 0x23, 0, 1, [("u8", 2), ("u64", 5000000000), ("bytes", bytes(range(256)))]),
    ("output-end", GUEST, 0x23, 1, 8, [("u8", 1), ("u64", 12), ("bytes", b"")]),
    ("input", HOST, 0x24, 0, 1, [("u64", 3), ("bytes", b"\x00abc")]),
    ("input-end", HOST, 0x24, 1, 1, [("u64", 7), ("bytes", b"")]),
    ("input-closed", GUEST, 0x25, 0, 1, [("u64", 7)]),
    ("signal", HOST, 0x26, 0, 1, [("u8", 9), ("u8", 2)]),
    ("resize", HOST, 0x27, 0, 2, [("u16", 200), ("u16", 50)]),
    ("exit", GUEST, 0x28, 0, 1, [("i32", 3), ("u8", 0), ("u64", 1500000), ("u64", 1200), ("u64", 4194304), ("u64", 6), ("u64", 0), ("u64", 114688), ("u64", 8388608)]),
    ("exit-signal", GUEST, 0x28, 0, 1, [("i32", -1), ("u8", 9), ("u64", 1), ("u64", 0), ("u64", 0), ("u64", 0), ("u64", MAX), ("u64", MAX), ("u64", MAX)]),
    ("release", HOST, 0x29, 0, 0, [("str", "e1")]),
    ("read", HOST, 0x40, 0, 10, [("str", "user"), ("str", "/etc/hosts"), ("u64", 0), ("u64", MAX)]),
    ("write", HOST, 0x41, 1, 11, [("str", ""), ("str", "/tmp/a/b c"), ("u32", 0o640), ("u8", 3), ("u64", 1 << 33)]),
    ("stat", HOST, 0x42, 0, 12, [("str", "0"), ("str", b"/tmp/\xff\n")]),
    ("list", HOST, 0x43, 0, 13, [("str", ""), ("str", "/"), ("u8", 64)]),
    ("mkdir", HOST, 0x44, 1, 14, [("str", ""), ("str", "/tmp/x/y"), ("u32", 0o1777)]),
    ("move", HOST, 0x45, 0, 15, [("str", "user"), ("str", "/tmp/a"), ("str", "/tmp/b")]),
    ("remove", HOST, 0x46, 1, 16, [("str", "user"), ("str", "/tmp/b")]),
    ("set", HOST, 0x47, 0, 17, [("str", "user"), ("str", "/tmp/a"), ("u32", 0o6755), ("str", "1000:users")]),
    ("set-owner-only", HOST, 0x47, 0, 18, [("str", ""), ("str", "/tmp/a"), ("u32", 0xFFFFFFFF), ("str", ":0")]),
    ("checksum", HOST, 0x48, 0, 19, [("str", ""), ("str", b"/tmp/\xff")]),
    ("archive", HOST, 0x49, 0, 20, [("str", "user"), ("str", "/work")]),
    ("extract", HOST, 0x4A, 1, 21, [("str", ""), ("str", "/work/new"), ("u64", MAX), ("u32", 500000)]),
    ("watch", HOST, 0x4B, 1, 22, [("str", "user"), ("str", "/work")]),
    ("event-started", GUEST, 0x4C, 0, 22, [("u8", 0), ("u8", 1), ("str", "/work"), ("str", "")]),
    ("event-moved", GUEST, 0x4C, 0, 22, [("u8", 4), ("u8", 0), ("str", b"/work/a\n\xff"), ("str", "/work/b")]),
    ("digest", GUEST, 0x4D, 0, 19, [("u64", 3), ("bytes", bytes.fromhex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))]),
    ("done", GUEST, 0x4E, 0, 11, [("u64", 5368709120), ("u64", 0)]),
    ("done-extract", GUEST, 0x4E, 0, 21, [("u64", 123), ("u64", 7)]),
    ("entry", GUEST, 0x4F, 0, 13, [("str", b"/tmp/l\x80"), ("u8", 2), ("u32", 0o777), ("u32", 1000), ("u32", 65534),
                                   ("u64", 11), ("i64", 1700000000123456789), ("str", "../etc/passwd")]),
    ("entry-before-epoch", GUEST, 0x4F, 0, 12, [("str", "/a"), ("u8", 0), ("u32", 0o4755), ("u32", 0), ("u32", 0),
                                                ("u64", 1 << 40), ("i64", -1), ("str", "")]),
    ("connect", HOST, 0x50, 0, 23, [("u16", 65535)]),
    ("session-open", HOST, 0x60, 0, 24, [("str", "~s1"), ("str", "/work"), ("str", "user"), ("u16", 0), ("u16", 0), ("u32", 0),
                                         ("list", []), ("list", ["A=1"])]),
    ("session-open-shell", HOST, 0x60, 0, 25, [("str", "~s2"), ("str", ""), ("str", ""), ("u16", 0), ("u16", 0), ("u32", 1024),
                                               ("list", ["/bin/zsh"]), ("list", [])]),
    ("session-run", HOST, 0x61, 1, 26, [("str", "~s1"), ("str", "e2"), ("bytes", b"cd /tmp && echo 'caf\xc3\xa9\n")]),
    ("session-run-nothing", HOST, 0x61, 0, 27, [("str", "~s1"), ("str", "e3"), ("bytes", b"")]),
]


EXEC = [("str", "e"), ("str", ""), ("str", ""), ("u16", 0), ("u16", 0), ("u32", 0)]


def malformed():
    hello = payload([("u32", 1)])
    yield "ping-before-hello", "fresh", frame(0x03, 0, 0, bytes(8))
    yield "exec-before-hello", "fresh", frame(0x20, 0, 1, payload(EXEC + [("list", ["true"]), ("list", [])]))
    yield "hello-on-a-channel", "fresh", frame(0x01, 0, 1, hello)
    yield "hello-too-short", "fresh", frame(0x01, 0, 0, bytes(3))
    yield "hello-trailing-byte", "fresh", frame(0x01, 0, 0, hello + b"\0")
    yield "hello-unknown-flag", "fresh", frame(0x01, 1, 0, hello)
    yield "hello-reserved-not-zero", "fresh", frame(0x01, 0, 0, hello, zero=1)
    yield "hello-twice", "greeted", frame(0x01, 0, 0, hello)
    yield "length-over-limit", "greeted", frame(0x03, 0, 0, b"", length=69633)
    yield "length-huge", "greeted", frame(0x24, 0, 1, b"", length=0xFFFFFFFF)
    yield "type-zero", "greeted", frame(0x00, 0, 0, b"")
    yield "type-unknown", "greeted", frame(0x77, 0, 1, b"")
    yield "type-of-the-other-direction", "greeted", frame(0x28, 0, 1, bytes(45))
    yield "ping-on-a-channel", "greeted", frame(0x03, 0, 1, bytes(8))
    yield "ping-too-short", "greeted", frame(0x03, 0, 0, bytes(7))
    yield "stats-with-payload", "greeted", frame(0x06, 0, 0, b"x")
    yield "exec-on-channel-zero", "greeted", frame(0x20, 0, 0, payload(EXEC + [("list", ["true"]), ("list", [])]))
    yield "exec-text-past-the-end", "greeted", frame(0x20, 0, 1, b"\xff\xffabc")
    yield "exec-nul-in-argv", "greeted", frame(0x20, 0, 1, payload(EXEC + [("list", [b"a\0b"]), ("list", [])]))
    yield "exec-nul-in-id", "greeted", frame(0x20, 0, 1, payload([("str", b"e\0")] + EXEC[1:] + [("list", ["a"]), ("list", [])]))
    yield "exec-list-count-past-the-end", "greeted", frame(0x20, 0, 1, payload(EXEC) + b"\x00\x05\x00\x01a")
    yield "exec-no-env", "greeted", frame(0x20, 0, 1, payload(EXEC + [("list", ["a"])]))
    yield "exec-trailing-byte", "greeted", frame(0x20, 0, 1, payload(EXEC + [("list", ["a"]), ("list", [])]) + b"!")
    yield "exec-unknown-flag", "greeted", frame(0x20, 4, 1, payload(EXEC + [("list", ["a"]), ("list", [])]))
    yield "input-on-an-unopened-channel", "greeted", frame(0x24, 0, 1, bytes(8))
    yield "input-without-offset", "greeted", frame(0x24, 0, 1, bytes(7))
    yield "window-unknown-stream", "greeted", frame(0x13, 0, 1, payload([("u8", 3), ("u64", 0), ("u64", 0)]))
    yield "window-stream-of-the-guest", "greeted", frame(0x13, 0, 1, payload([("u8", 0), ("u64", 0), ("u64", 0)]))
    yield "signal-number-zero", "greeted", frame(0x26, 0, 1, b"\0\0")
    yield "signal-target-unknown", "greeted", frame(0x26, 0, 1, b"\x09\x03")
    yield "write-how-unknown", "greeted", frame(0x41, 0, 1, payload([("str", ""), ("str", "/a"), ("u32", 0), ("u8", 4), ("u64", 0)]))
    yield "list-depth-zero", "greeted", frame(0x43, 0, 1, payload([("str", ""), ("str", "/"), ("u8", 0)]))
    yield "list-depth-over-limit", "greeted", frame(0x43, 0, 1, payload([("str", ""), ("str", "/"), ("u8", 65)]))
    yield "set-mode-out-of-range", "greeted", frame(0x47, 0, 1, payload([("str", ""), ("str", "/a"), ("u32", 0o10000), ("str", "")]))
    yield "set-no-owner", "greeted", frame(0x47, 0, 1, payload([("str", ""), ("str", "/a"), ("u32", 0o644)]))
    yield "checksum-unknown-flag", "greeted", frame(0x48, 1, 1, payload([("str", ""), ("str", "/a")]))
    yield "archive-trailing-byte", "greeted", frame(0x49, 0, 1, payload([("str", ""), ("str", "/a")]) + b"!")
    yield "extract-no-limits", "greeted", frame(0x4A, 0, 1, payload([("str", ""), ("str", "/a")]))
    yield "watch-unknown-flag", "greeted", frame(0x4B, 2, 1, payload([("str", ""), ("str", "/a")]))
    yield "event-of-the-other-direction", "greeted", frame(0x4C, 0, 1, payload([("u8", 1), ("u8", 0), ("str", "/a"), ("str", "")]))
    yield "connect-port-zero", "greeted", frame(0x50, 0, 1, b"\0\0")
    yield "session-open-with-stdin", "greeted", frame(0x60, 1, 1, payload(EXEC + [("list", []), ("list", [])]))
    yield "session-run-in-a-terminal", "greeted", frame(0x61, 2, 1, payload([("str", "s"), ("str", "e")]))
    yield "session-run-without-id", "greeted", frame(0x61, 0, 1, payload([("str", "s")]))
    yield "session-run-on-channel-zero", "greeted", frame(0x61, 0, 0, payload([("str", "s"), ("str", "e")]))
    yield "channel-not-rising", "greeted", frame(0x06, 0, 5, b"") + frame(0x42, 0, 5, payload([("str", ""), ("str", "/")])) + frame(
        0x42, 0, 4, payload([("str", ""), ("str", "/")]))


def texts():
    note = "# SPDX-FileCopyrightText: 2026 The Sandgate Authors\n# SPDX-License-Identifier: Apache-2.0\n# Written by generate.py; see README.md\n"
    lines = []
    for name, way, kind, flags, channel, fields in FRAMES:
        text = " ".join(shown(*f) for f in fields) or "-"
        lines.append(f"{name} | {way} | {kind} {flags} {channel} | {text} | {frame(kind, flags, channel, payload(fields)).hex()}\n")
    yield "frames.txt", note + "".join(lines)
    yield "malformed.txt", note + "".join(f"{n} | {s} | {b.hex()}\n" for n, s, b in malformed())


def main():
    here = pathlib.Path(__file__).parent
    for name, text in texts():
        if "--check" not in sys.argv:
            (here / name).write_text(text)
        elif (here / name).read_text() != text:
            sys.exit(f"{name} differs from generate.py: run it")


main()
