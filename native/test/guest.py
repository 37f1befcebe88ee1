# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""A host for the real agent binary: frames, channels and a sandbox-less guest per test."""
import os
import pathlib
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest

NATIVE = pathlib.Path(__file__).resolve().parent.parent
AGENT = NATIVE / "build" / "agent"
MAX = 2**64 - 1

HELLO, WELCOME, PING, PONG, SETUP, STATS, STATS_INFO = range(1, 8)
OK, FAIL, CANCEL, WINDOW = range(0x10, 0x14)
EXEC, ATTACH, STARTED, OUTPUT, INPUT, INPUT_CLOSED, SIGNAL, RESIZE, EXIT, RELEASE = range(0x20, 0x2A)
READ, WRITE, STAT, LIST, MKDIR, MOVE, REMOVE, SET, CHECKSUM, ARCHIVE, EXTRACT, WATCH = range(0x40, 0x4C)
EVENT, DIGEST, DONE, ENTRY, CONNECT = range(0x4C, 0x51)
SESSION_OPEN, SESSION_RUN = 0x60, 0x61
STDIN, TERMINAL = 1, 2


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(value)) + value


def texts(values):
    return struct.pack(">H", len(values)) + b"".join(map(text, values))


def frame(kind, channel=0, payload=b"", flags=0):
    return struct.pack(">IBBHI", len(payload), kind, flags, 0, channel) + payload


class Closed(Exception):
    """The guest closed the connection."""


class Fail(Exception):
    def __init__(self, kind, errno, message):
        super().__init__(f"FAIL {kind} errno {errno}: {message}")
        self.kind, self.errno, self.message = kind, errno, message


class Frame:
    def __init__(self, kind, flags, channel, payload):
        self.kind, self.flags, self.channel, self.payload = kind, flags, channel, payload

    def fields(self, layout):
        return struct.unpack_from(">" + layout, self.payload)

    def check(self):
        if self.kind == FAIL:
            kind, errno, length = self.fields("HiH")
            raise Fail(kind, errno, self.payload[8 : 8 + length].decode(errors="replace"))
        return self


class Exit:
    def __init__(self, frame_):
        fields = frame_.fields("iBQQQQQQQ")
        self.code, self.signal, self.wall, self.cpu, self.peak, self.out_end, self.err_end, self.read, self.written = fields


