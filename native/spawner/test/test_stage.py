# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of what a sandbox wrote, on their way to become layers."""

import errno
import os
import stat
import struct
import subprocess
import unittest

from spawner import Failure, Node, busybox, text

STAGE, LIST_LAYER, DISCARD = 0x0D, 0x0E, 0x0F


def base(tree):
    busybox(tree)
    for path in ("data/keep", "data/gone", "whole/a", "whole/b", "etc/conf"):
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text("before")


class Stage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client
        cls.layers = [cls.node.image("base.erofs", base)]
        cls.staging = cls.node.state / "uppers" / ".staging"

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def start(self, name, layers=None):
        pid = self.client.create(name)
        self.addCleanup(self.client.destroy, name)
        self.client.activate(name, pid, layers or self.layers)

    def shell(self, name, script):
        result = self.node.shell(name, script)
        self.assertEqual(result.code, 0, result)
        return result.output

    def stage(self, name, copy=None, limit_bytes=0, limit_entries=0):
        copy = copy or name
        fields = text(name) + text(f"uppers/{name}") + text(copy) + struct.pack(">QQ", limit_bytes, limit_entries)
        answer = self.client.call(STAGE, fields).take("QQQQ")
        self.addCleanup(self.client.call, DISCARD, text(copy))
        return dict(zip(("entries", "bytes", "skipped", "frozen"), answer)), self.staging / copy

    def seal(self, tree, name):
        command = ["mkfs.erofs", "--quiet", "--preserve-mtime", self.node.layers / name, tree]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return f"layers/{name}"

    def manifest(self, layer, name="list"):
        answer = self.client.call(LIST_LAYER, text(layer) + text(name))
        self.addCleanup(self.client.call, DISCARD, text(name))
        return answer.text(), answer.take("QQ"), (self.staging / f"{name}.list").read_text()

    def test_everything_is_as_it_is_seen_inside(self):
        self.start("inside")
        self.shell(
            "inside",
            """cd /data; echo new > new; chmod 640 new; chown 1000:1001 new; ln new also; ln -s /etc/passwd link
            rm gone; rm -r /whole; mkdir /whole; echo 1 > /whole/c; mkfifo pipe; chmod 4755 /bin/busybox 2>&- || true
            truncate -s 100M sparse; echo end >> sparse; printf 'x' > "$(printf 'a\\377\\nb')"; touch -d @1000 new""",
        )
        counts, tree = self.stage("inside")
        new = (tree / "data/new").stat()
        self.assertEqual((new.st_uid, new.st_gid, new.st_nlink, new.st_mtime), (1000, 1001, 2, 1000))
        self.assertEqual(stat.S_IMODE(new.st_mode), 0o640)
        self.assertEqual((tree / "data/also").stat().st_ino, new.st_ino)
        self.assertEqual(os.readlink(tree / "data/link"), "/etc/passwd")
        hidden = (tree / "data/gone").lstat()
        self.assertTrue(stat.S_ISCHR(hidden.st_mode) and hidden.st_rdev == 0)
        self.assertEqual(os.getxattr(tree / "whole", "trusted.overlay.opaque"), b"y")
        self.assertTrue(stat.S_ISFIFO((tree / "data/pipe").lstat().st_mode))
        sparse = (tree / "data/sparse").stat()
        self.assertEqual(sparse.st_size, 100 * 1024 * 1024 + 4)
        self.assertLess(sparse.st_blocks * 512, 1024 * 1024)
        self.assertIn(b"a\xff\nb", os.listdir(os.fsencode(tree / "data")))
        self.assertEqual(tree.stat().st_uid, 0)
        marks = [name for root, _, _ in os.walk(tree) for name in os.listxattr(root)]
        self.assertEqual(set(marks), {"trusted.overlay.opaque"})
        self.assertEqual(counts["skipped"], 0)

    def test_attributes_and_access_lists_are_kept(self):
        self.start("attributes")
        self.shell("attributes", "echo 1 > /data/f; mkdir /data/d")
        upper = self.node.state / "uppers/attributes/upper/data"
        acl = struct.pack("<I", 2) + b"".join(
            struct.pack("<HHI", tag, 6, who)
            for tag, who in ((1, 0xFFFFFFFF), (2, 101234), (4, 0xFFFFFFFF), (16, 0xFFFFFFFF), (32, 0xFFFFFFFF))
        )
        os.setxattr(upper / "f", "user.mine", b"\0\1")
        os.setxattr(upper / "f", "system.posix_acl_access", acl)
        os.setxattr(upper / "d", "trusted.overlay.impure", b"y")
        _, tree = self.stage("attributes")
        self.assertEqual(os.getxattr(tree / "data/f", "user.mine"), b"\0\1")
        self.assertEqual(struct.unpack_from("<HHI", os.getxattr(tree / "data/f", "system.posix_acl_access"), 12)[2], 1234)
        self.assertEqual(os.listxattr(tree / "data/d"), [])

    def test_sockets_are_left_out_and_counted(self):
        self.start("sockets")
        self.shell("sockets", "echo 1 > /data/f")
        os.mknod(self.node.state / "uppers/sockets/upper/data/s", stat.S_IFSOCK | 0o777)
        counts, tree = self.stage("sockets")
        self.assertFalse(os.path.lexists(tree / "data/s"))
        self.assertEqual((counts["skipped"], counts["bytes"]), (1, 2))

    def test_links_lead_nowhere(self):
        self.start("links")
        self.shell("links", "ln -s /etc /outside; ln -s ../../../../../../etc/shadow /up; mkdir /d; ln -s .. /d/loop")
        _, tree = self.stage("links")
        self.assertTrue((tree / "outside").is_symlink() and (tree / "up").is_symlink() and (tree / "d/loop").is_symlink())
        self.assertEqual(sorted(os.listdir(tree)), ["d", "outside", "up"])

    def test_the_source_stands_still_and_goes_on(self):
        self.start("going")
        self.shell("going", "(while :; do echo 1 >> /data/a; echo 1 >> /data/b; done) > /dev/null 2>&1 & sleep 0.2")
        before = (self.node.state / "uppers/going/upper/data/a").stat().st_size
        counts, tree = self.stage("going")
        sizes = [(tree / "data" / name).stat().st_size for name in "ab"]
        self.assertGreaterEqual(sizes[0], before)
        self.assertIn(sizes[0] - sizes[1], (0, 2))
        frozen = self.node.client.usage("going")["cpu"]
        self.shell("going", "sleep 0.2")
        self.assertGreater(self.node.client.usage("going")["cpu"], frozen)
        self.assertLess(counts["frozen"], 3000)

    def test_what_was_frozen_stays_so(self):
        self.start("still")
        self.client.freeze("still", True)
        self.stage("still")
        with self.assertRaises(TimeoutError):
            self.node.command("still", "/bin/true", timeout=0.5)
        self.client.freeze("still", False)

    def test_limits_leave_nothing(self):
        self.start("limits")
        self.shell("limits", "mkdir /m; cd /m; seq 1 50 | xargs touch; truncate -s 1099511627776 big")
        for limits, error in (({"limit_entries": 20}, errno.E2BIG), ({"limit_bytes": 1 << 30}, errno.EFBIG)):
            with self.subTest(limits), self.assertRaises(Failure) as caught:
                self.stage("limits", "copy", **limits)
            self.assertEqual(caught.exception.error, error)
            self.assertFalse((self.staging / "copy").exists())
        self.assertEqual(self.shell("limits", "echo on"), "on\n")

    def test_depth_and_length_are_refused_by_name(self):
        self.start("deep")
        self.shell("deep", "cd /data; for i in $(seq 300); do mkdir -p deep; cd deep; done")
        with self.assertRaises(Failure) as caught:
            self.stage("deep")
        self.assertEqual(caught.exception.error, errno.ENAMETOOLONG)
        self.assertIn("/data/deep", caught.exception.text)

    def test_a_copy_is_a_lower_layer(self):
        self.start("lower")
        self.shell("lower", "rm /data/gone; rm -r /whole; mkdir /whole; echo c > /whole/c; echo n > /data/n; chown 7:8 /data/n")
        _, tree = self.stage("lower")
        layer = self.seal(tree, "lower.erofs")
        self.start("above", [*self.layers, layer])
        script = "cd /; find data whole | sort; cat data/n; stat -c %u:%g data/n; echo more >> data/n; rm whole/c; ls whole"
        seen = "data\ndata/keep\ndata/n\nwhole\nwhole/c\nn\n7:8\n"
        self.assertEqual(self.shell("above", script), seen)
        _, tree = self.stage("above")
        chained = self.seal(tree, "chained.erofs")
        self.start("third", [*self.layers, layer, chained])
        self.assertEqual(self.shell("third", "cat /data/n; ls /whole; rm -r /data; ls /"), "n\nmore\nbin\ndev\netc\nproc\nroot\nrun\nsys\ntmp\nvar\nwhole\n")

    def test_names_are_checked(self):
        self.start("names")
        for name in ("../x", "", "a/b", ".trash"):
            with self.subTest(name=name), self.assertRaises(Failure) as caught:
                self.stage("names", name or " ")
            self.assertEqual((caught.exception.step, caught.exception.error), (1, errno.EINVAL))
        self.stage("names", "taken")
        with self.assertRaises(Failure) as caught:
            self.stage("names", "taken")
        self.assertEqual(caught.exception.error, errno.EEXIST)
        self.assertTrue((self.staging / "taken").exists())

    def test_a_manifest_tells_what_is_in_a_layer(self):
        def fill(tree):
            (tree / "d").mkdir()
            (tree / "d/f").write_text("hello\n")
            (tree / "d/f").chmod(0o600)
            (tree / "a\nb").symlink_to("to here")
            os.mknod(tree / "w", stat.S_IFCHR | 0o600, 0)
            os.setxattr(tree / "d", "trusted.overlay.opaque", b"y")

        layer = self.node.image("manifest.erofs", fill)
        digest, counts, lines = self.manifest(layer)
        hello = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
        self.assertEqual(
            lines.splitlines(),
            [
                "d 0755 0 0 0 - /",
                "l 0777 0 0 0 to\\040here /a\\012b",
                "d 0755 0 0 0 - /d",
                "  trusted.overlay.opaque=79",
                f"f 0600 0 0 6 {hello} /d/f",
                "w 0000 0 0 0 - /w",
            ],
        )
        self.assertEqual(counts, (5, 6))
        self.assertEqual(digest, "sha256:" + subprocess.check_output(["sha256sum"], input=lines.encode()).decode()[:64])

    def test_others_are_served_meanwhile(self):
        self.start("slow")
        self.shell("slow", "head -c 419430400 /dev/zero > /data/big")
        fields = text("slow") + text("uppers/slow") + text("slow") + struct.pack(">QQ", 0, 0)
        self.client.send(STAGE, fields)
        other = type(self.client)(self.node.run)
        pid = other.create("quick")
        self.addCleanup(self.client.destroy, "quick")
        other.activate("quick", pid, self.layers)
        other.close()
        self.assertEqual(self.client.receive().take("QQQQ")[1], 400 * 1024 * 1024)
        self.client.call(DISCARD, text("slow"))


if __name__ == "__main__":
    unittest.main()
