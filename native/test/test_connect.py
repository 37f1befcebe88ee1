# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Connections to a port of the loopback."""
import errno
import os
import struct
import threading

from guest import *


class Connections(Guest):
    def listen(self, family=socket.AF_INET):
        listener = socket.socket(family)
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1" if family == socket.AF_INET else "::1", 0))
        listener.listen()
        return listener, listener.getsockname()[1]

    def dial(self, port, credit=MAX):
        channel = self.host.open()
        self.host.send(CONNECT, channel, struct.pack(">H", port))
        if credit:
            self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, credit))
        return channel

    def opened(self, port, **options):
        channel = self.dial(port, **options)
        self.assertEqual(self.host.receive(channel).check().kind, STARTED)
        self.assertEqual(self.host.receive(channel).check().kind, WINDOW)
        return channel

    def output(self, channel):
        """Bytes until the peer's end, then the frame after it."""
        data = bytearray()
        while True:
            got = self.host.receive(channel).check()
            if got.kind == WINDOW:
                continue
            self.assertEqual((got.kind, got.fields("BQ")), (OUTPUT, (1, len(data))))
            data += got.payload[9:]
            if got.flags & 1:
                return bytes(data)

    def ending(self, channel):
        while True:
            got = self.host.receive(channel).check()
            if got.kind != WINDOW:
                return got.kind

    def send(self, channel, offset, data=b"", end=0):
        self.host.send(INPUT, channel, struct.pack(">Q", offset) + data, end)

    def test_bytes_go_both_ways_and_ends_are_told(self):
        for family in (socket.AF_INET, socket.AF_INET6):
            listener, port = self.listen(family)
            channel = self.opened(port)
            peer, _ = listener.accept()
            self.send(channel, 0, b"request", 1)
            self.assertEqual(peer.recv(100) + peer.recv(100), b"request")
            peer.sendall(b"answer")
            peer.close()
            self.assertEqual(self.output(channel), b"answer")
            self.assertEqual(self.ending(channel), OK)

    def test_the_peer_may_end_first(self):
        listener, port = self.listen()
        channel = self.opened(port)
        peer, _ = listener.accept()
        peer.sendall(b"all")
        peer.shutdown(socket.SHUT_WR)
        self.assertEqual(self.output(channel), b"all")
        self.send(channel, 0, b"thanks", 1)
        data = peer.recv(100)
        while len(data) < 6:
            data += peer.recv(100)
        self.assertEqual((data, peer.recv(1)), (b"thanks", b""))
        self.assertEqual(self.ending(channel), OK)
        peer.close()

    def test_nobody_listens(self):
        listener, port = self.listen()
        listener.close()
        self.assertFails(4, errno.ECONNREFUSED, lambda: self.host.receive(self.dial(port)).check())

    def test_a_reset_is_a_failure(self):
        listener, port = self.listen()
        channel = self.opened(port)
        peer, _ = listener.accept()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        self.assertFails(4, errno.ECONNRESET, lambda: self.output(channel))

    def test_the_window_holds_the_peer_back(self):
        listener, port = self.listen()
        channel = self.opened(port, credit=0)
        peer, _ = listener.accept()
        peer.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            while True:
                peer.send(bytes(65536))
        self.assertLess(self.rss_kib(), 2000)
        self.host.ping()
        self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, 10))
        self.assertEqual(len(self.host.receive(channel).payload), 9 + 10)
        peer.close()

    def test_16_mib_through_an_echo(self):
        listener, port = self.listen()
        data = os.urandom(16 << 20)

        def echo():
            peer, _ = listener.accept()
            while block := peer.recv(1 << 16):
                peer.sendall(block)
            peer.close()

        thread = threading.Thread(target=echo)
        thread.start()
        channel, sent, limit, got = self.dial(port), 0, 0, bytearray()
        while True:
            while sent < min(limit, len(data)):
                part = data[sent : min(sent + 65536, limit)]
                self.send(channel, sent, part, int(sent + len(part) == len(data)))
                sent += len(part)
            frame_ = self.host.receive(channel).check()
            if frame_.kind == WINDOW:
                limit = frame_.fields("BQQ")[2]
            elif frame_.kind == OUTPUT:
                got += frame_.payload[9:]
            elif frame_.kind == OK:
                break
        thread.join()
        self.assertEqual(bytes(got), data)

    def test_cancel_closes(self):
        listener, port = self.listen()
        channel = self.opened(port)
        peer, _ = listener.accept()
        self.host.send(CANCEL, channel)
        self.assertEqual(peer.recv(1), b"")
        peer.close()
        self.host.ping()

    def test_the_connection_s_end_closes_them(self):
        listener, port = self.listen()
        self.opened(port)
        peer, _ = listener.accept()
        self.host.close()
        self.assertEqual(peer.recv(1), b"")
        peer.close()

    def test_a_signal_to_a_connection_closes_the_host_s(self):
        _, port = self.listen()
        channel = self.opened(port)
        self.host.send(SIGNAL, channel, b"\x09\x00")
        with self.assertRaises(Closed):
            self.host.receive(channel)

    def test_at_most_1024(self):
        listener, port = self.listen()
        listener.listen(2000)
        channels = [self.dial(port) for _ in range(1024)]
        for channel in channels:
            self.host.receive(channel).check()
        self.assertFails(5, 0, lambda: self.host.receive(self.dial(port)).check())
        self.host.send(CANCEL, channels[0])
        self.opened(port)


if __name__ == "__main__":
    unittest.main()
