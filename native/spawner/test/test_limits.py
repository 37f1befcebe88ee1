# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Limits: enforced by the kernel, changed while the sandbox lives, seen inside, never written inside."""

import pathlib
import time
import unittest

from spawner import Failure, Node, alive, await_true, busybox

MEMORY = 64 << 20


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", busybox)
        cls.in_v1 = {name.split(":")[1] for name in cls.client.info()[3] if name.startswith("v1")}

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def start(self, name, **options):
        pid = self.client.create(name, **options)
        self.client.activate(name, pid, [self.base])
        self.addCleanup(self.client.destroy, name)
        return pid

    def shell(self, name, script, **options):
        return self.node.shell(name, script, **options)

    def inside(self, controller, v1_file, v2_file):
        """The path of a limit inside a sandbox on this kind of host."""
        if controller in self.in_v1:
            return f"/sys/fs/cgroup/{controller}/{v1_file}"
        return f"/sys/fs/cgroup/{'unified/' if self.in_v1 else ''}{v2_file}"

    def test_limits_are_seen_inside(self):
        self.start("seen", cpu=1500, memory=MEMORY, pids=77)
        self.assertEqual(
            self.shell("seen", f"cat {self.inside('memory', 'memory.limit_in_bytes', 'memory.max')}").output,
            f"{MEMORY}\n",
        )
        self.assertEqual(self.shell("seen", f"cat {self.inside('pids', 'pids.max', 'pids.max')}").output, "77\n")
        cpu = self.shell("seen", f"cat {self.inside('cpu', 'cpu.cfs_quota_us', 'cpu.max')}").output
        self.assertEqual(cpu.split()[0], "150000")

    def test_limits_cannot_be_written_inside(self):
        self.start("fixed", memory=MEMORY, pids=50)
        for controller, v1_file, v2_file in (
            ("memory", "memory.limit_in_bytes", "memory.max"),
            ("pids", "pids.max", "pids.max"),
            ("cpu", "cpu.cfs_quota_us", "cpu.max"),
        ):
            path = self.inside(controller, v1_file, v2_file)
            self.assertNotEqual(self.shell("fixed", f"echo 999999999 > {path}").code, 0)
        directory = "/sys/fs/cgroup/unified" if self.in_v1 else "/sys/fs/cgroup"
        for attempt in (
            f"mkdir {directory}/x",
            f"echo 0 > {directory}/cgroup.procs",
            f"echo 1 > {directory}/cgroup.freeze",
            "mkdir /sys/fs/cgroup/x",
            "echo 1 > /sys/fs/cgroup/memory/notify_on_release",
        ):
            self.assertNotEqual(self.shell("fixed", attempt).code, 0, attempt)
        self.assertEqual(self.shell("fixed", f"cat {self.inside('pids', 'pids.max', 'pids.max')}").output, "50\n")

    def test_fork_bomb_stops_at_the_limit_and_dies_with_the_sandbox(self):
        self.start("bomb", pids=64, memory=256 << 20)
        result = self.shell("bomb", "i=0; while [ $i -lt 200 ]; do sleep 100 & i=$((i+1)); done; echo all")
        self.assertNotIn("all", result.output)
        self.assertIn("fork", result.output)
        self.assertLessEqual(self.client.usage("bomb")["processes"], 64)
        start = time.monotonic()
        self.client.destroy("bomb")
        self.assertLess(time.monotonic() - start, 1)

    def test_memory_limit_kills_the_command_only_and_is_counted(self):
        pid = self.start("hungry", memory=MEMORY)
        neighbour = self.start("neighbour", memory=MEMORY)
        result = self.shell("hungry", "dd if=/dev/zero of=/dev/null bs=200M count=1")
        self.assertEqual(result.signal, 9)
        usage = self.client.usage("hungry")
        self.assertGreaterEqual(usage["oom_kills"], 1)
        self.assertLessEqual(usage["peak"], MEMORY)
        self.assertTrue(alive(pid) and alive(neighbour))
        self.assertEqual(self.node.command("hungry", "/bin/true").code, 0)
        self.assertEqual(self.client.usage("neighbour")["oom_kills"], 0)

    def test_cpu_limit_throttles(self):
        self.start("slow", cpu=100)
        start = time.monotonic()
        before = self.client.usage("slow")["cpu"]
        self.shell("slow", "timeout 1 sh -c 'while :; do :; done'")
        used = (self.client.usage("slow")["cpu"] - before) / 1e6
        self.assertLess(used / (time.monotonic() - start), 0.2)
        self.assertGreater(used, 0.02)

    def test_limits_change_while_the_sandbox_lives(self):
        self.start("moved", cpu=1000, memory=MEMORY, pids=50)
        memory = self.inside("memory", "memory.limit_in_bytes", "memory.max")
        for size in (2 * MEMORY, MEMORY // 2, 4 * MEMORY):
            self.client.limits("moved", cpu=500, memory=size, pids=60)
            self.assertEqual(self.shell("moved", f"cat {memory}").output, f"{size}\n")
        self.assertEqual(self.shell("moved", f"cat {self.inside('pids', 'pids.max', 'pids.max')}").output, "60\n")
        self.client.limits("moved")
        self.assertEqual(self.shell("moved", f"cat {self.inside('pids', 'pids.max', 'pids.max')}").output, "max\n")

    def test_best_effort_is_idle_as_a_whole(self):
        self.start("low", cpu=1000)
        self.client.create("idle", best_effort=True)
        self.addCleanup(self.client.destroy, "idle", upper="")
        found = [path for path in pathlib.Path("/sys/fs/cgroup").rglob(f"{self.node.cgroup_name}/be/cpu.idle")]
        self.assertEqual([path.read_text() for path in found], ["1\n"])
        ls = found[0].parent.parent / "ls" / "cpu.idle"
        self.assertEqual(ls.read_text(), "0\n")

    def test_one_that_may_use_little_dies_at_once(self):
        """To end, each process has to run once more: not within what little CPU the sandbox was given."""
        self.start("little", cpu=1000)
        self.shell("little", "for i in $(seq 1 120); do (while :; do :; done) >/dev/null 2>&1 & done")
        self.client.limits("little", cpu=10)
        began = time.monotonic()
        self.client.destroy("little")
        self.assertLess(time.monotonic() - began, 0.5)

    def test_the_weight_is_what_was_asked_for(self):
        found = {}
        for name, cpu in (("one-core", 1000), ("three-cores", 3000)):
            self.start(name, cpu=cpu)
            file = self.inside("cpu", "cpu.shares", "cpu.weight")
            found[name] = int(self.shell(name, f"cat {file}").output)
        self.assertEqual(found["three-cores"], 3 * found["one-core"])

    def test_usage_counts_processor_time_memory_and_processes(self):
        self.start("used", memory=MEMORY)
        before = self.client.usage("used")
        self.shell("used", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 1000 >/dev/null 2>&1 &")
        after = self.client.usage("used")
        self.assertGreater(after["cpu"], before["cpu"])
        self.assertGreater(after["memory"], 0)
        await_true(lambda: self.client.usage("used")["processes"] == 2, "the agent and the sleeper are counted")
        with self.assertRaises(Failure):
            self.client.usage("nobody")

    def test_freeze_stops_and_thaw_continues(self):
        self.start("cold")
        self.shell("cold", "(while :; do date +%s%N > /tmp/tick; done) >/dev/null 2>&1 &")
        tick = self.node.state / "uppers" / "cold" / "upper" / "tmp" / "tick"
        await_true(tick.exists, "the loop runs")
        self.client.freeze("cold", 1)
        used = self.client.usage("cold")["cpu"]
        self.start("warm")
        self.shell("warm", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done")
        self.assertEqual(self.client.usage("cold")["cpu"], used, "it ran while another sandbox did")
        self.client.freeze("cold", 0)
        await_true(lambda: self.client.usage("cold")["cpu"] > used, "the loop goes on")

    def test_frozen_sandbox_is_destroyed(self):
        pid = self.start("stiff")
        self.client.freeze("stiff", 1)
        self.client.destroy("stiff")
        self.assertFalse(alive(pid))

    def test_sandbox_dies_before_the_platform_when_memory_is_short(self):
        pid = self.start("victim")
        self.assertEqual(pathlib.Path(f"/proc/{pid}/oom_score_adj").read_text(), "500\n")
        self.assertNotEqual(self.shell("victim", "echo -1 > /proc/self/oom_score_adj").code, 0)


if __name__ == "__main__":
    unittest.main()
