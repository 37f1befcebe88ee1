#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the fuzzers' first inputs from the golden vectors: seeds.py CORPUS"""
import pathlib
import struct
import sys
import tarfile

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"


def rows(name):
    for line in (VECTORS / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split(" | ")


def on_channel(frame, channel):
    return frame[:8] + struct.pack(">I", channel) + frame[12:]


def archives():
    """What the archive parser reads: a byte that says what follows, and a header, pax records or a name."""
    for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        for name in ("f", "d/" * 60 + "f", "\u00fc" * 120):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = 1 << 34 if form != tarfile.USTAR_FORMAT else 7, 1.5 if form == tarfile.PAX_FORMAT else 1
            try:
                data = info.tobuf(form)
            except ValueError:
                continue
            for block in range(0, len(data), 512):
                yield f"{form}-{len(name)}-{block}", b"\0" + data[block : block + 512]
    yield "pax", b"\1" + b"12 path=a/b\n" + b"20 mtime=-1.5000000\n" + b"16 size=1234567\n"
    yield "long-link", b"\2" + b"../x/y\0"
    yield "long-name", b"\3" + b"./a//b/../c\0"


def main():
    corpus = pathlib.Path(sys.argv[1])
    host = {row[0]: bytes.fromhex(row[-1]) for row in rows("frames.txt") if row[1] == "host" and row[0] != "hello"}
    opening = [n for n in host if n.startswith(("exec", "read", "write", "stat", "list", "mkdir", "move", "remove", "set", "checksum", "archive", "extract", "watch", "connect", "attach", "session"))]
    following = [n for n in host if n in ("window-host", "input", "input-end", "signal", "resize", "cancel")]
    conversations = {name: [frame] for name, frame in host.items()}
    for name in opening:
        conversations[f"{name}-and-on"] = [on_channel(host[name], 1)] + [on_channel(host[n], 1) for n in following]
    conversations["everything"] = list(host.values())
    conversations["sessions"] = [host["session-open"], host["session-run"], host["window-host"], host["session-run"], host["signal"], host["release"]]
    conversations["again"] = [host["exec"], host["window-host"], host["attach"], host["release"], host["exec-terminal"], host["stats"]]
    for kind, prefix in (("parse", b""), ("dispatch", b"\x01")):
        (corpus / kind).mkdir(parents=True, exist_ok=True)
        for name, frames in conversations.items():
            (corpus / kind / name).write_bytes(prefix + b"".join(frames))
        for name, _, data in rows("malformed.txt"):
            (corpus / kind / f"bad-{name}").write_bytes(prefix + bytes.fromhex(data))
    (corpus / "tar").mkdir(parents=True, exist_ok=True)
    for name, data in archives():
        (corpus / "tar" / name).write_bytes(data)


main()
