# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Images that are partly here: what is read of them comes from elsewhere, counted, checked and in time."""

import hashlib
import os
import pathlib
import socket
import struct
import threading
import time
import unittest

from spawner import FORGET, Failure, Node, alive, await_true, busybox, text

BLOCK, CHUNK, COUNTERS, DIGESTS = 4096, 256 << 10, 4096, 8192
MIB = 1 << 20


class Partial:
    """An image of which nothing is here at first."""

    def __init__(self, node, image, timeout_ms=20000, remote=""):
        data = (node.layers / pathlib.Path(image).name).read_bytes()
        self.node, self.data, self.size = node, data, len(data)
        self.name = "sha256-" + hashlib.sha256(data).hexdigest()
        self.remote = node.directory / (self.name + ".remote")
        self.remote.write_bytes(data)
        self.image, self.map = (node.state / "parts" / (self.name + suffix) for suffix in (".image", ".map"))
        with open(self.image, "wb") as file:
            file.truncate(self.size)
        chunks = [data[at : at + CHUNK] for at in range(0, self.size, CHUNK)]
        digests = b"".join(hashlib.sha256(chunk).digest() for chunk in chunks)
        blocks = bytes((self.size + BLOCK - 1) // BLOCK)
        head = b"SGPARTS1" + struct.pack("<QIIQQ", self.size, CHUNK, timeout_ms, DIGESTS, DIGESTS + len(digests))
        head += (remote or str(self.remote)).encode()
        self.asked = remote.removeprefix("ask:")
        self.map.write_bytes(head.ljust(DIGESTS, b"\0") + digests + blocks)
        self.path = "parts/" + self.name

    def counters(self):
        with open(self.map, "rb") as file:
            file.seek(COUNTERS)
            names = ("reads", "bytes", "failures", "damaged")
            return dict(zip(names, struct.unpack("<4Q", file.read(32)))) | {
                "sizes": list(struct.unpack("<8Q", file.read(64)))
            }

    def here(self):
        return self.image.stat().st_blocks * 512


class Answering:
    """Answers for an image at its socket, as the node does."""

    def __init__(self, image):
        self.image, self.server, self.bytes, self.wrong, self.hang = image, None, 0, False, False

    def start(self):
        server = socket.socket(socket.AF_UNIX)
        server.bind(self.image.asked)
        server.listen(32)
        self.server = server
        threading.Thread(target=self.accept, args=(server,), daemon=True).start()

    def accept(self, server):
        while True:
            try:
                asker, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(asker,), daemon=True).start()

    def answer(self, asker):
        with asker:
            name, start, length, _ = struct.unpack("<72sQII", asker.recv(88, socket.MSG_WAITALL))
            if self.hang:
                asker.recv(1)  # until the asker gives up
                return
            content = self.image.data[start : start + length] if name.decode().rstrip("\0") == self.image.name else b""
            self.bytes += len(content)
            asker.sendall(struct.pack("<I", 0) + (bytes(length) if self.wrong else content))

    def close(self):
        if self.server is not None:
            self.server.shutdown(socket.SHUT_RDWR)
            self.server.close()
            os.unlink(self.image.asked)
            self.server = None


