# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""A sandbox that stands still: its memory goes to swap, and comes back as it was."""

import contextlib
import errno
import hashlib
import os
import pathlib
import subprocess
import unittest

from spawner import RECLAIM, Failure, Node, await_true, busybox, text

MIB = 1 << 20
# What the kernel may hold back of a cgroup's charge on each CPU: 64 pages (MEMCG_CHARGE_BATCH).
UNCOUNTED = 64 * 4096 * os.cpu_count()
CONTROL = pathlib.Path("/sys/class/zram-control")
# Holds a long text until it is told to write it down.
HOLDER = 'BEGIN { held = sprintf("x%67108863s", "y"); getline go < "/go"; print held > "/held"; close("/held"); print > "/done" }'


@contextlib.contextmanager
def swap(size):
    """A compressed swap device of this size in memory."""
    number = (CONTROL / "hot_add").read_text().strip()
    block = pathlib.Path(f"/sys/block/zram{number}")
    try:
        (block / "disksize").write_text(str(size))
        await_true(pathlib.Path(f"/dev/zram{number}").exists, "the device is there")
        subprocess.run(["mkswap", f"/dev/zram{number}"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["swapon", f"/dev/zram{number}"], check=True)
        yield
        subprocess.run(["swapoff", f"/dev/zram{number}"], check=True)
    finally:
        (block / "reset").write_text("1")
        (CONTROL / "hot_remove").write_text(number)


@unittest.skipUnless(CONTROL.exists(), "the kernel has no zram to swap to")
class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.swap = swap(256 * MIB)
        cls.swap.__enter__()
        cls.addClassCleanup(cls.swap.__exit__, None, None, None)
        cls.node = Node()
        cls.addClassCleanup(cls.node.close)
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", busybox)

    def start(self, name):
        pid = self.client.create(name, memory=256 * MIB)
        self.client.activate(name, pid, [self.base])
        self.addCleanup(self.client.destroy, name)
        self.node.shell(name, f"mkfifo /go; (awk '{HOLDER}' >/dev/null &)")
        await_true(lambda: self.client.usage(name)["memory"] > 64 * MIB, "the memory is taken")

    def reclaim(self, name):
        return self.client.call(RECLAIM, text(name)).take("QQ")

    def test_memory_of_a_frozen_one_is_given_back_and_comes_back(self):
        self.start("paused")
        self.client.freeze("paused", True)
        before, after = self.reclaim("paused")
        self.assertGreater(before, 64 * MIB)
        self.assertLess(after, before // 5)
        self.assertAlmostEqual(self.client.usage("paused")["memory"], after, delta=UNCOUNTED)
        self.client.freeze("paused", False)
        held = self.node.shell("paused", "echo go > /go; until [ -e /done ]; do sleep 0.1; done; md5sum < /held").output
        self.assertEqual(held.split()[0], hashlib.md5(b"x" + b" " * (64 * MIB - 2) + b"y\n").hexdigest())

    def test_memory_of_one_that_goes_on_is_left_alone(self):
        self.start("goes-on")
        before, after = self.reclaim("goes-on")
        self.assertGreater(after, before * 9 // 10)

    def test_an_unknown_one_is_refused(self):
        with self.assertRaises(Failure) as caught:
            self.reclaim("never-was")
        self.assertEqual(caught.exception.error, errno.ENOENT)