class Host:
    """One connection. Frames for other channels are kept until somebody asks for them."""

    def __init__(self, path, hello=True):
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(str(path))
        except ConnectionRefusedError:
            self.socket.close()
            raise
        self.buffer = bytearray()
        self.kept = {}
        self.channel = 0
        self.known, self.features = [], 0
        if hello:
            self.send(HELLO, 0, struct.pack(">I", 1))
            self.read_welcome()

    def read_welcome(self):
        more = True
        while more:
            welcome = self.receive(0)
            assert welcome.kind == WELCOME, welcome.kind
            self.version, self.boot_id, self.features, count = welcome.fields("IQIH")
            at = 18
            for _ in range(count):
                (length,) = struct.unpack_from(">H", welcome.payload, at)
                self.known.append(welcome.payload[at + 2 : at + 2 + length].decode())
                at += 2 + length
            more = welcome.flags & 1

    def close(self):
        self.socket.close()

    def open(self):
        self.channel += 1
        return self.channel

    def send(self, kind, channel=0, payload=b"", flags=0):
        self.raw(frame(kind, channel, payload, flags))

    def raw(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            raise Closed() from None

    def read_frame(self, timeout):
        deadline = time.monotonic() + timeout
        while True:
            if len(self.buffer) >= 12:
                length, kind, flags, zero, channel = struct.unpack_from(">IBBHI", self.buffer)
                assert zero == 0 and length <= 69632
                if len(self.buffer) >= 12 + length:
                    payload = bytes(self.buffer[12 : 12 + length])
                    del self.buffer[: 12 + length]
                    return Frame(kind, flags, channel, payload)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError("no frame")
            try:
                data = self.socket.recv(1 << 20)
            except ConnectionResetError:
                data = b""
            if not data:
                raise Closed()
            self.buffer += data

    def receive(self, channel, timeout=20):
        kept = self.kept.get(channel)
        if kept:
            return kept.pop(0)
        deadline = time.monotonic() + timeout
        while True:
            got = self.read_frame(max(0, deadline - time.monotonic()))
            if got.channel == channel:
                return got
            self.kept.setdefault(got.channel, []).append(got)

    def setup(self, user="root", env=(), hostname="", files=0):
        self.send(SETUP, 0, text(hostname) + text(user) + texts(env) + struct.pack(">I", files))
        return self.receive(0).check()

    def stats(self):
        self.send(STATS)
        return self.receive(0).fields("IIQ")

    def ping(self, token=7):
        self.send(PING, 0, struct.pack(">Q", token))
        assert self.receive(0).fields("Q") == (token,)

    def exec(self, *argv, **options):
        return Exec(self, argv, **options)

    def attach(self, id_, out=0, err=0, credit=MAX):
        return Exec(self, None, id_=id_, attach=(out, err), credit=credit)

    def release(self, id_):
        channel = self.open()
        self.send(RELEASE, channel, text(id_))
        self.receive(channel).check()

    def run(self, *argv, **options):
        command = self.exec(*argv, **options)
        result = command.finish()
        command.release()
        return result


class Exec:
    counter = 0

    def __init__(self, host, argv, id_=None, cwd="/", user="", env=(), files=0, stdin=False, size=None, credit=MAX, attach=None):
        Exec.counter += 1
        self.host, self.channel = host, host.open()
        self.id = id_ or f"x.{os.getpid()}.{Exec.counter}"
        self.output, self.sent, self.limit, self.accepted = {1: bytearray(), 2: bytearray()}, 0, 0, 0
        self.start = {1: 0, 2: 0}
        self.credit, self.pid, self.exit, self.input_closed = credit, None, None, None
        if attach:
            self.start = {1: attach[0], 2: attach[1]}
            host.send(ATTACH, self.channel, text(self.id) + struct.pack(">QQ", *attach))
        else:
            columns, rows = size or (0, 0)
            flags = (STDIN if stdin else 0) | (TERMINAL if size else 0)
            payload = text(self.id) + text(cwd) + text(user) + struct.pack(">HHI", columns, rows, files) + texts(argv) + texts(list(env))
            host.send(EXEC, self.channel, payload, flags)
        if credit:
            self.window(1, 0, credit)
            self.window(2, 0, credit)

    def window(self, stream, acknowledged, limit):
        self.host.send(WINDOW, self.channel, struct.pack(">BQQ", stream, acknowledged, limit))

    def acknowledge(self, credit=None):
        for stream in (1, 2):
            end = self.start[stream] + len(self.output[stream])
            self.window(stream, end, self.credit if credit is None else end + credit)

    def step(self, timeout=20):
        got = self.host.receive(self.channel, timeout).check()
        if got.kind == STARTED:
            self.pid, self.accepted = got.fields("IQ")
        elif got.kind == OUTPUT:
            stream, offset = got.fields("BQ")
            assert offset == self.start[stream] + len(self.output[stream]), (offset, len(self.output[stream]))
            assert 0 < len(got.payload) - 9 <= 65536 and self.exit is None
            self.output[stream] += got.payload[9:]
            if self.credit == MAX:
                self.window(stream, offset + len(got.payload) - 9, MAX)
        elif got.kind == WINDOW:
            stream, self.accepted, self.limit = got.fields("BQQ")
            assert stream == 0
        elif got.kind == INPUT_CLOSED:
            (self.input_closed,) = got.fields("Q")
        elif got.kind == EXIT:
            assert self.exit is None
            self.exit = Exit(got)
            assert self.exit.out_end == self.start[1] + len(self.output[1]), (self.exit.out_end, len(self.output[1]))
            assert self.exit.err_end == self.start[2] + len(self.output[2])
        return got

    def until(self, condition, timeout=20):
        deadline = time.monotonic() + timeout
        while not condition():
            self.step(max(0, deadline - time.monotonic()))
        return self

    def started(self):
        return self.until(lambda: self.pid is not None)

    def finish(self, timeout=30):
        self.until(lambda: self.exit, timeout)
        return self

    def expect(self, words, timeout=20):
        words = words.encode() if isinstance(words, str) else words
        return self.until(lambda: words in self.output[1], timeout)

    def input(self, data, end=False):
        view, at = memoryview(data), 0
        while at < len(view) or end:
            self.until(lambda: self.limit > self.sent or at == len(view) or self.input_closed is not None)
            if self.input_closed is not None:
                return
            part = view[at : at + min(65536, self.limit - self.sent)]
            at += len(part)
            last = end and at == len(view)
            self.host.send(INPUT, self.channel, struct.pack(">Q", self.sent) + part, 1 if last else 0)
            self.sent += len(part)
            if last:
                return

    def signal(self, number, target=0):
        self.host.send(SIGNAL, self.channel, struct.pack(">BB", number, target))

    def resize(self, columns, rows):
        self.host.send(RESIZE, self.channel, struct.pack(">HH", columns, rows))

    def cancel(self):
        self.host.send(CANCEL, self.channel)

    def release(self):
        self.host.release(self.id)

    @property
    def out(self):
        return bytes(self.output[1])

    @property
    def err(self):
        return bytes(self.output[2])


def cgroup_parent():
    """A writable cgroup v2 mount, or None."""
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        fields = line.split()
        if fields[2] == "cgroup2" and os.access(fields[1], os.W_OK):
            return pathlib.Path(fields[1])
    return None


def poll(condition, timeout=10, what="condition"):
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not in {timeout} s: {what}")
        select.select([], [], [], 0.005)


class Guest(unittest.TestCase):
    """Every test has its own agent, its own cgroup and its own directory, and leaves none of them behind."""

    with_cgroup = True

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sandgate-agent-"))
        self.directory.chmod(0o777)
        self.addCleanup(shutil.rmtree, self.directory)
        self.path = self.directory / "agent.sock"
        command = [AGENT, "--socket", self.path]
        self.cgroup = None
        if self.with_cgroup:
            parent = cgroup_parent()
            self.assertIsNotNone(parent, "these tests need a writable cgroup2 mount")
            self.cgroup = parent / f"agent-test-{os.getpid()}-{self.directory.name[-8:]}"
            self.cgroup.mkdir()
            command += ["--cgroup", self.cgroup]
        self.agent = subprocess.Popen(command, cwd="/", env={})
        self.addCleanup(self.stop)
        poll(self.path.exists, what="the agent listens")
        self.host = self.connect()

    def connect(self, **options):
        def attempt():
            try:
                return Host(self.path, **options)
            except ConnectionRefusedError:
                return None

        host = poll(attempt, what="the agent answers")
        self.addCleanup(host.close)
        return host

    def stop(self):
        if self.agent.poll() is None:
            self.agent.terminate()
        code = self.agent.wait(30)
        if self.cgroup:
            kill = self.cgroup / "cgroup.kill"
            kill.write_text("1")
            for child in list(self.cgroup.glob("x*")):
                poll(lambda c=child: self.removed(c), what=f"{child} is empty")
            poll(lambda: self.removed(self.cgroup), what="the cgroup is empty")
        self.assertEqual(code, 0, "the agent ended in order")

    @staticmethod
    def removed(path):
        try:
            path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def rss_kib(self):
        for line in pathlib.Path(f"/proc/{self.agent.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise AssertionError("no VmRSS")

    def children(self):
        """Live and dead children of the agent: pid → state."""
        found = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == self.agent.pid:
                found[int(stat.parent.name)] = fields[0]
        return found

    @staticmethod
    def below(ancestor):
        """Pids of all descendants."""
        parents = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parents[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
        found, level = set(), {ancestor}
        while level:
            level = {pid for pid, parent in parents.items() if parent in level}
            found |= level
        return found

    def assertFails(self, kind, errno, action):
        with self.assertRaises(Fail) as caught:
            action()
        self.assertEqual((caught.exception.kind, caught.exception.errno), (kind, errno), str(caught.exception))
        return caught.exception.message
