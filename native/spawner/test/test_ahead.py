# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Blanks that were made ahead: they learn at activation which sandbox they are."""

import errno
import pathlib
import subprocess
import unittest

import host
from spawner import Failure, Node, busybox

LIMITS = (500, 192 << 20, 77)


def is_v2(directory):
    return (pathlib.Path(directory) / "cgroup.events").exists()


class Ahead(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.base = cls.node.image("base.erofs", busybox)

    @classmethod
    def tearDownClass(cls):
        cls.node.close()
        assert host.cgroups(cls.node.cgroup_name) == set()
        assert host.processes(cls.node.directory) == set()

    @property
    def client(self):
        return self.node.client

    def ahead(self, name, **options):
        options = {"host_name": "box", **options}
        pid = self.client.create(name, cpu=2000, memory=1 << 30, pids=50)
        self.addCleanup(lambda: self.client.destroy(name, "uppers/" + options["owner"]))
        self.client.activate(name, pid, [self.base], upper="uppers/" + options["owner"], **options)
        return pid

    def test_a_blank_tells_which_sandbox_it_became(self):
        pid = self.ahead("blank-1", owner="sb-1")
        self.client.create("blank-2")
        self.addCleanup(self.client.destroy, "blank-2", "")
        owners = self.client.owners()
        self.assertEqual((owners["blank-1"], owners["blank-2"][1]), ((pid, "sb-1"), ""))
        self.assertEqual(self.node.shell("blank-1", "hostname").output, "box\n")
        self.assertTrue((self.node.state / "uppers" / "sb-1").exists())

    def test_another_spawner_knows_it_too(self):
        self.ahead("blank-3", owner="sb-3")
        self.node.kill_spawner()
        self.node.start()
        self.assertEqual(self.client.owners()["blank-3"][1], "sb-3")

    def test_it_gets_the_limits_of_the_sandbox(self):
        self.ahead("blank-4", owner="sb-4", limits=LIMITS)
        script = """cd /sys/fs/cgroup
            cat pids/pids.max 2>/dev/null || cat pids.max
            cat memory/memory.limit_in_bytes 2>/dev/null || cat memory.max
            cat cpu/cpu.cfs_quota_us 2>/dev/null || cut -d' ' -f1 cpu.max
            df -k /dev/shm | tail -1"""
        pids, memory, quota, shared = self.node.shell("blank-4", script).output.splitlines()
        self.assertEqual((int(pids), int(memory), int(quota)), (77, 192 << 20, 50_000))
        self.assertEqual(int(shared.split()[1]), 96 << 10)

    def test_without_limits_it_keeps_its_own(self):
        self.ahead("blank-5", owner="sb-5")
        script = "df -k /dev/shm | tail -1; cat /sys/fs/cgroup/pids/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids.max"
        shared, pids = self.node.shell("blank-5", script).output.splitlines()
        self.assertEqual((int(shared.split()[1]), int(pids)), (512 << 10, 50))

    def test_the_sandbox_cannot_say_that_it_is_another(self):
        """Not even its root, who owns the directory, from a place where the directory can be written."""
        pid = self.ahead("blank-6", owner="sb-6")
        directories = host.cgroups(f"{self.node.cgroup_name}/ls/blank-6")
        (directory,) = [path for path in directories if is_v2(path)]
        for name, code in (("user.anything", 0), ("trusted.sandgate.sandbox", errno.EPERM)):
            program = f"import os\ntry: os.setxattr({directory!r}, {name!r}, b'sb-x')\nexcept OSError as e: exit(e.errno)"
            command = ["nsenter", "--user", "--target", str(pid), "--setuid", "0", "--setgid", "0", "python3", "-c", program]
            self.assertEqual(subprocess.run(command, timeout=60).returncode, code, name)
        self.assertEqual(self.client.owners()["blank-6"][1], "sb-6")

    def test_a_name_that_is_none_is_refused_and_changes_nothing(self):
        pid = self.client.create("blank-7")
        self.addCleanup(self.client.destroy, "blank-7", "")
        with self.assertRaises(Failure) as caught:
            self.client.activate("blank-7", pid, [self.base], upper="uppers/x", host_name="box", owner="No/Name")
        self.assertEqual(caught.exception.error, errno.EINVAL)
        self.assertEqual(self.client.owners()["blank-7"], (pid, ""))

    def test_after_a_failed_activation_nothing_is_left(self):
        self.client.create("blank-8")
        pid = self.client.list()["blank-8"]
        with self.assertRaises(Failure):
            self.client.activate(
                "blank-8", pid, ["layers/none.erofs"], upper="uppers/sb-8", host_name="box", owner="sb-8", limits=LIMITS
            )
        self.assertNotIn("blank-8", self.client.list())
        self.assertFalse((self.node.state / "uppers" / "sb-8").exists())


if __name__ == "__main__":
    unittest.main()
