# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Connections come and go; commands and their bytes stay."""
import hashlib
import struct

from guest import *


class Attaching(Guest):
    def reconnect(self):
        self.host.close()
        self.host = self.connect()
        return self.host

    def test_the_exit_waits_for_a_new_connection(self):
        self.host.exec("/bin/sh", "-c", "echo out; echo err >&2; exit 6", id_="e", credit=0).started()
        poll(lambda: self.host.stats()[0] == 0)
        host = self.reconnect()
        self.assertEqual(host.known, ["e"])
        command = host.attach("e").finish()
        self.assertEqual((command.out, command.err, command.exit.code), (b"out\n", b"err\n", 6))

    def test_a_command_goes_on_without_a_connection(self):
        marker = self.directory / "go"
        script = f"while ! [ -e {marker} ]; do sleep 0.05; done; echo done"
        pid = self.host.exec("/bin/sh", "-c", script, id_="e").started().pid
        self.reconnect()
        marker.touch()
        command = self.host.attach("e").finish()
        self.assertEqual((command.pid, command.out), (pid, b"done\n"))

    def test_no_byte_is_lost_over_many_connections(self):
        command = self.host.exec("/bin/sh", "-c", "seq 1 400000", id_="e", credit=0)
        taken = bytearray()
        while command.exit is None:
            command.window(1, len(taken), len(taken) + 300000)
            before = len(taken)
            while command.exit is None and len(taken) - before < 250000:
                got = command.host.receive(command.channel).check()
                if got.kind == OUTPUT:
                    self.assertEqual(got.fields("BQ"), (1, len(taken)))
                    taken += got.payload[9:]
                elif got.kind == EXIT:
                    command.exit = Exit(got)
            if command.exit is None:
                self.reconnect()
                command = self.host.attach("e", out=len(taken))
                command.credit = 0
        self.assertEqual(bytes(taken), b"".join(b"%d\n" % i for i in range(1, 400001)))

    def test_what_was_not_acknowledged_is_sent_again(self):
        command = self.host.exec("/bin/sh", "-c", "printf 0123456789; sleep 100", id_="e", credit=0)
        command.window(1, 0, 100)
        command.until(lambda: len(command.output[1]) == 10)
        command.window(1, 4, 100)
        self.reconnect()
        again = self.host.attach("e", out=6, credit=100)
        again.until(lambda: len(again.output[1]) == 4)
        self.assertEqual(again.out, b"6789")
        third = self.host.attach("e", out=6, credit=100)
        third.until(lambda: len(third.output[1]) == 4)
        fourth = self.host.attach("e", out=0, credit=100)
        fourth.start[1] = 6
        fourth.until(lambda: len(fourth.output[1]) == 4)
        self.assertEqual(fourth.out, b"6789")

    def test_a_position_beyond_the_output_is_refused(self):
        self.host.exec("/bin/echo", id_="e").finish()
        self.assertFails(6, 0, lambda: self.host.attach("e", out=2).finish())
        self.assertFails(6, 0, lambda: self.host.attach("e", err=1).finish())
        self.assertFails(2, 0, lambda: self.host.attach("other").finish())

    def test_an_older_binding_ends_silently(self):
        first = self.host.exec("/bin/cat", id_="e", stdin=True).started()
        second = self.host.attach("e")
        second.input(b"hello", end=True)
        self.assertEqual(second.finish().out, b"hello")
        self.host.ping()
        self.assertEqual(self.host.kept.get(first.channel, [])[2:], [])

    def test_input_goes_on_where_it_was(self):
        data = bytes(range(256)) * 2000
        command = self.host.exec("/usr/bin/sha256sum", id_="e", stdin=True)
        command.input(data[:200000])
        self.reconnect()
        again = self.host.attach("e").started()
        again.sent = again.accepted
        self.assertGreater(again.accepted, 0)
        again.input(data[again.accepted :], end=True)
        self.assertEqual(again.finish().out.split()[0].decode(), hashlib.sha256(data).hexdigest())

    def test_the_exit_is_sent_again_to_a_new_binding(self):
        self.host.exec("/bin/sh", "-c", "printf x; exit 3", id_="e").finish()
        for _ in range(3):
            self.reconnect()
            again = self.host.attach("e", out=1).finish()
            self.assertEqual((again.exit.code, again.out), (3, b""))
        self.host.release("e")
        self.assertEqual(self.reconnect().known, [])

    def test_cancel_leaves_the_command_to_a_later_attach(self):
        command = self.host.exec("/bin/cat", id_="e", stdin=True).started()
        command.cancel()
        again = self.host.attach("e")
        again.input(b"still there", end=True)
        self.assertEqual(again.finish().out, b"still there")

    def test_a_start_that_fails_without_a_connection_is_not_known(self):
        self.host.raw(frame(EXEC, 1, text("e") + text("/") + text("") + bytes(8) + texts(["/nope"]) + texts([])))
        self.reconnect()
        self.assertFails(2, 0, lambda: poll(lambda: self.host.attach("e").finish()))

    def test_file_operations_end_with_the_connection(self):
        big = self.directory / "big"
        with big.open("wb") as file:
            file.truncate(1 << 30)
        channel = self.host.open()
        self.host.send(READ, channel, text("") + text(str(big)) + struct.pack(">QQ", 0, MAX))
        self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, 100))
        self.host.receive(channel)
        self.reconnect()
        poll(lambda: not self.children(), what="the worker is gone")

    def test_release_is_idempotent(self):
        self.host.release("never-was")
        self.host.exec("/bin/true", id_="e").finish()
        self.host.release("e")
        self.host.release("e")


if __name__ == "__main__":
    unittest.main()
