# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the agent for file operations."""
import struct

from guest import *


class Entry:
    def __init__(self, payload):
        (length,) = struct.unpack_from(">H", payload)
        self.path = payload[2 : 2 + length]
        self.type, self.mode, self.uid, self.gid, self.size, self.mtime = struct.unpack_from(">BIIIQq", payload, 2 + length)
        at = 2 + length + 29
        (target,) = struct.unpack_from(">H", payload, at)
        self.target = payload[at + 2 :]
        assert len(self.target) == target


class Files(Guest):
    def ask(self, kind, path, rest=b"", flags=0, user="", credit=MAX):
        channel = self.host.open()
        path = path if isinstance(path, bytes) else str(path)
        self.host.send(kind, channel, text(user) + text(path) + rest, flags)
        if credit:
            self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, credit))
        return channel

    def answers(self, channel):
        while True:
            got = self.host.receive(channel, 30).check()
            if got.kind in (OK, DONE):
                return
            yield got

    def do(self, *arguments, **options):
        return list(self.answers(self.ask(*arguments, **options)))

    def read(self, path, offset=0, length=MAX, **options):
        data = bytearray()
        for got in self.answers(self.ask(READ, path, struct.pack(">QQ", offset, length), **options)):
            assert got.kind == OUTPUT and got.fields("BQ") == (1, len(data))
            data += got.payload[9:]
        return bytes(data)

    def write(self, path, data=b"", mode=0o644, how=0, offset=0, parents=False, user=""):
        channel = self.ask(WRITE, path, struct.pack(">IBQ", mode, how, offset), flags=int(parents), user=user, credit=0)
        self.assertEqual(self.host.receive(channel).check().kind, STARTED)
        sent, limit, ended = 0, 0, False
        while True:
            while not ended and (sent < min(limit, len(data)) or sent == len(data)):
                part = data[sent : min(sent + 65536, limit)]
                ended = sent + len(part) == len(data)
                self.host.send(INPUT, channel, struct.pack(">Q", sent) + part, int(ended))
                sent += len(part)
            got = self.host.receive(channel).check()
            if got.kind == DONE:
                return got.fields("Q")[0]
            _, accepted, limit = got.fields("BQQ")

    def stat(self, path, **options):
        (got,) = self.do(STAT, path, **options)
        return Entry(got.payload)

    def list(self, path, depth=1, **options):
        return {e.path: e for e in (Entry(got.payload) for got in self.do(LIST, path, struct.pack(">B", depth), **options))}

    def mkdir(self, path, mode=0o755, parents=False, **options):
        self.do(MKDIR, path, struct.pack(">I", mode), flags=int(parents), **options)

    def move(self, path, to, **options):
        self.do(MOVE, path, text(str(to)), **options)

    def remove(self, path, recursive=False, **options):
        self.do(REMOVE, path, flags=int(recursive), **options)
