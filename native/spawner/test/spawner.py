# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Drives the real spawner from tests: its protocol, its process, layers to activate, and the stub agent's commands."""

import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build"
INFO, CREATE, ACTIVATE, DESTROY, LIST, LIMITS, USAGE, FREEZE, FORGET, ADOPT, STOP = range(1, 12)
RECLAIM = 0x12
OK, FAIL = 0x80, 0x81


class Failure(Exception):
    """A FAIL answer."""

    def __init__(self, step, error, text):
        super().__init__(f"step {step}: {os.strerror(error)}: {text}")
        self.step, self.error, self.text = step, error, text


def text(value):
    data = value.encode()
    return struct.pack(">H", len(data)) + data


class Fields:
    """Reads the fields of an answer in order."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        values = struct.unpack_from(">" + layout, self.data, self.at)
        self.at += struct.calcsize(">" + layout)
        return values[0] if len(values) == 1 else values

    def text(self):
        length = self.take("H")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def at_end(self):
        return self.at == len(self.data)


class Client:
    """One connection to the spawner."""

    def __init__(self, run):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(str(run / "spawner.sock"))

    def close(self):
        self.socket.close()

    def send(self, kind, fields=b""):
        self.socket.sendall(struct.pack(">IB", len(fields), kind) + fields)

    def receive(self):
        length, kind = struct.unpack(">IB", self.exactly(5))
        fields = Fields(self.exactly(length))
        if kind == FAIL:
            raise Failure(*fields.take("Hi"), fields.text())
        assert kind == OK, kind
        return fields

    def exactly(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError("the spawner closed the connection")
            data += part
        return data

    def call(self, kind, fields=b""):
        self.send(kind, fields)
        return self.receive()

    def info(self):
        fields = self.call(INFO)
        version, pid, base = fields.take("III")
        return version, pid, base, [fields.text() for _ in range(fields.take("H"))], fields.text()

    @staticmethod
    def create_fields(name, best_effort=False, cpu=0, memory=0, pids=0):
        return text(name) + struct.pack(">BIQI", best_effort, cpu, memory, pids)

    def create(self, name, **options):
        return self.call(CREATE, self.create_fields(name, **options)).take("I")

    def activate(self, name, pid, layers, upper=None, disk=0, host_name=None, template=None, reserved=False, **owner):
        fields = text(name) + struct.pack(">I", pid) + text(upper or f"uppers/{name}") + struct.pack(">Q", disk)
        fields += struct.pack(">H", len(layers)) + b"".join(text(layer) for layer in layers)
        fields += text(host_name or "") if host_name or template else b""
        fields += text(template) if template else b""
        fields += b"\x01" if reserved else b""
        self.call(ACTIVATE, fields + (self.owner_fields(**owner) if owner else b""))

    @staticmethod
    def owner_fields(owner, limits=None):
        """What ends the request for a blank that becomes a sandbox of another name; goes with host_name only."""
        limited = struct.pack(">BIQI", 1, *limits) if limits else b"\x00"
        return text("") + b"\x00" + text(owner) + limited

    def destroy(self, name, upper=None):
        """Gives what it used in all; nothing when it was not there."""
        fields = self.call(DESTROY, text(name) + text(f"uppers/{name}" if upper is None else upper))
        return None if fields.at_end() else self.used(fields)

    @staticmethod
    def used(fields):
        names = ("cpu", "memory", "peak", "processes", "oom_kills", "io_known", "read", "written")
        return dict(zip(names, fields.take("QQQIQ?QQ")))

    def list(self):
        return {name: pid for name, (pid, _) in self.owners().items()}

    def owners(self):
        """By name the agent's pid and the sandbox that it became, if it has another name."""
        fields = self.call(LIST)
        return dict((fields.text(), (fields.take("I"), fields.text())) for _ in range(fields.take("H")))

    def limits(self, name, cpu=0, memory=0, pids=0):
        self.call(LIMITS, text(name) + struct.pack(">IQI", cpu, memory, pids))

    def usage(self, name):
        return self.used(self.call(USAGE, text(name)))

    def freeze(self, name, on):
        self.call(FREEZE, text(name) + struct.pack(">B", on))


class Result:
    """What a command in a sandbox printed and how it ended."""

    def __init__(self, data):
        assert data[-3:-2] == b"\xff", data
        self.output, self.code, self.signal = data[:-3].decode(errors="replace"), data[-2], data[-1]

    def __repr__(self):
        return f"code {self.code} signal {self.signal}: {self.output}"


class Node:
    """A spawner of its own in a temporary directory, with a cgroup of its own name."""

    def __init__(self, agent=None):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sandgate-spawner-"))
        self.run, self.state = self.directory / "run", self.directory / "state"
        self.layers = self.state / "layers"
        self.layers.mkdir(parents=True)
        self.cgroup_name = "sgtest-" + uuid.uuid4().hex[:8]
        self.agent = agent or BUILD / "stub_agent"
        self.start()

    def start(self):
        command = [BUILD / "spawner", "serve", "--run", self.run, "--state", self.state, "--agent", self.agent]
        subprocess.run([*command, "--cgroup-name", self.cgroup_name], check=True, timeout=20)
        self.client = Client(self.run)

    def pid(self):
        return self.client.info()[1]

    def kill_spawner(self):
        pid = self.pid()
        os.kill(pid, signal.SIGKILL)
        self.client.close()
        await_true(lambda: not alive(pid), "the spawner is gone")

    def close(self):
        self.client.close()
        self.client = Client(self.run)  # a test may have left the old one in the middle of an answer
        for name in self.client.list():
            self.client.destroy(name)
        await_true(lambda: not any((self.state / "uppers" / ".trash").iterdir()), "the trash is empty", 60)
        pid = self.pid()
        self.client.call(STOP)
        self.client.close()
        await_true(lambda: not alive(pid), "the spawner is gone")
        shutil.rmtree(self.directory)

    def image(self, name, fill):
        """Packs what `fill(directory)` makes into layers/<name>."""
        tree = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
        tree.chmod(0o755)
        fill(tree)
        command = ["mkfs.erofs", "--quiet", "-d0", "--all-root", self.layers / name, tree]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(tree)
        return f"layers/{name}"

    def command(self, name, *arguments, uid=0, timeout=30):
        data = b"".join(argument.encode() + b"\0" for argument in arguments)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout)
            connection.connect(str(self.run / "a" / f"{name}.sock"))
            connection.sendall(struct.pack(">II", len(data), uid) + data)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        return Result(answer)

    def shell(self, name, script, **options):
        return self.command(name, "/bin/sh", "-c", script, **options)


def busybox(tree):
    """A busybox root; /proc, /sys, /dev and /tmp come from the skeleton."""
    (tree / "bin").mkdir()
    shutil.copy("/usr/bin/busybox", tree / "bin" / "busybox")
    for applet in subprocess.check_output(["busybox", "--list"], text=True).split():
        if applet != "busybox":
            (tree / "bin" / applet).symlink_to("busybox")
    for program in ("probe", "tamper"):
        if (BUILD / program).exists():
            shutil.copy(BUILD / program, tree / "bin" / program)


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def await_true(condition, what, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not in {seconds} s: {what}")
        time.sleep(0.005)
