# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files."""
import hashlib
import os
import stat
import struct

from files import *


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
