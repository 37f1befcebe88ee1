# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries: described, listed, made, moved, removed, given away."""
import os
import shutil
import stat
import struct

from files import *


class Trees(Files):
    def test_stat_describes_without_following(self):
        file, link = self.directory / "file", self.directory / "link"
        file.write_bytes(b"12345")
        file.chmod(0o4751)
        os.utime(file, ns=(0, 1234567890123456789))
        link.symlink_to("../no where\n")
        entry = self.stat(file)
        self.assertEqual((entry.type, entry.mode, entry.uid, entry.size, entry.mtime), (0, 0o4751, 0, 5, 1234567890123456789))
        entry = self.stat(link)
        self.assertEqual((entry.type, entry.target), (2, b"../no where\n"))
        self.assertEqual(self.stat("/dev/null").type, 3)
        os.utime(file, ns=(0, -5))
        self.assertEqual(self.stat(file).mtime, -5)

    def test_odd_names(self):
        for name in (b"a\nb", b"\xff\xfe", b"-rf", b" ", b"*", "ü€😀".encode(), b"x" * 255):
            path = bytes(self.directory) + b"/" + name
            self.write(path, name)
            self.assertEqual(self.read(path), name)
            self.assertEqual(self.stat(path).path, path)
            self.assertIn(path, self.list(self.directory))
            self.remove(path)
            self.assertFails(4, 2, lambda p=path: self.stat(p))

    def test_list_goes_as_deep_as_asked_and_follows_no_link(self):
        top = self.directory / "top"
        (top / "a" / "b" / "c").mkdir(parents=True)
        (top / "a" / "f").write_bytes(b"x")
        (top / "link").symlink_to("/etc")
        names = lambda depth: sorted(os.path.relpath(p, bytes(top)) for p in self.list(top, depth))
        self.assertEqual(names(1), [b"a", b"link"])
        self.assertEqual(names(2), [b"a", b"a/b", b"a/f", b"link"])
        self.assertEqual(names(64), [b"a", b"a/b", b"a/b/c", b"a/f", b"link"])
        self.assertIn(b"/etc/passwd", self.list(top / "link") and self.list("/etc"))
        self.assertEqual(self.list(top / "a" / "b" / "c"), {})
        self.assertIn(b"/etc", self.list("/"))

    def test_list_of_what_cannot_be_read_fails(self):
        closed = self.directory / "open" / "closed"
        closed.mkdir(parents=True, mode=0o755)
        closed.chmod(0o700)
        self.assertEqual(len(self.list(self.directory / "open", 1, user="daemon")), 1)
        self.assertFails(4, 13, lambda: self.list(self.directory / "open", 2, user="daemon"))
        self.assertFails(4, 20, lambda: self.list("/etc/passwd"))
        self.assertFails(4, 2, lambda: self.list("/nope"))

    def test_a_long_list_waits_for_the_window(self):
        top = self.directory / "many"
        top.mkdir()
        for i in range(3000):
            (top / f"{i:0100d}").touch()
        channel = self.ask(LIST, top, b"\x01", credit=10000)
        entries, taken = set(), 0
        while taken + 300 < 10000:
            got = self.host.receive(channel).check()
            taken += len(got.payload)
            entries.add(Entry(got.payload).path)
        self.host.ping()
        self.assertLessEqual(taken + sum(len(f.payload) for f in self.host.kept.get(channel, [])), 10000)
        self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, taken, MAX))
        entries |= {Entry(got.payload).path for got in self.answers(channel)}
        self.assertEqual(len(entries), 3000)

    def set(self, path, mode=0xFFFFFFFF, owner="", **options):
        self.do(SET, path, struct.pack(">I", mode) + text(owner), **options)

    def test_mode_and_owner(self):
        path, link = self.directory / "f", self.directory / "l"
        path.touch()
        link.symlink_to(path)
        facts = lambda: (stat.S_IMODE(path.stat().st_mode), path.stat().st_uid, path.stat().st_gid)
        self.set(path, 0o6755, "daemon:5")
        self.assertEqual(facts(), (0o6755, 1, 5))
        self.set(path, owner=":daemon")
        self.assertEqual(facts()[1:], (1, 1))
        self.set(path, owner="70000")
        self.set(path, 0)
        self.assertEqual(facts(), (0, 70000, 1))
        self.set(link, owner="3:4")
        self.assertEqual((link.lstat().st_uid, facts()), (3, (0, 70000, 1)))
        self.assertFails(4, 95, lambda: self.set(link, 0o777))
        self.assertFails(7, 0, lambda: self.set(path, owner="nobody-here"))
        self.assertFails(7, 0, lambda: self.set(path, owner="daemon:no-group"))
        self.assertFails(7, 0, lambda: self.set(path, owner="daemon:"))
        self.assertFails(4, 1, lambda: self.set(path, 0o777, user="daemon"))
        self.assertFails(4, 1, lambda: self.set(path, owner="daemon", user="daemon"))
        self.assertFails(4, 2, lambda: self.set(self.directory / "none", 0o777))
        self.assertFails(4, 40, lambda: self.set("/proc/self/root/tmp", 0o777))

    def test_make_directories(self):
        path = self.directory / "a" / "b"
        self.assertFails(4, 2, lambda: self.mkdir(path))
        self.mkdir(path, 0o1770, parents=True, user="daemon")
        self.assertEqual((stat.S_IMODE(path.stat().st_mode), path.owner(), path.parent.owner()), (0o1770, "daemon", "daemon"))
        self.assertFails(4, 17, lambda: self.mkdir(path))
        self.mkdir(path, parents=True)
        (self.directory / "f").touch()
        self.assertFails(4, 17, lambda: self.mkdir(self.directory / "f", parents=True))
        self.assertFails(4, 20, lambda: self.mkdir(self.directory / "f" / "g", parents=True))
        self.mkdir(self.directory / "gid", 0o2755)
        self.assertEqual(stat.S_IMODE((self.directory / "gid").stat().st_mode), 0o2755)

    def test_move(self):
        one, two = self.directory / "one", self.directory / "two"
        one.write_bytes(b"1")
        two.write_bytes(b"2")
        self.move(one, two)
        self.assertEqual((two.read_bytes(), one.exists()), (b"1", False))
        self.assertFails(4, 2, lambda: self.move(one, two))
        self.assertFails(1, 0, lambda: self.move(two, "relative"))

    def test_move_across_file_systems_copies_everything(self):
        other = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
        self.addCleanup(shutil.rmtree, other)
        top = self.directory / "top"
        (top / "d").mkdir(parents=True)
        (top / "d" / "f").write_bytes(os.urandom(300000))
        os.chown(top / "d" / "f", 1, 2)
        (top / "d" / "f").chmod(0o4750)
        os.utime(top / "d" / "f", ns=(1, 2))
        (top / "d").chmod(0o500)
        (top / "link").symlink_to("d/f")
        os.mkfifo(top / "fifo")
        data = (top / "d" / "f").read_bytes()
        self.move(top, other / "moved")
        self.assertFalse(top.exists())
        moved = (other / "moved" / "d" / "f").stat()
        self.assertEqual((other / "moved" / "d" / "f").read_bytes(), data)
        self.assertEqual((stat.S_IMODE(moved.st_mode), moved.st_uid, moved.st_gid, moved.st_mtime_ns), (0o4750, 1, 2, 2))
        self.assertEqual(stat.S_IMODE((other / "moved" / "d").stat().st_mode), 0o500)
        self.assertEqual(os.readlink(other / "moved" / "link"), "d/f")
        self.assertTrue(stat.S_ISFIFO((other / "moved" / "fifo").stat().st_mode))
        (self.directory / "file").write_bytes(b"new")
        (other / "there").write_bytes(b"old")
        self.move(self.directory / "file", other / "there")
        self.assertEqual((other / "there").read_bytes(), b"new")
        self.assertFails(4, 21, lambda: self.move(other / "there", self.directory))

    def test_remove(self):
        top = self.directory / "top"
        (top / "a" / "b").mkdir(parents=True)
        for i in range(500):
            (top / "a" / f"f{i}").touch()
        outside = self.directory / "outside"
        outside.mkdir()
        (outside / "keep").touch()
        (top / "link").symlink_to(outside)
        self.assertFails(4, 39, lambda: self.remove(top))
        self.remove(top, recursive=True)
        self.assertFalse(top.exists())
        self.assertTrue((outside / "keep").exists())
        (self.directory / "link").symlink_to(outside)
        self.remove(self.directory / "link", recursive=True)
        self.assertTrue((outside / "keep").exists())
        self.remove(outside / "keep")
        self.remove(outside)
        self.assertFails(4, 2, lambda: self.remove(outside, recursive=True))
        self.assertFails(4, 16, lambda: self.remove("/tmp/..", recursive=True))

    def deep(self, levels):
        fd = os.open(self.directory, os.O_RDONLY)
        for _ in range(levels):
            os.mkdir("d", dir_fd=fd)
            below = os.open("d", os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = below
        os.close(fd)

    def test_remove_goes_a_thousand_levels_deep_and_says_when_it_is_more(self):
        self.deep(1000)
        self.remove(self.directory / "d", recursive=True)
        self.deep(1100)
        self.assertFails(4, 36, lambda: self.remove(self.directory / "d", recursive=True))
        os.system(f"rm -rf {self.directory}/d")


if __name__ == "__main__":
    unittest.main()
