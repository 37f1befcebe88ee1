# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes in and out, and the windows that hold them back."""
import hashlib
import os
import struct
import time

from guest import *


class Streams(Guest):
    def test_100_mb_arrive_unchanged(self):
        result = self.host.exec("/bin/sh", "-c", "head -c 100000000 /dev/urandom | tee /dev/stderr | sha256sum >&2", credit=0)
        digest, total, tail = hashlib.sha256(), 0, b""
        result.window(1, 0, 0)
        result.window(2, 0, 1 << 20)
        while result.exit is None:
            got = result.host.receive(result.channel).check()
            if got.kind == OUTPUT:
                stream, offset = got.fields("BQ")
                self.assertEqual((stream, offset), (2, total))
                total += len(got.payload) - 9
                data = tail + got.payload[9:]
                digest.update(data[:-68])
                tail = data[-68:]
                result.window(2, total, total + (1 << 20))
            elif got.kind == EXIT:
                result.exit = Exit(got)
        self.assertEqual(total, 100000000 + 68)
        self.assertEqual(tail[:64].decode(), digest.hexdigest())
        self.assertLess(self.rss_kib(), 3000)

    def test_all_byte_values_on_both_streams(self):
        every = bytes(range(256)) * 100
        script = "import sys; b = bytes(range(256))*100; sys.stdout.buffer.write(b); sys.stderr.buffer.write(b[::-1])"
        result = self.host.run("python3", "-c", script)
        self.assertEqual((result.out, result.err), (every, every[::-1]))

    def test_cat_without_stdin_ends_at_once(self):
        began = time.monotonic()
        self.assertEqual(self.host.run("/bin/cat").exit.code, 0)
        self.assertLess(time.monotonic() - began, 5)

    def test_stdin_ends_when_the_host_says_so(self):
        command = self.host.exec("/bin/cat", stdin=True)
        command.input(b"some")
        command.expect("some")
        command.input(b" more", end=True)
        self.assertEqual(command.finish().out, b"some more")
        self.assertIsNone(command.input_closed)

    def test_an_end_alone(self):
        command = self.host.exec("/bin/cat", stdin=True)
        command.input(b"", end=True)
        self.assertEqual(command.finish().exit.code, 0)

    def test_8_mib_reach_sha256sum(self):
        data = os.urandom(8 << 20)
        command = self.host.exec("/usr/bin/sha256sum", stdin=True)
        command.input(data, end=True)
        self.assertEqual(command.finish().out.split()[0].decode(), hashlib.sha256(data).hexdigest())

    def test_8_mib_through_cat_both_ways(self):
        data = os.urandom(8 << 20)
        command = self.host.exec("/bin/cat", stdin=True)
        command.input(data, end=True)
        self.assertEqual(command.finish().out, data)

    def test_a_closed_stdin_is_told(self):
        command = self.host.exec("/usr/bin/head", "-c1", stdin=True)
        command.input(b"x" * (1 << 20), end=True)
        command.finish()
        self.assertEqual(command.out, b"x")
        self.assertIsNotNone(command.input_closed)

    def test_a_stdin_closed_early_is_told_while_the_command_runs(self):
        command = self.host.exec("/bin/sh", "-c", "exec <&-; sleep 100", stdin=True).started()
        command.until(lambda: command.input_closed is not None)
        self.assertEqual(command.input_closed, 0)
        self.host.send(INPUT, command.channel, struct.pack(">Q", 0) + b"dropped")
        command.signal(9)
        self.assertEqual(command.finish().exit.signal, 9)

    def test_input_is_resumable_by_offset(self):
        command = self.host.exec("/bin/cat", stdin=True).started()
        send = lambda offset, data, end=0: self.host.send(INPUT, command.channel, struct.pack(">Q", offset) + data, end)
        send(0, b"abc")
        send(0, b"abc")
        send(1, b"bcdef")
        send(6, b"", 1)
        self.assertEqual(command.finish().out, b"abcdef")

    def test_a_gap_and_input_over_the_window_take_nothing(self):
        command = self.host.exec("/bin/sh", "-c", "sleep 0.5; cat", stdin=True).started()
        command.until(lambda: command.limit > 0)
        send = lambda offset, data, end=0: self.host.send(INPUT, command.channel, struct.pack(">Q", offset) + data, end)
        send(1, b"gap")
        self.assertFails(6, 0, command.finish)
        for at in range(0, 4 << 20, 65536):
            send(at, bytes(65536))
        self.assertFails(6, 0, command.finish)
        accepted = command.accepted
        with self.assertRaises(Fail):
            while True:
                command.step()
        command.signal(9, 2)

    def test_input_without_stdin_is_refused(self):
        command = self.host.exec("/bin/sleep", "0.2").started()
        self.host.send(INPUT, command.channel, bytes(8) + b"x")
        self.assertFails(6, 0, command.finish)
        self.assertEqual(command.finish().exit.code, 0)

    def test_without_credit_the_process_blocks_and_memory_stays(self):
        command = self.host.exec("/bin/sh", "-c", "while :; do printf %04096d 1; printf . >> \"$0\"; done", str(self.directory / "count"), credit=0)
        count = self.directory / "count"
        size = lambda: count.stat().st_size if count.exists() else 0
        stuck = lambda before=None: (lambda a: (select.select([], [], [], 0.3), a == size())[1])(size())
        poll(lambda: size() > 10 and stuck())
        self.assertLess(size() * 4096, (256 + 64 + 8) << 10)
        self.assertLess(self.rss_kib(), 1600)
        got = command.started()
        command.window(1, 0, 100000)
        command.until(lambda: len(command.output[1]) == 100000)
        self.host.ping()
        self.assertEqual(len(command.output[1]), 100000)
        command.signal(9, 2)
        command.window(1, 100000, MAX)
        command.finish()
        self.assertEqual(command.exit.signal, 9)

    def test_many_full_streams_share_a_budget(self):
        floods = [self.host.exec("/usr/bin/yes", credit=0).started() for _ in range(250)]
        poll(lambda: self.rss_kib() > 28000, what="the budget is used")
        select.select([], [], [], 0.5)
        self.assertLess(self.rss_kib(), 40000)
        last = floods[-1]
        while len(last.output[1]) < 100000:
            last.window(1, len(last.output[1]), 100000)
            last.step()
        for flood in floods:
            flood.signal(9, 2)
        for flood in floods:
            flood.cancel()
            flood.release()
        poll(lambda: self.host.stats()[:2] == (0, 0))
        poll(lambda: self.rss_kib() < 1700, what="the memory is given back")

    def test_output_before_the_exit_waits_for_the_window(self):
        command = self.host.exec("/bin/sh", "-c", "printf 0123456789; printf err >&2; exit 5", credit=0).started()
        poll(lambda: self.host.stats()[0] == 0)
        select.select([], [], [], 0.4)
        command.window(1, 0, 4)
        command.until(lambda: len(command.output[1]) == 4)
        self.host.ping()
        self.assertIsNone(command.exit)
        command.window(2, 0, 100)
        command.window(1, 4, 100)
        command.finish()
        self.assertEqual((command.out, command.err, command.exit.code), (b"0123456789", b"err", 5))

    def test_a_flood_does_not_hold_others_up(self):
        floods = [self.host.exec("/usr/bin/yes") for _ in range(3)]
        for flood in floods:
            flood.expect("y\ny\n")
        for _ in range(5):
            self.assertEqual(self.host.run("/bin/echo", "quick").out, b"quick\n")
        for flood in floods:
            flood.signal(9)
            flood.cancel()

    def test_every_channel_gets_its_turn(self):
        floods = [self.host.exec("/usr/bin/yes", credit=1 << 40) for _ in range(4)]
        total = {}
        while sum(total.values()) < 40_000_000:
            got = self.host.read_frame(10)
            if got.kind == OUTPUT:
                total[got.channel] = total.get(got.channel, 0) + len(got.payload)
                self.host.send(WINDOW, got.channel, struct.pack(">BQQ", 1, got.fields("BQ")[1] + len(got.payload) - 9, 1 << 40))
        self.assertEqual(len(total), 4)
        self.assertGreater(min(total.values()) * 8, max(total.values()))
        for flood in floods:
            flood.signal(9)


if __name__ == "__main__":
    unittest.main()
