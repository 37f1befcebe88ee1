# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Create, activate, run, destroy; what is refused; what is left behind."""

import errno
import os
import pathlib
import struct
import subprocess
import threading
import unittest

import host
from spawner import ACTIVATE, BUILD, DESTROY, Client, Failure, Node, alive, await_true, busybox, text


class Remover(threading.Thread):
    """Removes directories as soon as the kernel lets it, over and over."""

    def __init__(self, directories):
        super().__init__()
        self.directories = directories
        self.done = threading.Event()

    def run(self):
        while not self.done.is_set():
            for directory in self.directories:
                try:
                    directory.rmdir()
                except OSError:
                    pass

    def __enter__(self):
        self.start()

    def __exit__(self, *_):
        self.done.set()
        self.join()


class Lifecycle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mounts = host.mounts()
        cls.node = Node()
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", busybox)

    @classmethod
    def tearDownClass(cls):
        cls.node.close()
        assert host.mounts() == cls.mounts
        assert host.cgroups(cls.node.cgroup_name) == set()
        assert host.processes(cls.node.directory) == set()

    def start(self, name, **options):
        pid = self.client.create(name, **options)
        self.client.activate(name, pid, [self.base])
        self.addCleanup(self.client.destroy, name)
        return pid

    def refused(self, error, call, *arguments, **options):
        with self.assertRaises(Failure) as caught:
            call(*arguments, **options)
        self.assertEqual(errno.errorcode[caught.exception.error], errno.errorcode[error], caught.exception)
        return caught.exception

    def test_info_names_the_controllers_of_this_host(self):
        version, pid, base, controllers, build = self.client.info()
        self.assertEqual((version, base), (1, 100000))
        self.assertTrue(alive(pid))
        self.assertEqual({name.split(":")[1] for name in controllers}, {"cpu", "memory", "pids"})
        self.assertRegex(build, "^[0-9a-f]{16}$")

    def test_command_runs_in_activated_root(self):
        self.start("run")
        self.assertEqual(self.node.shell("run", "echo hello > /file; cat /file; exit 7").code, 7)
        upper = self.node.state / "uppers" / "run" / "upper" / "file"
        self.assertEqual((upper.read_text(), upper.stat().st_uid), ("hello\n", 100000))

    def test_later_layers_cover_earlier_ones(self):
        low = self.node.image("low.erofs", lambda tree: [(tree / name).write_text("low") for name in ("a", "b")])
        high = self.node.image("high.erofs", lambda tree: (tree / "b").write_text("high"))
        pid = self.client.create("stack")
        self.addCleanup(self.client.destroy, "stack")
        self.client.activate("stack", pid, [self.base, low, high])
        self.assertEqual(self.node.shell("stack", "cat /a /b").output, "lowhigh")

    def test_a_layer_that_is_mounted_is_put_on_top_as_it_is(self):
        """Lower-layer insertion: the second sandbox gets the mount, for which nothing is opened any more."""
        low = self.node.image("under.erofs", lambda tree: (tree / "a").write_text("low"))
        high = self.node.image("inserted.erofs", lambda tree: (tree / "a").write_text("high"))
        for name, layers in (("first", [self.base, high]), ("second", [self.base, low, high])):
            pid = self.client.create(name)
            self.addCleanup(self.client.destroy, name)
            self.client.activate(name, pid, layers)
            self.assertEqual(self.node.shell(name, "cat /a").output, "high")
            (self.node.state / high).unlink(missing_ok=True)

    def test_host_name_is_the_id_or_what_activation_says(self):
        pid = self.client.create("named-1")
        self.addCleanup(self.client.destroy, "named-1")
        self.client.activate("named-1", pid, [self.base], host_name="box")
        self.start("named-2")
        self.assertEqual(self.node.shell("named-1", "hostname").output, "box\n")
        self.assertEqual(self.node.shell("named-2", "hostname").output, "named-2\n")

    def test_destroy_leaves_nothing(self):
        before = host.settled_descriptors(self.node.pid())
        pid = self.client.create("gone")
        self.client.activate("gone", pid, [self.base])
        self.node.shell("gone", "mkdir -p /a/b/c; echo x > /a/b/c/d; ln -s /etc/passwd /a/link; (sleep 1000 &)")
        self.client.destroy("gone")
        self.assertFalse(alive(pid))
        self.assertNotIn("gone", self.client.list())
        self.assertFalse((self.node.run / "a" / "gone.sock").exists())
        self.assertFalse((self.node.state / "uppers" / "gone").exists())
        self.assertEqual(host.cgroups(f"{self.node.cgroup_name}/ls/gone"), set())
        self.assertEqual(host.descriptors(self.node.pid()), before)

    def test_destroy_answers_after_the_last_process_has_gone(self):
        """Processes leave their cgroup before they are gone, in a few of a hundred cases long enough to be seen."""
        for i in range(150):
            pid = self.client.create(f"last-{i}")
            self.client.activate(f"last-{i}", pid, [self.base])
            self.node.shell(f"last-{i}", "(sleep 1000 &); (sleep 1000 &)")
            self.client.destroy(f"last-{i}")
            self.assertFalse(alive(pid), i)

    def test_destroy_is_idempotent(self):
        self.client.destroy("never-was")
        self.client.destroy("never-was", upper="")

    def test_destroy_succeeds_when_another_removes_its_cgroups_first(self):
        for i in range(30):
            name = f"raced-{i}"
            self.client.create(name)
            places = [pathlib.Path(place) for place in host.cgroups(f"{self.node.cgroup_name}/ls/{name}")]
            parts = [place / f"part-{part}" for place in places for part in range(20)]
            for part in parts:
                part.mkdir()
            with Remover(parts + places):
                self.client.destroy(name, upper="")

    def test_destroy_removes_what_a_sandbox_can_build(self):
        """Deep, wide, unreadable and linked trees; the removal is complete and touches nothing outside."""
        outside = self.node.directory / "outside"
        outside.mkdir()
        (outside / "kept").write_text("kept")
        self.start("tree")
        script = f"""cd /root; for i in $(seq 1 300); do mkdir d; cd d; done; cd /root
            mkdir wide; for i in $(seq 1 500); do : > wide/$i; done; mkdir shut; : > shut/x; chmod 000 shut
            ln -s {outside} link; mkdir -p sub; ln -s {outside}/kept sub/kept; mknod fifo p"""
        self.assertEqual(self.node.shell("tree", script).code, 0)
        self.client.destroy("tree")
        uppers = self.node.state / "uppers"
        self.assertFalse((uppers / "tree").exists())
        await_true(lambda: not any((uppers / ".trash").iterdir()), "the trash is empty", 20)
        self.assertEqual((outside / "kept").read_text(), "kept")

    def test_destroy_removes_a_deep_tree_of_few_entries(self):
        self.start("deep")
        self.assertEqual(self.node.shell("deep", "cd /root; for i in $(seq 1 100); do mkdir d; cd d; done").code, 0)
        self.client.destroy("deep")
        await_true(lambda: not any((self.node.state / "uppers" / ".trash").iterdir()), "the trash is empty", 20)

    def test_large_tree_does_not_hold_up_others(self):
        self.start("large")
        self.node.shell(
            "large", "for d in $(seq 1 40); do mkdir /$d; for i in $(seq 1 100); do : > /$d/$i; done; done", timeout=120
        )
        self.client.destroy("large")
        self.assertFalse((self.node.state / "uppers" / "large").exists())
        self.client.info()
        await_true(lambda: not any((self.node.state / "uppers" / ".trash").iterdir()), "the trash is empty", 30)

    def test_blank_without_root_is_destroyed(self):
        pid = self.client.create("blank")
        self.assertEqual(self.client.list()["blank"], pid)
        self.client.destroy("blank", upper="")
        self.assertFalse(alive(pid))

    def test_agent_that_dies_is_listed_as_dead_and_is_no_zombie(self):
        pid = self.start("dead")
        os.kill(pid, 9)
        await_true(lambda: self.client.list()["dead"] == 0, "the agent is listed as dead")
        await_true(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "the agent was reaped")

    def test_two_hundred_blanks(self):
        namespaces = host.network_namespaces()
        clients = [Client(self.node.run) for _ in range(4)]
        names = [f"many-{i}" for i in range(200)]
        pids = {}
        for first in range(0, 200, 4):
            for client, name in zip(clients, names[first : first + 4]):
                client.send(2, Client.create_fields(name, best_effort=True, pids=64))
            for client, name in zip(clients, names[first : first + 4]):
                pids[name] = client.receive().take("I")
        self.assertEqual({name: pid for name, pid in self.client.list().items() if name in pids}, pids)
        self.client.activate("many-199", pids["many-199"], [self.base])
        self.assertEqual(self.node.command("many-199", "/bin/true").code, 0)
        for client, name in zip(clients * 50, names):
            client.send(DESTROY, text(name) + text("uppers/many-199" if name == "many-199" else ""))
        for client in clients * 50:
            client.receive()
        for client in clients:
            client.close()
        self.assertEqual([name for name in self.client.list() if name in pids], [])
        self.assertFalse(any(alive(pid) for pid in pids.values()))
        await_true(lambda: host.network_namespaces() <= namespaces, "the network namespaces are gone")

    def test_bad_ids_classes_and_paths_are_refused_and_make_nothing(self):
        before = self.client.list()
        for name in ("", "A", "a/b", "..", "a.b", "a" * 64, "ä", "a b"):
            self.refused(errno.EINVAL, self.client.create, name)
            self.refused(errno.EINVAL, self.client.destroy, name, upper="")
        self.refused(errno.EINVAL, self.client.create, "class", best_effort=2)
        pid = self.client.create("paths")
        self.addCleanup(self.client.destroy, "paths")
        for upper in ("uppers/", "uppers/..", "uppers/.trash", "uppers/a/b", "/tmp/x", "layers/x", "uppers/../x"):
            self.refused(errno.EINVAL, self.client.destroy, "other", upper=upper)
        for upper in ("uppers/a/b", "/tmp/x"):
            self.refused(errno.EINVAL, self.client.activate, self.blank("path-up"), self.last, [self.base], upper=upper)
        for layer in ("layers/../run", "/etc/passwd", "base.erofs", "layers//etc/passwd"):
            with self.assertRaises(Failure):
                self.client.activate(self.blank("path-low"), self.last, [layer])
        self.refused(errno.EINVAL, self.client.activate, "paths", pid, [])
        self.assertEqual(set(self.client.list()), set(before) | {"paths"})

    def blank(self, name):
        self.last = self.client.create(name)
        return name

    def test_activation_of_the_wrong_process_changes_nothing(self):
        pid = self.start("right")
        self.blank("wrong")
        self.addCleanup(self.client.destroy, "wrong")
        self.refused(errno.ESRCH, self.client.activate, "wrong", pid, [self.base], upper="uppers/w")
        self.refused(errno.ESRCH, self.client.activate, "wrong", os.getpid(), [self.base], upper="uppers/w")
        self.refused(errno.EEXIST, self.client.activate, "right", pid, [self.base], upper="uppers/w")
        self.refused(errno.EOPNOTSUPP, self.client.activate, "wrong", self.last, [self.base], disk=1 << 20)
        self.assertEqual(self.node.command("right", "/bin/true").code, 0)
        self.client.activate("wrong", self.last, [self.base])
        self.assertEqual(self.node.command("wrong", "/bin/true").code, 0)

    def test_existing_id_and_upper_are_refused(self):
        self.start("twice")
        self.refused(errno.EEXIST, self.client.create, "twice")
        self.refused(errno.EEXIST, self.client.create, "twice", best_effort=True)
        self.blank("second")
        self.refused(errno.EEXIST, self.client.activate, "second", self.last, [self.base], upper="uppers/twice")
        self.assertNotIn("second", self.client.list())
        self.assertEqual(self.node.command("twice", "/bin/true").code, 0)

    def test_damaged_layer_fails_with_its_name_and_removes_the_blank(self):
        (self.node.layers / "bad.erofs").write_bytes(b"\0" * 8192)
        self.blank("damaged")
        fault = self.refused(errno.EINVAL, self.client.activate, "damaged", self.last, [self.base, "layers/bad.erofs"])
        self.assertIn("bad.erofs", fault.text)
        self.assertNotIn("damaged", self.client.list())
        self.assertFalse((self.node.state / "uppers" / "damaged").exists())

    def test_frames_that_do_not_parse_close_their_connection_only(self):
        pieces = [
            struct.pack(">IB", 0, 0x7F),
            struct.pack(">IB", 1 << 20, 1),
            struct.pack(">IB", 1, 1) + b"x",
            struct.pack(">IB", 3, 2) + text("a"),
            struct.pack(">IB", 4, DESTROY) + b"\0\2a\0",
            struct.pack(">IB", 9, ACTIVATE) + text("a") + b"\xff" * 6,
        ]
        for piece in pieces:
            client = Client(self.node.run)
            client.socket.sendall(piece)
            with self.assertRaises(EOFError):
                client.receive()
            client.close()
        self.client.info()

    def test_second_start_on_a_live_socket_is_fine(self):
        pid = self.node.pid()
        command = [
            BUILD / "spawner",
            "serve",
            "--run",
            self.node.run,
            "--state",
            self.node.state,
            "--agent",
            self.node.agent,
        ]
        subprocess.run([*command, "--cgroup-name", self.node.cgroup_name], check=True, timeout=20)
        self.assertEqual(self.node.pid(), pid)

    def test_start_errors_are_printed(self):
        command = [BUILD / "spawner", "serve", "--run", self.node.directory / "r2", "--state", self.node.state]
        result = subprocess.run([*command, "--agent", "/nowhere"], capture_output=True, text=True, timeout=20)
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nowhere", result.stderr)
        self.assertEqual(subprocess.run(command, capture_output=True, timeout=20).returncode, 2)


if __name__ == "__main__":
    unittest.main()