def tree(seed):
    """A root with files of many sizes, none like another."""

    def fill(directory):
        busybox(directory)
        (directory / "data").mkdir()
        for number in range(12):
            block = hashlib.sha256(f"{seed}{number}".encode()).digest() * 128
            (directory / "data" / str(number)).write_bytes(block * 512)

    return fill


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def activate(self, name, layers):
        pid = self.client.create(name)
        self.addCleanup(self.client.destroy, name)
        self.client.activate(name, pid, layers)

    def partial(self, seed, **options):
        return Partial(self.node, self.node.image(seed + ".erofs", tree(seed)), **options)

    def test_reads_what_is_asked_for_and_keeps_it(self):
        image = self.partial("kept")
        self.activate("kept", [image.path])
        self.assertEqual(self.node.shell("kept", "cat /proc/self/comm").output, "cat\n")
        self.assertLess(image.here(), 6 * MIB)
        before = image.counters()["bytes"]
        wanted = hashlib.sha256(hashlib.sha256(b"kept7").digest() * 128 * 512).hexdigest()
        self.assertEqual(self.node.shell("kept", "sha256sum < /data/7").output.split()[0], wanted)
        read = image.counters()["bytes"] - before
        self.assertTrue(2 * MIB - CHUNK <= read <= 2 * MIB + 2 * CHUNK, read)
        self.assertEqual(sum(image.counters()["sizes"][:3]), 0, "only whole chunks but the last are read")
        self.assertTrue(2 * MIB <= image.here() < image.size // 2)
        # What was read stays, whatever the kernel forgets of it.
        before = image.counters()
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("1")
        self.assertEqual(self.node.shell("kept", "sha256sum < /data/7").output.split()[0], wanted)
        self.assertEqual(image.counters(), before)
        self.assertEqual(image.remote.read_bytes(), image.data)

    def test_many_readers_of_one_chunk_bring_it_once(self):
        image = self.partial("many")
        for number in range(4):
            self.activate(f"many{number}", [image.path])
        script = "for i in 1 2 3 4 5 6 7 8; do sha256sum < /data/3 & done; wait"
        for number in range(4):
            self.node.shell(f"many{number}", script)
        self.assertLessEqual(image.counters()["bytes"], 6 * MIB)

    def test_damage_is_an_error_of_the_reader_and_of_nobody_else(self):
        image = self.partial("damaged")
        at = image.data.index(hashlib.sha256(b"damaged5").digest())
        with open(image.remote, "r+b") as file:
            file.seek(at + MIB)
            file.write(b"x")
        self.activate("damaged", [image.path])
        self.assertEqual(self.node.shell("damaged", "sha256sum /data/5").code, 1)
        self.assertEqual(self.node.shell("damaged", "sha256sum /data/6 /data/4").code, 0)
        self.assertGreater(image.counters()["damaged"], 0)

    def test_medium_that_goes_away_is_an_error_and_one_that_comes_back_is_none(self):
        image = self.partial("gone")
        self.activate("gone", [image.path])
        self.node.shell("gone", "true")
        away = image.remote.with_suffix(".away")
        image.remote.rename(away)
        self.assertEqual(self.node.shell("gone", "sha256sum /data/9").code, 1)
        self.assertGreater(image.counters()["failures"], 0)
        other = self.partial("never")
        other.remote.unlink()
        pid = self.client.create("never")
        self.addCleanup(self.client.destroy, "never")
        with self.assertRaises(Failure) as caught:
            self.client.activate("never", pid, [other.path])
        self.assertIn("mount the layer parts/", caught.exception.text)
        away.rename(image.remote)
        self.assertEqual(self.node.shell("gone", "sha256sum /data/9").code, 0)

    def test_medium_that_hangs_is_an_error_in_time(self):
        image = self.partial("hangs", timeout_ms=1000)
        self.activate("hangs", [image.path])
        self.node.shell("hangs", "true")
        hung = self.partial("hung", timeout_ms=700)
        hung.remote.unlink()
        os.mkfifo(hung.remote)  # its opening waits for a writer that never comes
        pid = self.client.create("hung")
        self.addCleanup(self.client.destroy, "hung")
        begun = time.monotonic()
        with self.assertRaises(Failure):
            self.client.activate("hung", pid, [hung.path])
        self.assertLess(time.monotonic() - begun, 5)
        self.assertGreater(hung.counters()["failures"], 0)
        self.assertEqual(self.node.shell("hangs", "sha256sum /data/2").code, 0)

    def asked(self, seed, **options):
        """An image that is asked for at a socket, and what answers there once it is started."""
        image = self.partial(seed, remote="ask:" + str(self.node.directory / (seed + ".asked")), **options)
        answering = Answering(image)
        self.addCleanup(answering.close)
        return image, answering

    def test_what_is_asked_for_is_checked_kept_and_counted_as_what_is_read(self):
        image, answering = self.asked("asked")
        answering.start()
        self.activate("asked", [image.path])
        wanted = hashlib.sha256(hashlib.sha256(b"asked7").digest() * 128 * 512).hexdigest()
        for _ in range(2):
            self.assertEqual(self.node.shell("asked", "sha256sum < /data/7").output.split()[0], wanted)
        read = image.counters()["bytes"]
        self.assertEqual(read, answering.bytes)
        self.assertTrue(2 * MIB - CHUNK <= read < image.size // 2, read)
        answering.wrong = True
        self.assertEqual(self.node.shell("asked", "sha256sum < /data/3").code, 1)
        self.assertGreater(image.counters()["damaged"], 0)

    def test_node_that_starts_anew_is_waited_for_and_one_that_hangs_is_not(self):
        image, answering = self.asked("anew", timeout_ms=3000)
        answering.start()
        self.activate("anew", [image.path])
        self.node.shell("anew", "true")
        answering.close()
        threading.Timer(1, answering.start).start()
        self.assertEqual(self.node.shell("anew", "sha256sum < /data/7").code, 0)
        answering.hang = True
        begun = time.monotonic()
        self.assertEqual(self.node.shell("anew", "sha256sum < /data/2").code, 1)
        self.assertLess(time.monotonic() - begun, 2 * 3)
        answering.close()
        self.assertEqual(self.node.shell("anew", "sha256sum < /data/9").code, 1)
        self.assertEqual(self.node.shell("anew", "sha256sum < /data/7").code, 0)

    def test_map_that_is_none_is_refused(self):
        image = self.partial("broken")
        for length, at, value in ((100, 0, b""), (None, 0, b"NOTPARTS"), (None, 8, b"\xff" * 8), (None, 24, b"\xff" * 8)):
            data = bytearray(image.map.read_bytes())
            data[at : at + len(value)] = value
            broken = self.partial("broken")
            broken.map.write_bytes(data[:length])
            pid = self.client.create("broken")
            with self.assertRaises(Failure):
                self.client.activate("broken", pid, [broken.path])
            self.client.destroy("broken")
        for name in ("../layers/x", "sha256-" + "0" * 64, "x", "sha256-" + "g" * 64):
            pid = self.client.create("broken")
            with self.assertRaises(Failure):
                self.client.activate("broken", pid, ["parts/" + name])
            self.client.destroy("broken")

    def test_sandbox_outlives_the_spawner_and_the_server_does_not_outlive_the_sandbox(self):
        node = Node()
        self.addCleanup(node.close)
        image = Partial(node, node.image("outlives.erofs", tree("outlives")))
        node.client.activate("outlives", node.client.create("outlives"), [image.path])
        servers = set(serving(node))
        self.assertEqual(len(servers), 1)
        node.kill_spawner()
        node.start()
        self.assertEqual(node.shell("outlives", "sha256sum /data/4").code, 0)
        self.assertTrue(all(alive(pid) for pid in servers))
        node.client.destroy("outlives")
        await_true(lambda: not any(alive(pid) for pid in servers), "the first server is gone")
        self.assertEqual(len(set(serving(node))), 1)

    def test_forgotten_image_lets_go_of_its_files(self):
        image = self.partial("forgotten")
        self.activate("forgotten", [image.path])
        self.client.destroy("forgotten")
        self.client.call(FORGET, text(image.path))
        await_true(lambda: not holders(image), "nobody has it open")


def named(name):
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "comm").read_text().strip() == name:
                yield entry
        except (FileNotFoundError, ProcessLookupError):
            continue


def serving(node):
    return [int(entry.name) for entry in named("sandgate-parts") if str(node.run) in (entry / "cmdline").read_text()]


def holders(image):
    return [entry for entry in named("sandgate-parts") if str(image.image) in (entry / "maps").read_text() + links(entry)]


def links(entry):
    return " ".join(os.readlink(fd) for fd in (entry / "fd").iterdir() if fd.is_symlink())


if __name__ == "__main__":
    unittest.main()
