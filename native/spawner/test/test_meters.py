# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sandbox used: read from storage, written to it, and what its end tells of its whole life."""

import pathlib
import unittest

from spawner import Node, await_true, busybox

MIB = 1 << 20
BURN = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"


class Meters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.addClassCleanup(cls.node.close)
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", busybox)

    def start(self, name):
        pid = self.client.create(name)
        self.client.activate(name, pid, [self.base])
        self.addCleanup(self.client.destroy, name)
        return pid

    def all_cpu(self):
        """The kernel's own count of all that ever ran below the node's cgroup, microseconds."""
        for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
            if " - cgroup2 " in line:
                stat = pathlib.Path(line.split()[4]) / self.node.cgroup_name / "cpu.stat"
                return int(stat.read_text().split()[1])

    def test_storage_is_counted_of_the_living_and_of_those_they_waited_for(self):
        self.start("writer")
        before = self.client.usage("writer")
        self.assertTrue(before["io_known"])
        write = "dd if=/dev/zero of=/tmp/{} bs=1M count=4 2>/dev/null; exec sleep 1000"
        for name in "ab":
            self.node.shell("writer", f"({write.format(name)}) >/dev/null 2>&1 &")
        await_true(lambda: self.client.usage("writer")["written"] - before["written"] >= 8 * MIB, "both are counted")
        last = self.client.destroy("writer")
        self.assertTrue(last["io_known"])
        self.assertTrue(8 * MIB <= last["written"] - before["written"] < 9 * MIB, last)

    def test_memory_file_systems_are_no_storage(self):
        self.start("shm")
        before = self.client.usage("shm")["written"]
        self.node.shell("shm", "dd if=/dev/zero of=/dev/shm/a bs=1M count=8 2>/dev/null")
        self.assertLess(self.client.usage("shm")["written"] - before, MIB)

    def test_many_processes_are_not_measured_rather_than_half(self):
        self.start("crowd")
        self.node.shell("crowd", "i=0; while [ $i -lt 520 ]; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); done", timeout=60)
        self.assertFalse(self.client.usage("crowd")["io_known"])

    def test_the_end_tells_what_the_whole_life_used(self):
        self.start("short")
        self.node.shell("short", BURN)
        seen = self.client.usage("short")
        last = self.client.destroy("short")
        self.assertGreaterEqual(last["cpu"], seen["cpu"])
        self.assertGreater(last["memory"], 0)
        self.assertIsNone(self.client.destroy("short"), "it was told once")

    def test_ends_add_up_to_what_the_kernel_counted_for_all(self):
        before = self.all_cpu()
        told = 0
        for name in ("one", "two", "three"):
            self.start(name)
            self.node.shell(name, f"({BURN}) & {BURN}; (while :; do :; done) >/dev/null 2>&1 &")
            await_true(lambda: self.client.usage(name)["cpu"] > 200_000, "it spins")
            told += self.client.destroy(name)["cpu"]
        counted = self.all_cpu() - before
        self.assertLess(abs(counted - told), counted / 100, f"{told} of {counted}")


if __name__ == "__main__":
    unittest.main()
