# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""What the kernel counts by user: a sandbox that takes all of it leaves others theirs."""

import fcntl
import pathlib
import shutil
import struct
import unittest

from spawner import BUILD, Node, await_true, busybox

NS_GET_OWNER_UID = 0xB704


def setting(path):
    return int(pathlib.Path("/proc/sys", path).read_text())


def with_hold(tree):
    busybox(tree)
    shutil.copy(BUILD / "hold", tree / "bin" / "hold")


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", with_hold)

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def start(self, name, memory=512 << 20):
        pid = self.client.create(name, memory=memory, pids=100)
        self.client.activate(name, pid, [self.base])
        self.addCleanup(lambda: self.client.destroy(name))
        return pid

    def held(self, name, kind, most):
        """Takes so many in a sandbox and keeps them: how many there were, and the error that ended it."""
        self.node.shell(name, f"/bin/hold {kind} /tmp/held-{kind} {most} >/dev/null 2>&1 &")
        told = self.node.state / "uppers" / name / "upper" / "tmp" / f"held-{kind}"
        await_true(told.exists, f"{name} holds {kind}", 60)
        count, error = told.read_text().split()
        return int(count), error

    def test_inotify_instances_of_one_sandbox_are_bounded_and_no_other_ones(self):
        most = setting("fs/inotify/max_user_instances")
        self.start("greedy")
        self.start("modest")
        self.assertEqual(self.held("greedy", "instances", 10 * most), (most, "EMFILE"))
        self.assertEqual(self.held("modest", "instances", most), (most, "-"))

    def test_devices_are_inodes_of_one_sandbox(self):
        """Who has another one's inode can lock it, and hears by inotify whenever it is used."""
        self.start("greedy")
        self.start("modest")
        self.assertEqual(self.held("greedy", "locks", 5), (5, "-"))
        self.assertEqual(self.held("modest", "locks", 5), (5, "-"))

    def test_terminals_of_one_sandbox_are_bounded_and_no_other_ones(self):
        self.start("greedy")
        self.start("modest")
        count, error = self.held("greedy", "terminals", 3000)
        self.assertEqual((count, error), (256, "ENOSPC"))
        self.assertEqual(self.held("modest", "terminals", 256), (256, "-"))

    def test_terminals_of_many_sandboxes_do_not_run_out(self):
        for i in range(14):
            self.start(f"many-{i}")
            self.assertEqual(self.held(f"many-{i}", "terminals", 256), (256, "-"))

    def test_the_kernel_has_room_for_the_files_and_terminals_of_all(self):
        """Few sandboxes have as many files open as a kernel has room for by itself, and then nobody can open one."""
        rooms = {"fs/file-max": 2_000_000, "kernel/pty/max": 4096}
        for path, least in rooms.items():
            self.addCleanup(pathlib.Path("/proc/sys", path).write_text, str(setting(path)))
            pathlib.Path("/proc/sys", path).write_text(str(least))
        self.node.kill_spawner()
        self.node.start()
        type(self).client = self.node.client
        self.assertGreater(setting("fs/file-max"), 1 << 40)
        self.assertGreaterEqual(setting("kernel/pty/max"), 1000 * 256)

    def test_what_datagrams_of_one_sandbox_hold_is_bounded(self):
        self.start("greedy", memory=64 << 20)
        count, error = self.held("greedy", "datagrams", 400)
        self.assertLess(count, 64)
        self.assertEqual(error, "EAGAIN")

    def test_what_connections_of_one_sandbox_hold_is_bounded(self):
        """With a limit it is within that; the kernel's room for all connections, the node's own too, is not filled."""
        self.start("greedy", memory=64 << 20)
        count, error = self.held("greedy", "streams", 400)
        self.assertLess(count, 64)
        self.assertEqual(error, "EAGAIN")

    def test_what_connections_hold_is_bounded_without_a_limit_of_memory_too(self):
        if not list(pathlib.Path("/sys/fs/cgroup").glob("memory/memory.kmem.tcp.limit_in_bytes")):
            self.skipTest("the kernel has no such limit of its own")
        self.start("greedy", memory=0)
        self.assertLess(self.held("greedy", "streams", 400)[0], 64)

    def test_watches_of_one_sandbox_are_counted_for_it_alone(self):
        owners = set()
        for name in ("first", "second"):
            pid = self.start(name)
            self.assertEqual(self.held(name, "watches", 500), (500, "-"))
            owners.add(self.owner(pid))
        self.assertEqual(len(owners), 2)
        self.assertNotIn(0, owners)

    def owner(self, pid):
        """Whom the kernel has the sandbox's counts counted for, beside itself."""
        with open(f"/proc/{pid}/ns/user") as namespace:
            return struct.unpack("I", fcntl.ioctl(namespace, NS_GET_OWNER_UID, b"\0" * 4))[0]

    def test_descriptors_end_at_the_limit_of_a_process(self):
        self.start("many")
        held = self.node.shell("many", "ulimit -n 300; (/bin/hold descriptors /tmp/held 1000 >/dev/null 2>&1 &)")
        self.assertEqual(held.code, 0)
        told = self.node.state / "uppers" / "many" / "upper" / "tmp" / "held"
        await_true(told.exists, "it has all that it gets", 60)
        count, error = told.read_text().split()
        self.assertEqual(error, "EMFILE")
        self.assertLess(int(count), 300)
        self.assertEqual(self.node.command("many", "/bin/true").code, 0)

    def test_a_sandbox_that_another_spawner_made_is_counted_for_itself_too(self):
        before = self.owner(self.start("before"))
        self.node.kill_spawner()
        self.node.start()
        type(self).client = self.node.client
        self.assertNotEqual(self.owner(self.start("after")), before)


if __name__ == "__main__":
    unittest.main()
