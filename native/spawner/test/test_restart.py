# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""The spawner is killed: sandboxes live on, and the next one serves them as if it had made them."""

import os
import unittest

import host
from spawner import Client, Node, alive, await_true, busybox


class Restart(unittest.TestCase):
    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.close)
        self.base = self.node.image("base.erofs", busybox)

    def restart(self):
        self.node.kill_spawner()
        self.node.start()

    def test_next_spawner_serves_the_sandboxes_of_a_killed_one(self):
        client = self.node.client
        pids = {
            name: client.create(name, best_effort=name == "be", memory=64 << 20, pids=50)
            for name in ("ls", "be", "blank")
        }
        for name in ("ls", "be"):
            client.activate(name, pids[name], [self.base])
        self.restart()
        client = self.node.client
        self.assertTrue(all(alive(pid) for pid in pids.values()))
        self.assertEqual(client.list(), pids)
        self.assertEqual(self.node.shell("ls", "echo alive").output, "alive\n")
        self.assertGreater(client.usage("be")["memory"], 0)
        client.limits("be", pids=60)
        client.freeze("ls", 1)
        client.freeze("ls", 0)
        client.activate("blank", pids["blank"], [self.base])
        self.assertEqual(self.node.shell("blank", "echo born").output, "born\n")
        for name in pids:
            client.destroy(name)
        self.assertEqual(client.list(), {})
        self.assertFalse(any(alive(pid) for pid in pids.values()))
        self.assertEqual(host.cgroups(f"{self.node.cgroup_name}/be/be"), set())

    def test_agent_that_died_meanwhile_is_listed_as_dead_and_destroyed(self):
        pid = self.node.client.create("died")
        self.node.kill_spawner()
        os.kill(pid, 9)
        await_true(lambda: not alive(pid), "the agent is dead")
        self.node.start()
        self.assertEqual(self.node.client.list(), {"died": 0})
        self.node.client.destroy("died")
        self.assertEqual(self.node.client.list(), {})

    def test_trash_of_a_killed_spawner_is_removed(self):
        trash = self.node.state / "uppers" / ".trash" / "left"
        self.node.kill_spawner()
        (trash / "a" / "b").mkdir(parents=True)
        self.node.start()
        await_true(lambda: not trash.exists(), "the trash is empty")

    def test_sandbox_outlives_its_client(self):
        client = Client(self.node.run)
        pid = client.create("kept")
        client.close()
        self.assertEqual(self.node.client.list(), {"kept": pid})


if __name__ == "__main__":
    unittest.main()
