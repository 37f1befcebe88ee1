# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Directories as tar streams, out and in; hostile archives."""
import io
import os
import stat
import struct
import tarfile

from guest import *
from files import Files


def entry(name, data=b"", **fields):
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), 0o644, 1234567890
    for key, value in fields.items():
        setattr(info, key, value)
    return info, data


def directory(name, mode=0o755):
    return entry(name, type=tarfile.DIRTYPE, mode=mode)


def link(name, target, **fields):
    return entry(name, type=tarfile.SYMTYPE, linkname=target, **fields)


def archive(*entries, form=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for info, data in entries:
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def patched(data, at, field):
    """A header with some bytes replaced and its checksum made right."""
    header = bytearray(data[:512])
    header[at : at + len(field)] = field
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + data[512:]


class Archives(Files):
    def setUp(self):
        super().setUp()
        self.canary = self.directory / "canary"
        self.canary.write_bytes(b"untouched")
        self.top = self.directory / "top"
        self.top.mkdir()
        self.top.chmod(0o777)

    def archive(self, path, **options):
        return b"".join(got.payload[9:] for got in self.answers(self.ask(ARCHIVE, path, **options)))

    def extract(self, data, path=None, size=MAX, entries=1000, parents=False, user="", piece=65536):
        channel = self.ask(EXTRACT, path or self.top, struct.pack(">QI", size, entries), flags=int(parents), user=user, credit=0)
        self.assertEqual(self.host.receive(channel).check().kind, STARTED)
        sent, limit, ended = 0, 0, False
        while True:
            while not ended and (sent < min(limit, len(data)) or sent == len(data)):
                part = data[sent : min(sent + piece, limit)]
                ended = sent + len(part) == len(data)
                self.host.send(INPUT, channel, struct.pack(">Q", sent) + part, int(ended))
                sent += len(part)
            got = self.host.receive(channel, 30).check()
            if got.kind == DONE:
                return got.fields("QQ")
            _, accepted, limit = got.fields("BQQ")

    def refuses(self, data, errno, name, **options):
        message = self.assertFails(4, errno, lambda: self.extract(data, **options))
        self.assertIn(name, message)
        self.assertIn("in place", message)
        self.assertEqual(self.canary.read_bytes(), b"untouched")
        self.assertEqual(sorted(p.name for p in self.directory.iterdir()), ["agent.sock", "canary", "top"])
        return message


class Out(Archives):
    def open(self, path, **options):
        return tarfile.open(fileobj=io.BytesIO(self.archive(path, **options)))

    def test_a_tree_with_everything_in_it(self):
        top = self.top
        (top / "a" / "b").mkdir(parents=True)
        (top / "a" / "f").write_bytes(b"x" * 70000)
        (top / "a" / "f").chmod(0o640)
        os.chown(top / "a" / "f", 1000, 70000)
        os.utime(top / "a" / "f", ns=(0, 1234567890_987654321))
        os.utime(top / "a", ns=(0, -5_500000000))
        (top / "a" / "b" / "link").symlink_to("../f")
        (top / "empty").touch()
        with self.open(top) as tar:
            self.assertEqual(sorted(tar.getnames()), [".", "a", "a/b", "a/b/link", "a/f", "empty"])
            file = tar.getmember("a/f")
            self.assertEqual((file.mode, file.uid, file.gid, file.size), (0o640, 1000, 70000, 70000))
            self.assertEqual(file.pax_headers["mtime"], "1234567890.987654321")
            self.assertEqual(tar.getmember("a").pax_headers["mtime"], "-5.500000000")
            self.assertEqual(tar.extractfile("a/f").read(), b"x" * 70000)
            self.assertEqual(tar.getmember("a/b/link").linkname, "../f")
            self.assertEqual(tar.getmember(".").mode, 0o777)

    def test_odd_and_long_names(self):
        names = [b"n\nl", b"q'\"\\", b"\xff\xfe", b"x" * 255, b" ", b"-rf"]
        deep = self.top / ("d" * 200) / ("e" * 200)
        deep.mkdir(parents=True)
        (deep / "link").symlink_to("t" * 300)
        for name in names:
            with open(bytes(self.top) + b"/" + name, "wb") as file:
                file.write(name)
        with self.open(self.top) as tar:
            found = {os.fsencode(m.name) for m in tar.getmembers()}
            self.assertLess(set(names), found)
            member = tar.getmember("d" * 200 + "/" + "e" * 200 + "/link")
            self.assertEqual(member.linkname, "t" * 300)

    def test_one_file_and_one_link(self):
        (self.top / "f").write_bytes(b"abc")
        (self.top / "l").symlink_to("f")
        with self.open(self.top / "f") as tar:
            self.assertEqual(tar.getnames(), ["f"])
            self.assertEqual(tar.extractfile("f").read(), b"abc")
        with self.open(self.top / "l") as tar:
            self.assertTrue(tar.getmember("l").issym())

    def test_what_has_no_place_in_an_archive_is_named(self):
        os.mkfifo(self.top / "pipe")
        self.assertIn("pipe", self.assertFails(4, 22, lambda: self.archive(self.top)))
        self.assertFails(4, 22, lambda: self.archive("/dev/zero"))
        self.assertFails(4, 2, lambda: self.archive(self.top / "none"))
        os.remove(self.top / "pipe")
        with (self.top / "sparse").open("wb") as file:
            file.truncate(1 << 40)
        self.assertIn("sparse", self.assertFails(4, 27, lambda: self.archive(self.top)))

    def test_permissions_are_the_user_s(self):
        (self.top / "closed").mkdir(mode=0o700)
        self.assertIn("closed", self.assertFails(4, 13, lambda: self.archive(self.top, user="daemon")))

    def test_it_waits_for_the_window_with_flat_memory(self):
        (self.top / "big").write_bytes(os.urandom(1 << 20) * 32)
        channel = self.ask(ARCHIVE, self.top, credit=100000)
        taken = 0
        while taken < 100000:
            taken += len(self.host.receive(channel).check().payload) - 9
        self.host.ping()
        self.assertEqual(taken, 100000)
        self.assertLess(self.rss_kib(), 3000)
        self.host.send(CANCEL, channel)
        poll(lambda: not self.children())

    def test_a_holder_of_the_archive_gets_the_tree_back(self):
        (self.top / "d" / "e").mkdir(parents=True)
        (self.top / "d").chmod(0o555)
        (self.top / "d" / "e" / ("n" * 250)).write_bytes(os.urandom(200000))
        (self.top / "l").symlink_to("/nowhere/" + "x" * 200)
        other = self.directory / "other"
        self.extract(self.archive(self.top), path=other, parents=True)
        facts = lambda top: {
            p.relative_to(top): (s.st_mode, s.st_mtime_ns, s.st_size if stat.S_ISREG(s.st_mode) else 0)
            for p in top.rglob("*")
            for s in [p.lstat()]
        }
        self.assertEqual(facts(other), facts(self.top))
        name = "d/e/" + "n" * 250
        self.assertEqual((other / name).read_bytes(), (self.top / name).read_bytes())
        self.assertEqual(os.readlink(other / "l"), os.readlink(self.top / "l"))


class In(Archives):
    def test_the_formats_of_the_world(self):
        long = "d" * 90 + "/" + "f" * 99
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            data = archive(directory("./"), entry(long, b"abc"), link("l", "x/y"), entry("x/y", b"z" * 1000), form=form)
            size, entries = self.extract(data)
            self.assertEqual((size, entries), (1003, 4))
            self.assertEqual((self.top / long).read_bytes(), b"abc")
            self.assertEqual(os.readlink(self.top / "l"), "x/y")
            self.assertEqual((self.top / long).stat().st_mtime, 1234567890)
        os.system(f"cd {self.top} && tar cf {self.directory}/gnu.tar . && rm -rf {self.top}/*")
        data = (self.directory / "gnu.tar").read_bytes()
        (self.directory / "gnu.tar").unlink()
        self.extract(data, piece=777)
        self.assertEqual((self.top / long).read_bytes(), b"abc")

    def test_modes_times_and_owners(self):
        self.extract(archive(directory("d", 0o500), entry("d/f", b"x", mode=0o751), entry("d/g", uid=5, gid=5)), user="daemon")
        self.assertEqual(stat.S_IMODE((self.top / "d").stat().st_mode), 0o500)
        self.assertEqual((self.top / "d").stat().st_mtime, 1234567890)
        self.assertEqual(stat.S_IMODE((self.top / "d" / "f").stat().st_mode), 0o751)
        self.assertEqual((self.top / "d" / "g").owner(), "daemon")

    def test_it_replaces_files_and_links_by_links(self):
        (self.top / "f").write_bytes(b"old")
        (self.top / "l").symlink_to("old")
        self.extract(archive(entry("f", b"new"), link("l", "new"), entry("h", type=tarfile.LNKTYPE, linkname="f")))
        self.assertEqual((self.top / "f").read_bytes(), b"new")
        self.assertEqual(os.readlink(self.top / "l"), "new")
        self.assertEqual((self.top / "h").stat().st_ino, (self.top / "f").stat().st_ino)

    def test_names_that_lead_out(self):
        for name in ("../../x", "../canary", "/abs", "a/../../x", "..", "a/b/../../../canary"):
            with self.subTest(name=name):
                self.refuses(archive(entry("ok", b"1"), entry(name, b"evil")), 22, name)
        self.refuses(archive(entry("a", b"x", pax_headers={"path": "../canary"})), 22, "../canary")
        self.assertFalse((self.top / "a").exists())
        self.refuses(archive(entry("a\0b", b"x", pax_headers={"path": "a\0b"})), 22, "a")

    def test_links_in_the_way(self):
        self.refuses(archive(link("l", "/"), entry("l/etc/x", b"evil")), 40, "l/etc/x")
        self.refuses(archive(link("l", "../canary"), entry("l", b"evil")), 40, "l")
        self.refuses(archive(link("l", ".."), directory("l")), 40, "l")
        self.refuses(archive(link("l", ".."), directory("l/new")), 40, "l/new")
        self.refuses(archive(link("l", ".."), link("l/m", "x")), 40, "l/m")

    def test_hard_links_stay_inside(self):
        for target in ("/etc/shadow", "../canary", "l/canary"):
            made = archive(link("l", ".."), entry("h", type=tarfile.LNKTYPE, linkname=target))
            self.refuses(made, 40 if target[0] == "l" else 22, "h")
        self.refuses(archive(link("l", "../canary"), entry("h", type=tarfile.LNKTYPE, linkname="l")), 40, "h")
        self.refuses(archive(entry("f"), entry("f", type=tarfile.LNKTYPE, linkname="f")), 22, "f")

    def test_kinds_that_are_not_taken(self):
        for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, b"S", b"V", b"M"):
            self.refuses(archive(entry("special", type=kind)), 1, "special")
        self.refuses(archive(entry("suid", b"x", mode=0o4755)), 1, "suid")
        self.refuses(archive(entry("sgid", b"x", mode=0o2755)), 1, "sgid")
        self.refuses(archive(entry("s", b"x", pax_headers={"GNU.sparse.major": "1"})), 22, "s")
        self.assertEqual(list(self.top.iterdir()), [])

    def test_sizes_that_lie(self):
        good = archive(entry("f", b"x" * 100), form=tarfile.USTAR_FORMAT)
        self.refuses(patched(good, 124, b"\xff" * 12), 22, "f")
        self.refuses(patched(good, 124, b"\x80" + b"\x7f" * 11), 22, "f")
        self.refuses(patched(good, 124, b"-0000000001\0"), 22, "f")
        self.refuses(patched(good, 124, b"77777777777\0"), 22, "ends early")
        self.assertEqual(list(self.top.iterdir()), [])
        self.refuses(archive(entry("f", b"x", pax_headers={"size": "-1"})), 22, "f")
        self.refuses(archive(entry("f", b"x", pax_headers={"size": "9" * 30})), 22, "f")
        self.refuses(archive(entry("f", b"x" * 1000), entry("g", b"x" * 1000)), 27, "g", size=1999)
        self.refuses(archive(*[entry(f"f{i}") for i in range(101)]), 27, "f100", entries=100)
        self.assertEqual(len(list(self.top.iterdir())), 101)

    def test_what_is_no_archive(self):
        self.refuses(b"", 22, "ends early")
        self.refuses(b"no archive" * 100, 22, "checksum")
        self.refuses(archive(entry("f", b"x" * 5000))[:2000], 22, "f: the archive ends early")
        self.assertEqual(list(self.top.iterdir()), [])
        damaged = bytearray(archive(entry("f", b"x")))
        damaged[3] ^= 1
        self.refuses(bytes(damaged), 22, "checksum")
        self.assertFails(4, 27, lambda: self.extract(archive() + bytes(3 << 20)))

    def test_a_full_disk_is_told_with_the_entry(self):
        mount = self.top / "small"
        mount.mkdir()
        os.system(f"mount -t tmpfs -o size=1m none {mount}")
        self.addCleanup(os.system, f"umount {mount}")
        message = self.refuses(archive(entry("one", b"1"), entry("big", bytes(3 << 20))), 28, "big", path=mount)
        self.assertIn("(1 entries", message)
        self.assertEqual([p.name for p in mount.iterdir()], ["one"])

    def test_a_link_that_comes_and_goes_meanwhile(self):
        program = "import os,sys\nwhile True:\n for f in (lambda: os.symlink('..', 'd'), lambda: os.remove('d'), lambda: os.mkdir('d'), lambda: os.rmdir('d')):\n  try: f()\n  except OSError: pass\n"
        racer = subprocess.Popen(["python3", "-c", program], cwd=self.top)
        self.addCleanup(racer.wait)
        self.addCleanup(racer.kill)
        data = archive(entry("d/canary", b"evil"))
        done = 0
        for _ in range(200):
            try:
                self.extract(data)
                done += 1
            except Fail:
                pass
        self.assertEqual(self.canary.read_bytes(), b"untouched")

    def test_a_million_entries_stop_at_the_limit_with_flat_memory(self):
        one = archive(directory("d"), form=tarfile.USTAR_FORMAT)[:512]
        self.refuses(one * 50000 + bytes(1024), 27, "d", entries=20000)
        self.assertLess(self.rss_kib(), 3000)


if __name__ == "__main__":
    unittest.main()
