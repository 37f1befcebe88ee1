# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""File operations."""
import hashlib
import os
import shutil
import stat
import struct

from guest import *


class Entry:
    def __init__(self, payload):
        (length,) = struct.unpack_from(">H", payload)
        self.path = payload[2 : 2 + length]
        self.type, self.mode, self.uid, self.gid, self.size, self.mtime = struct.unpack_from(">BIIIQq", payload, 2 + length)
        at = 2 + length + 29
        (target,) = struct.unpack_from(">H", payload, at)
        self.target = payload[at + 2 :]
        assert len(self.target) == target


class Files(Guest):
    def ask(self, kind, path, rest=b"", flags=0, user="", credit=MAX):
        channel = self.host.open()
        path = path if isinstance(path, bytes) else str(path)
        self.host.send(kind, channel, text(user) + text(path) + rest, flags)
        if credit:
            self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, credit))
        return channel

    def answers(self, channel):
        while True:
            got = self.host.receive(channel, 30).check()
            if got.kind in (OK, DONE):
                return
            yield got

    def do(self, *arguments, **options):
        return list(self.answers(self.ask(*arguments, **options)))

    def read(self, path, offset=0, length=MAX, **options):
        data = bytearray()
        for got in self.answers(self.ask(READ, path, struct.pack(">QQ", offset, length), **options)):
            assert got.kind == OUTPUT and got.fields("BQ") == (1, len(data))
            data += got.payload[9:]
        return bytes(data)

    def write(self, path, data=b"", mode=0o644, how=0, offset=0, parents=False, user=""):
        channel = self.ask(WRITE, path, struct.pack(">IBQ", mode, how, offset), flags=int(parents), user=user, credit=0)
        self.assertEqual(self.host.receive(channel).check().kind, STARTED)
        sent, limit, ended = 0, 0, False
        while True:
            while not ended and (sent < min(limit, len(data)) or sent == len(data)):
                part = data[sent : min(sent + 65536, limit)]
                ended = sent + len(part) == len(data)
                self.host.send(INPUT, channel, struct.pack(">Q", sent) + part, int(ended))
                sent += len(part)
            got = self.host.receive(channel).check()
            if got.kind == DONE:
                return got.fields("Q")[0]
            _, accepted, limit = got.fields("BQQ")

    def stat(self, path, **options):
        (got,) = self.do(STAT, path, **options)
        return Entry(got.payload)

    def list(self, path, depth=1, **options):
        return {e.path: e for e in (Entry(got.payload) for got in self.do(LIST, path, struct.pack(">B", depth), **options))}

    def mkdir(self, path, mode=0o755, parents=False, **options):
        self.do(MKDIR, path, struct.pack(">I", mode), flags=int(parents), **options)

    def move(self, path, to, **options):
        self.do(MOVE, path, text(str(to)), **options)

    def remove(self, path, recursive=False, **options):
        self.do(REMOVE, path, flags=int(recursive), **options)


