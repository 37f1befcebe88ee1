# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""What the guest says on a connection, and what makes it close one."""
import struct

from guest import *


def malformed():
    for line in (NATIVE / "vectors" / "malformed.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, state, data = line.split(" | ")
            yield name, state, bytes.fromhex(data)


class Connection(Guest):
    def closed(self, host):
        try:
            while True:
                host.read_frame(5)
        except Closed:
            return True
        except TimeoutError:
            return False

    def should_close(self, data, state="greeted"):
        host = self.connect(hello=state == "greeted")
        try:
            host.raw(data)
        except Closed:
            return
        self.assertTrue(self.closed(host), "the connection stays open")
        host.close()

    def test_every_malformed_vector_closes_the_connection_and_only_it(self):
        sleeper = self.host.exec("sleep", "100", id_="sleeper").started()
        for name, state, data in malformed():
            with self.subTest(name):
                self.should_close(data, state)
        self.assertEqual(self.connect().known, ["sleeper"])
        self.assertIn(sleeper.pid, self.children())

    def test_data_over_the_frame_limit_closes(self):
        self.should_close(frame(INPUT, 1, bytes(8 + 65537)))

    def test_a_list_over_its_limit_closes(self):
        head = text("e") + text("") + text("") + bytes(8)
        self.should_close(frame(EXEC, 1, head + struct.pack(">H", 16385) + bytes(2 * 16385) + bytes(2)))

    def test_a_frame_may_come_byte_by_byte(self):
        for byte in frame(PING, 0, struct.pack(">Q", 99)):
            self.host.raw(bytes([byte]))
        self.assertEqual(self.host.receive(0).fields("Q"), (99,))

    def test_many_frames_may_come_at_once(self):
        self.host.raw(b"".join(frame(PING, 0, struct.pack(">Q", i)) for i in range(20000)))
        self.assertEqual([self.host.receive(0).fields("Q")[0] for _ in range(20000)], list(range(20000)))

    def test_another_version_gets_ours_and_the_end(self):
        host = self.connect(hello=False)
        host.send(HELLO, 0, struct.pack(">I", 2))
        host.read_welcome()
        self.assertEqual(host.version, 1)
        self.assertTrue(self.closed(host))

    def test_a_new_connection_replaces_the_old(self):
        second = self.connect()
        self.assertTrue(self.closed(self.host))
        second.ping()

    def test_features_name_cgroups_and_ptys_and_set_up(self):
        self.assertEqual(self.host.features, 3)
        self.host.setup()
        self.assertEqual(self.connect().features, 7)

    def test_set_up_happens_once(self):
        self.host.setup()
        self.assertFails(6, 0, self.host.setup)

    def test_set_up_refuses_what_it_cannot_do(self):
        self.assertFails(1, 0, lambda: self.host.setup(env=["NOVALUE"]))
        self.assertFails(4, 1, lambda: self.host.setup(files=4000000000))
        self.host.setup()

    def test_stats_count_processes_and_execs(self):
        self.assertEqual(self.host.stats()[:2], (0, 0))
        self.host.exec("sleep", "100").started()
        self.host.exec("sleep", "100").started()
        processes, execs, uptime = self.host.stats()
        self.assertEqual((processes, execs), (2, 2))
        self.assertLess(uptime, 60000)

    def test_frames_of_an_ended_channel_are_dropped(self):
        channel = self.host.open()
        self.host.send(STAT, channel, text("") + text("/"))
        self.assertEqual([self.host.receive(channel).kind for _ in range(2)], [ENTRY, OK])
        self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, 9))
        self.host.send(CANCEL, channel)
        self.host.ping()

    def test_more_ids_than_a_frame_holds(self):
        ids = [f"{i:064d}" for i in range(1200)]
        for id_ in ids:
            self.host.exec("/bin/true", id_=id_)
        poll(lambda: self.host.stats()[0] == 0, 60)
        self.assertEqual(sorted(self.connect().known), ids)

    def test_a_host_that_does_not_read_costs_bounded_memory(self):
        flood = frame(PING, 0, bytes(8)) * 3000
        self.host.socket.settimeout(1)
        with self.assertRaises(TimeoutError):
            while True:
                self.host.socket.sendall(flood)
        self.assertLess(self.rss_kib(), 2500)
        self.connect().ping()


if __name__ == "__main__":
    unittest.main()
