# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""The real guest agent in a sandbox of the real spawner: one command through its protocol, in a cgroup of its own."""

import os
import pathlib
import socket
import struct
import unittest

from spawner import BUILD, Fields, Node, busybox, text

HELLO, WELCOME, SETUP, OK, WINDOW, EXEC, STARTED, OUTPUT, EXIT = 0x01, 0x02, 0x05, 0x10, 0x13, 0x20, 0x22, 0x23, 0x28
EXEC_CGROUPS = 1


class Guest:
    """One connection to a guest agent."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, kind, channel, fields, flags=0):
        self.socket.sendall(struct.pack(">IBBHI", len(fields), kind, flags, 0, channel) + fields)

    def receive(self):
        length, kind, _, _, channel = struct.unpack(">IBBHI", self.file.read(12))
        return kind, channel, Fields(self.file.read(length))

    def expect(self, wanted):
        kind, _, fields = self.receive()
        assert kind == wanted, (kind, fields.data)
        return fields


def texts(values):
    return struct.pack(">H", len(values)) + b"".join(text(value) for value in values)


@unittest.skipUnless((BUILD / "agent").exists(), "the guest agent is not built: run make all")
class Agent(unittest.TestCase):
    def setUp(self):
        self.node = Node(BUILD / "agent")
        self.addCleanup(self.node.close)
        self.pid = self.node.client.create("real", pids=50)
        self.node.client.activate("real", self.pid, [self.node.image("base.erofs", busybox)])
        self.guest = Guest(self.node.run / "a" / "real.sock")
        self.addCleanup(self.guest.close)
        self.guest.send(HELLO, 0, struct.pack(">I", 1))
        self.features = self.guest.expect(WELCOME).take("IQI")[2]
        self.guest.send(SETUP, 0, text("") + text("root") + texts([]) + struct.pack(">I", 0))
        self.guest.expect(OK)

    def run_command(self, *arguments):
        fields = text("e1") + text("/") + text("root") + struct.pack(">HHI", 0, 0, 0) + texts(arguments) + texts([])
        self.guest.send(EXEC, 1, fields)
        for stream in (1, 2):
            self.guest.send(WINDOW, 1, struct.pack(">BQQ", stream, 0, 1 << 20))
        output = b""
        while True:
            kind, _, fields = self.guest.receive()
            if kind == OUTPUT:
                output += fields.data[9:]
            if kind == EXIT:
                return fields.take("iB"), output.decode()
            self.assertIn(kind, (STARTED, OUTPUT, WINDOW, 0x25))

    def test_command_runs_in_a_cgroup_of_its_own(self):
        self.assertTrue(self.features & EXEC_CGROUPS)
        result, output = self.run_command("/bin/sh", "-c", "grep ^0: /proc/self/cgroup; id -u; exit 3")
        self.assertEqual(result, (3, 0))
        self.assertRegex(output, r"^0::/x\d+\n0\n$")

    def test_agent_cannot_be_looked_into_from_the_sandbox(self):
        _, output = self.run_command(
            "/bin/sh", "-c", "cat /proc/1/environ /proc/1/maps; ls /proc/1/fd /proc/1/root/; ls /proc/self/fd"
        )
        self.assertEqual(output.count("Permission denied"), 4, output)

    def test_agent_holds_no_other_descriptors(self):
        links = {os.readlink(path) for path in pathlib.Path(f"/proc/{self.pid}/fd").iterdir()}
        for link in links:
            self.assertRegex(link, r"^(/dev/null|socket:\[\d+\]|/|anon_inode:.*|pipe:\[\d+\])$")


if __name__ == "__main__":
    unittest.main()
