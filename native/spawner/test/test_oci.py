# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Blanks made by OCI runtimes: the same contract, the same golden list of what a sandbox may do."""

import errno
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import unittest

import host
from spawner import ADOPT, BUILD, HERE, Failure, Node, alive, await_true, busybox, text

NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "user", "cgroup")


class Provider:
    """What each runtime has to do; the classes below name the runtime."""

    runtime = ""

    @classmethod
    def setUpClass(cls):
        if shutil.which(cls.runtime) is None:
            raise unittest.SkipTest(f"{cls.runtime} is not installed")
        cls.mounts, cls.controllers = host.mounts(), host.enabled_controllers()
        cls.node = Node()
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", busybox)

    @classmethod
    def tearDownClass(cls):
        cls.node.close()
        host.restore_controllers(cls.controllers)  # runc enables all that it finds, from the top
        assert host.mounts() == cls.mounts
        assert host.cgroups(cls.node.cgroup_name) == set()
        assert host.processes(cls.node.directory) == set()

    def oci(self, command, name, *options, runtime=None):
        command = [
            BUILD / "spawner",
            command,
            "--runtime",
            runtime or self.runtime,
            "--run",
            self.node.run,
            "--id",
            name,
        ]
        command += ["--cgroup-name", self.node.cgroup_name, *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def blank(self, name):
        result = self.oci("oci", name, "--agent", self.node.agent, "--class", "be")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.addCleanup(self.client.destroy, name)
        pid = json.loads(result.stdout)["pid"]
        self.client.call(ADOPT, text(name) + struct.pack(">I", pid))
        return pid

    def start(self, name):
        pid = self.blank(name)
        self.client.activate(name, pid, [self.base])
        return pid

    def test_blank_is_listed_activated_and_runs_commands(self):
        pid = self.start("run")
        self.assertEqual(self.client.list()["run"], pid)
        result = self.node.shell("run", "hostname; echo x > /file; cat /file; exit 4")
        self.assertEqual((result.code, result.output), (4, "run\nx\n"))

    def test_namespaces_differ(self):
        pids = [self.start("one"), self.start("two")]
        for namespace in NAMESPACES:
            links = {os.readlink(f"/proc/{pid}/ns/{namespace}") for pid in ("self", *pids)}
            self.assertEqual(len(links), 3, namespace)

    def test_probe_equals_the_golden_list(self):
        self.start("probe")
        self.maxDiff = None
        self.assertEqual(self.node.command("probe", "/bin/probe").output, (HERE / "probe.golden").read_text())

    def test_identity_capabilities_and_descriptors_are_those_of_the_native_blank(self):
        pid = self.start("same")
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        self.assertEqual(re.search(r"^Uid:\t(.*)$", status, re.M)[1].split(), ["100000"] * 4)
        inside = dict(re.findall(r"^(\w+):\s+(\w+)$", self.node.shell("same", "cat /proc/self/status").output, re.M))
        self.assertEqual({inside[name] for name in ("CapEff", "CapPrm", "CapBnd")}, {"00000000000004fb"})
        self.assertEqual(
            (inside["CapInh"], inside["CapAmb"], inside["NoNewPrivs"], inside["Seccomp"]),
            ("0000000000000000", "0000000000000000", "1", "2"),
        )
        self.assertEqual(sorted(os.listdir(f"/proc/{pid}/fd")), ["0", "1", "2", "3", "4"])
        self.assertEqual(pathlib.Path(f"/proc/{pid}/environ").read_bytes().strip(b"\0"), b"")
        self.assertEqual(pathlib.Path(f"/proc/{pid}/oom_score_adj").read_text(), "500\n")

    def test_limits_are_enforced_and_seen_inside(self):
        self.start("limited")
        self.client.limits("limited", pids=40, memory=64 << 20)
        self.assertIn(
            "40\n",
            self.node.shell("limited", "cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null").output,
        )
        result = self.node.shell("limited", "i=0; while [ $i -lt 100 ]; do sleep 100 & i=$((i+1)); done; echo all")
        self.assertNotIn("all", result.output)
        self.assertNotEqual(
            self.node.shell(
                "limited", "echo 1 > /sys/fs/cgroup/pids/pids.max || echo 1 > /sys/fs/cgroup/pids.max"
            ).code,
            0,
        )

    def test_destroy_leaves_nothing(self):
        pid = self.start("gone")
        self.client.destroy("gone")
        self.assertFalse(alive(pid))
        self.assertFalse((self.node.run / "oci" / self.runtime / "gone").exists())
        self.assertFalse((self.node.run / "a" / "gone.sock").exists())
        self.assertFalse((self.node.state / "uppers" / "gone").exists())
        self.assertEqual(host.cgroups(f"{self.node.cgroup_name}/be/gone"), set())

    def test_oci_delete_does_the_same_without_the_resident_spawner(self):
        pid = self.blank("deleted")
        self.assertEqual(self.oci("oci-delete", "deleted").returncode, 0)
        await_true(lambda: not alive(pid), "the agent is gone")
        self.assertFalse((self.node.run / "oci" / self.runtime / "deleted").exists())
        self.assertNotIn("deleted", self.client.list())

    def test_what_cannot_be_is_refused_and_leaves_nothing(self):
        before = self.client.list()
        self.assertEqual(self.oci("oci", "Bad", "--agent", self.node.agent).returncode, 2)
        self.assertEqual(self.oci("oci", "a/b", "--agent", self.node.agent).returncode, 2)
        self.assertNotEqual(self.oci("oci", "no-agent", "--agent", "/nowhere").returncode, 0)
        gvisor = self.oci("oci", "gvisor", "--agent", self.node.agent, runtime="runsc")
        self.assertEqual(gvisor.returncode, 2)
        self.assertIn("gVisor", gvisor.stderr)
        self.assertEqual(self.client.list(), before)

    def test_process_outside_the_cgroup_is_not_adopted(self):
        self.blank("mine")
        with self.assertRaises(Failure) as caught:
            self.client.call(ADOPT, text("mine") + struct.pack(">I", os.getpid()))
        self.assertEqual(caught.exception.error, errno.ESRCH)


class Crun(Provider, unittest.TestCase):
    runtime = "crun"


class Runc(Provider, unittest.TestCase):
    runtime = "runc"


if __name__ == "__main__":
    unittest.main()
