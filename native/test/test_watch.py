# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""What happens in directories, as it happens."""
import os
import pathlib
import struct

from guest import *
from files import Files

BEGUN, CREATED, MODIFIED, REMOVED, MOVED, ATTRIBUTES, LOST = range(7)


class Watching(Files):
    def watch(self, path, recursive=True, user="", credit=MAX):
        channel = self.ask(WATCH, path, flags=int(recursive), user=user, credit=credit)
        return channel

    def event(self, channel):
        got = self.host.receive(channel, 10).check()
        assert got.kind == EVENT, got.kind
        kind, directory, length = got.fields("BBH")
        path = got.payload[4 : 4 + length]
        return kind, directory, path.decode(errors="surrogateescape"), got.payload[6 + length :].decode(errors="surrogateescape")

    def begin(self, *arguments, **options):
        channel = self.watch(*arguments, **options)
        self.assertEqual(self.event(channel)[0], BEGUN)
        return channel

    def until(self, channel, wanted):
        """Events until one is the wanted (kind, path); the set of all."""
        seen = set()
        while wanted not in seen:
            kind, _, path, to = self.event(channel)
            seen.add((kind, path, to) if to else (kind, path))
        return seen

    def setUp(self):
        super().setUp()
        self.top = self.directory / "top"
        self.top.mkdir()

    def test_each_kind_of_event(self):
        f, g = str(self.top / "f"), str(self.top / "g")
        channel = self.begin(self.top)
        pathlib.Path(f).write_bytes(b"x")
        self.until(channel, (CREATED, f))
        self.until(channel, (MODIFIED, f))
        os.chmod(f, 0o600)
        self.until(channel, (ATTRIBUTES, f))
        os.rename(f, g)
        self.until(channel, (MOVED, f, g))
        os.remove(g)
        self.until(channel, (REMOVED, g))
        os.mkdir(f)
        self.assertEqual(self.event(channel)[:3], (CREATED, 1, f))
        os.rename(f, self.directory / "away")
        self.until(channel, (REMOVED, f))
        os.rename(self.directory / "away", g)
        self.until(channel, (CREATED, g))

    def test_new_directories_are_watched_too(self):
        (self.top / "old" / "older").mkdir(parents=True)
        channel = self.begin(self.top)
        (self.top / "old" / "older" / "f").touch()
        self.until(channel, (CREATED, str(self.top / "old/older/f")))
        for i in range(100):
            (self.top / f"n{i}" / "m").mkdir(parents=True)
            (self.top / f"n{i}" / "m" / "f").touch()
            self.until(channel, (CREATED, str(self.top / f"n{i}/m/f")))
        os.rename(self.top / "n0", self.top / "moved")
        self.until(channel, (MOVED, str(self.top / "n0"), str(self.top / "moved")))
        (self.top / "moved" / "m" / "g").touch()
        self.until(channel, (CREATED, str(self.top / "moved/m/g")))

    def test_not_below_unless_asked(self):
        (self.top / "d").mkdir()
        channel = self.begin(self.top, recursive=False)
        (self.top / "d" / "f").touch()
        (self.top / "g").touch()
        self.assertNotIn((CREATED, str(self.top / "d/f")), self.until(channel, (CREATED, str(self.top / "g"))))

    def test_odd_names_and_no_link_is_followed(self):
        other = self.directory / "other"
        other.mkdir()
        (self.top / "link").symlink_to(other)
        channel = self.begin(self.top)
        (other / "f").touch()
        for name in ("n\nl", "q'\"", os.fsdecode(b"\xff"), "x" * 255):
            (self.top / name).touch()
            self.assertNotIn((CREATED, str(self.top / "link" / "f")), self.until(channel, (CREATED, str(self.top / name))))

    def test_it_ends_when_the_directory_goes_and_when_cancelled(self):
        channel = self.begin(self.top)
        os.rmdir(self.top)
        self.assertEqual(self.event(channel)[:3], (REMOVED, 1, str(self.top)))
        self.assertEqual(self.host.receive(channel).check().kind, OK)
        self.top.mkdir()
        channel = self.begin(self.top)
        self.host.send(CANCEL, channel)
        poll(lambda: not self.children())

    def test_what_cannot_be_seen_is_said(self):
        (self.top / "closed").mkdir(mode=0o700)
        channel = self.watch(self.top, user="daemon")
        self.assertEqual(self.event(channel)[:3], (LOST, 1, str(self.top / "closed")))
        self.assertEqual(self.event(channel)[0], BEGUN)
        self.assertFails(4, 20, lambda: self.do(WATCH, "/etc/passwd"))
        self.assertFails(4, 2, lambda: self.do(WATCH, "/nope"))

    def test_a_reader_that_stops_loses_events_and_is_told(self):
        (self.top / "d").mkdir()
        channel = self.begin(self.top, credit=1000)
        for i in range(30000):
            (self.top / "d" / f"{i}").touch()
        self.host.ping()
        self.assertLess(self.rss_kib(), 3000)
        self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, MAX))
        self.until(channel, (LOST, str(self.top)))
        (self.top / "d" / "late").touch()
        self.until(channel, (CREATED, str(self.top / "d/late")))

    def test_at_most_16_at_a_time(self):
        for _ in range(16):
            self.begin(self.top)
        self.assertFails(5, 0, lambda: self.do(WATCH, self.top))
        self.assertEqual(self.stat("/").type, 1)


if __name__ == "__main__":
    unittest.main()