class Data(Files):
    def test_a_file_round_trips(self):
        data = bytes(range(256)) * 4000
        path = self.directory / "f"
        self.assertEqual(self.write(path, data, mode=0o640), len(data))
        self.assertEqual(path.read_bytes(), data)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
        self.assertEqual(self.read(path), data)
        self.assertEqual(self.read(path, 1000, 70000), data[1000:71000])
        self.assertEqual(self.read(path, len(data)), b"")
        self.assertEqual(self.read(path, 5, 0), b"")
        self.assertEqual(self.read(path, MAX), b"")

    def test_an_empty_file(self):
        path = self.directory / "empty"
        self.assertEqual(self.write(path), 0)
        self.assertEqual(self.read(path), b"")

    def test_a_big_file_by_hash_with_flat_memory(self):
        path = self.directory / "big"
        data = os.urandom(1 << 20) * 48
        self.write(path, data)
        self.assertEqual(hashlib.sha256(path.read_bytes()).digest(), hashlib.sha256(data).digest())
        self.assertEqual(hashlib.sha256(self.read(path)).digest(), hashlib.sha256(data).digest())
        self.assertLess(self.rss_kib(), 3000)

    def test_a_sparse_terabyte_stops_at_the_window(self):
        path = self.directory / "sparse"
        with path.open("wb") as file:
            file.truncate(1 << 40)
        channel = self.ask(READ, path, struct.pack(">QQ", 0, MAX), credit=100000)
        taken = 0
        while taken < 100000:
            taken += len(self.host.receive(channel).check().payload) - 9
        self.assertEqual(taken, 100000)
        self.host.ping()
        self.host.send(CANCEL, channel)
        poll(lambda: not self.children())
        self.host.ping()
        self.assertEqual(self.host.kept.get(channel, []), [])

    def test_the_ways_to_write(self):
        path = self.directory / "f"
        self.write(path, b"first and long")
        self.write(path, b"second")
        self.assertEqual(path.read_bytes(), b"second")
        self.assertFails(4, 17, lambda: self.write(path, b"x", how=1))
        self.write(path, b" more", how=2)
        self.assertEqual(path.read_bytes(), b"second more")
        self.write(path, b"RESUMED", how=3, offset=3)
        self.assertEqual(path.read_bytes(), b"secRESUMED")
        self.assertFails(4, 22, lambda: self.write(path, b"x", how=3, offset=11))
        self.assertFails(4, 2, lambda: self.write(self.directory / "none", b"x", how=3, offset=1))
        self.assertFails(1, 0, lambda: self.write(path, b"x", offset=1))
        self.write(self.directory / "new", b"x", how=1)
        self.write(self.directory / "a" / "b" / "c", b"deep", parents=True)
        self.assertEqual((self.directory / "a" / "b" / "c").read_bytes(), b"deep")
        self.assertFails(4, 2, lambda: self.write(self.directory / "d" / "e", b"x"))

    def test_cancel_keeps_what_was_written(self):
        path = self.directory / "f"
        channel = self.ask(WRITE, path, struct.pack(">IBQ", 0o644, 0, 0), credit=0)
        self.assertEqual(self.host.receive(channel).check().kind, STARTED)
        self.host.send(INPUT, channel, bytes(8) + b"part")
        poll(lambda: path.read_bytes() == b"part")
        self.host.send(CANCEL, channel)
        poll(lambda: not self.children())
        self.assertEqual(path.read_bytes(), b"part")

    def test_a_gap_ends_the_write(self):
        channel = self.ask(WRITE, self.directory / "f", struct.pack(">IBQ", 0o644, 0, 0), credit=0)
        self.host.receive(channel).check()
        self.host.send(INPUT, channel, struct.pack(">Q", 5) + b"gap")
        self.assertFails(6, 0, lambda: list(self.answers(channel)))

    def test_a_full_disk_is_told(self):
        self.assertIn("/dev/full", self.assertFails(4, 22, lambda: self.write("/dev/full", b"x")))
        mount = self.directory / "small"
        mount.mkdir()
        os.system(f"mount -t tmpfs -o size=1m none {mount}")
        self.addCleanup(os.system, f"umount {mount}")
        self.assertFails(4, 28, lambda: self.write(mount / "f", bytes(3 << 20)))

    def test_only_regular_files_are_read_and_nothing_waits(self):
        fifo, link, sock = (self.directory / name for name in ("fifo", "link", "sock"))
        os.mkfifo(fifo)
        link.symlink_to(fifo)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(sock))
        for path in (fifo, link, sock, "/dev/zero", "/dev/null"):
            with self.subTest(path=path):
                self.assertFails(4, 22, lambda p=path: self.read(p))
                self.assertFails(4, 22, lambda p=path: self.write(p, b"x"))
        self.assertFails(4, 21, lambda: self.read(self.directory))
        self.assertFails(4, 21, lambda: self.write(self.directory, b"x"))

    def test_errors_name_the_path(self):
        self.assertIn("/nope/x", self.assertFails(4, 2, lambda: self.read("/nope/x")))
        self.assertFails(4, 20, lambda: self.read("/etc/passwd/x"))
        self.assertFails(1, 0, lambda: self.read("etc/passwd"))
        self.assertFails(1, 0, lambda: self.read(""))
        self.assertFails(4, 36, lambda: self.read("/" + "x" * 4096))
        self.assertFails(7, 0, lambda: self.read("/etc/passwd", user="nobody-here"))

    def test_permissions_are_the_user_s(self):
        secret = self.directory / "secret"
        secret.write_bytes(b"s")
        secret.chmod(0o600)
        self.assertFails(4, 13, lambda: self.read(secret, user="daemon"))
        self.assertFails(4, 13, lambda: self.write(secret, b"x", user="daemon"))
        self.assertEqual(self.read(secret), b"s")
        self.write(self.directory / "own", b"x", user="daemon")
        self.assertEqual((self.directory / "own").owner(), "daemon")
        self.assertFails(4, 13, lambda: self.remove("/etc/passwd", user="daemon"))

    def test_no_way_through_the_worker_s_own_links(self):
        for path in ("/proc/self/exe", "/proc/self/fd/0", "/proc/self/root/etc/passwd", "/proc/self/cwd/etc/passwd"):
            self.assertFails(4, 40, lambda p=path: self.read(p))
        self.assertEqual(self.read("/proc/self/environ"), b"")

    def test_at_most_64_at_a_time(self):
        path = self.directory / "sparse"
        with path.open("wb") as file:
            file.truncate(1 << 30)
        channels = [self.ask(READ, path, struct.pack(">QQ", 0, MAX), credit=1) for _ in range(64)]
        for channel in channels:
            self.host.receive(channel).check()
        self.assertFails(5, 0, lambda: self.stat("/"))
        self.host.send(CANCEL, channels[0])
        self.assertEqual(self.stat("/").type, 1)

    def checksum(self, path, **options):
        (got,) = self.do(CHECKSUM, path, **options)
        return got.fields("Q")[0], got.payload[8:]

    def test_checksums(self):
        path = self.directory / "f"
        for size in (0, 1, 55, 56, 63, 64, 65, 119, 120, 65535, 65536, 65537, 1000003):
            data = os.urandom(size)
            path.write_bytes(data)
            self.assertEqual(self.checksum(path), (size, hashlib.sha256(data).digest()), size)
        path.chmod(0o600)
        self.assertFails(4, 13, lambda: self.checksum(path, user="daemon"))
        self.assertFails(4, 22, lambda: self.checksum("/dev/zero"))
        self.assertFails(4, 21, lambda: self.checksum(self.directory))

    def test_a_growing_file_has_an_end(self):
        path = self.directory / "growing"
        path.write_bytes(b"begin")
        writer = subprocess.Popen(["sh", "-c", f"exec yes >> {path}"])
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        poll(lambda: path.stat().st_size > 1 << 20)
        self.assertEqual(self.read(path)[:5], b"begin")
        self.assertGreater(self.checksum(path)[0], 1 << 20)

    def test_memory_sockets_and_loops_are_typed(self):
        loop = self.directory / "loop"
        loop.symlink_to(loop)
        for action in (self.read, self.checksum, self.write):
            self.assertFails(4, 40, lambda a=action: a(loop))
        self.assertFails(4, 5, lambda: self.read("/proc/self/mem"))

    def test_two_writers_never_mix(self):
        path = self.directory / "f"
        first = self.ask(WRITE, path, struct.pack(">IBQ", 0o644, 0, 0), credit=0)
        self.assertEqual(self.host.receive(first).check().kind, STARTED)
        self.assertIn("else is writing", self.assertFails(4, 16, lambda: self.write(path, b"second")))
        self.host.send(INPUT, first, bytes(8) + b"first", 1)
        self.assertEqual([f.kind for f in self.answers(first)], [WINDOW] * 1)
        self.assertEqual(path.read_bytes(), b"first")
        self.write(path, b"third")
        self.assertEqual(path.read_bytes(), b"third")

    def test_a_second_writer_waits_for_a_short_first_one(self):
        path = self.directory / "f"
        first = self.ask(WRITE, path, struct.pack(">IBQ", 0o644, 0, 0), credit=0)
        self.assertEqual(self.host.receive(first).check().kind, STARTED)
        second = self.ask(WRITE, path, struct.pack(">IBQ", 0o644, 0, 0), credit=0)
        self.host.send(CANCEL, first)
        self.assertEqual(self.host.receive(second).check().kind, STARTED)


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
