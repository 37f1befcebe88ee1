# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile and meagre roots: what an image may hold where the platform mounts."""

import errno
import os
import shutil
import subprocess
import unittest

from spawner import FORGET, Failure, Node, await_true, busybox, text


class SmallDisk(Node):
    """Its sandboxes write to a file system of their own."""

    def start(self):
        uppers = self.state / "uppers"
        uppers.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "small", uppers], check=True)
        super().start()

    def fill(self):
        """Leaves no room for another directory."""
        facts = os.statvfs(self.state / "uppers")
        options = f"remount,nr_inodes={facts.f_files - facts.f_ffree}"
        subprocess.run(["mount", "-o", options, self.state / "uppers"], check=True)

    def close(self):
        for name in self.client.list():
            self.client.destroy(name)
        await_true(lambda: not any((self.state / "uppers" / ".trash").iterdir()), "the trash is empty", 60)
        subprocess.run(["umount", "-l", self.state / "uppers"], check=True)
        (self.state / "uppers" / ".trash").mkdir()
        super().close()


class FullDisk(unittest.TestCase):
    def test_a_full_disk_is_told_as_such(self):
        node = SmallDisk()
        self.addCleanup(node.close)
        base = node.image("base.erofs", busybox)
        node.client.activate("fits", node.client.create("fits"), [base])
        self.assertEqual(node.shell("fits", "echo x > /file; cat /file").output, "x\n")
        pid = node.client.create("full")
        node.fill()
        with self.assertRaises(Failure) as caught:
            node.client.activate("full", pid, [base])
        self.assertEqual(caught.exception.error, errno.ENOSPC, caught.exception)
        self.assertEqual(list(node.client.list()), ["fits"])


class Roots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", busybox)

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def activate(self, name, layers):
        pid = self.client.create(name)
        self.addCleanup(self.client.destroy, name)
        self.client.activate(name, pid, layers)

    def test_links_and_files_where_directories_belong_are_refused(self):
        target = self.node.directory / "target"
        target.mkdir()
        for entry in ("proc", "sys", "dev", "etc", "tmp"):
            for kind, make in (
                ("absolute", lambda path: path.symlink_to(target)),
                ("relative", lambda path: path.symlink_to("../../../../../../.." + str(target))),
                ("inside", lambda path: path.symlink_to("bin")),
                ("file", lambda path: path.write_text("x")),
                ("whiteout", lambda path: os.mknod(path, 0o20000, 0)),
            ):
                with self.subTest(entry=entry, kind=kind):
                    bad = self.node.image("bad.erofs", lambda tree, make=make, entry=entry: make(tree / entry))
                    with self.assertRaises(Failure) as caught:
                        self.activate("hostile", [self.base, bad])
                    self.assertIn(caught.exception.error, (errno.ELOOP, errno.ENOTDIR, errno.ENOENT))
                    self.assertIn(f"/{entry} ", caught.exception.text)
                    self.assertNotIn("hostile", self.client.list())
                    self.assertFalse((self.node.state / "uppers" / "hostile").exists())
                    self.client.call(FORGET, text("layers/bad.erofs"))
        self.assertEqual(list(target.iterdir()), [])

    def test_links_deeper_in_the_mounted_directories_are_covered(self):
        def fill(tree):
            (tree / "dev").mkdir()
            for name in ("null", "pts", "shm"):
                (tree / "dev" / name).symlink_to("/etc")
            (tree / "proc").mkdir()
            (tree / "proc" / "self").symlink_to("/etc")

        self.activate("deeper", [self.base, self.node.image("deeper.erofs", fill)])
        self.assertEqual(
            self.node.shell("deeper", "test -c /dev/null && test -d /dev/pts && cat /proc/self/comm").output, "cat\n"
        )

    def test_root_without_any_directory_gets_the_skeleton(self):
        def fill(tree):
            shutil.copy("/usr/bin/busybox", tree / "busybox")

        self.activate("bare", [self.node.image("bare.erofs", fill)])
        result = self.node.command("bare", "/busybox", "ls", "/")
        self.assertEqual(
            set(result.output.split()), {"busybox", "dev", "etc", "proc", "root", "run", "sys", "tmp", "var"}
        )
        self.assertEqual(self.node.command("bare", "/busybox", "touch", "/tmp/x", uid=1000).code, 0)

    def test_owners_in_the_image_are_owners_inside(self):
        self.activate("owned", [self.base])
        self.assertEqual(self.node.shell("owned", "stat -c %u:%g /bin/busybox /etc /").output.split(), ["0:0"] * 3)

    def test_forgotten_layer_is_mounted_anew_and_living_sandboxes_keep_theirs(self):
        layer = self.node.image("changing.erofs", lambda tree: (tree / "word").write_text("old"))
        self.activate("before", [self.base, layer])
        os.unlink(self.node.layers / "changing.erofs")
        self.node.image("changing.erofs", lambda tree: (tree / "word").write_text("new"))
        self.client.call(FORGET, text(layer))
        self.activate("after", [self.base, layer])
        self.assertEqual(self.node.shell("before", "cat /word").output, "old")
        self.assertEqual(self.node.shell("after", "cat /word").output, "new")

    def test_layer_that_is_no_file_is_refused(self):
        os.mkfifo(self.node.layers / "fifo")
        (self.node.layers / "link").symlink_to(self.node.layers / "base.erofs")
        (self.node.layers / "directory").mkdir(exist_ok=True)
        for name in ("fifo", "link", "directory", "missing"):
            with self.assertRaises(Failure):
                self.activate("refused", [f"layers/{name}"])

    def test_sandbox_reads_back_what_it_wrote_over_a_layer(self):
        self.activate("written", [self.base])
        script = """echo a > /bin/new; mv /bin/new /bin/newer; rm /bin/ls; mkdir /bin/ls; chown 5:6 /bin/ls
            stat -c %u:%g /bin/ls; cat /bin/newer"""
        self.assertEqual(self.node.shell("written", script).output, "5:6\na\n")


if __name__ == "__main__":
    unittest.main()
