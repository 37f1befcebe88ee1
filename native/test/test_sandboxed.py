# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""The guest as PID 1 of a real sandbox, made by the real spawner."""
import pathlib
import struct
import sys

from guest import *

sys.path.insert(0, str(NATIVE / "spawner" / "test"))
import spawner  # noqa: E402

BOUNDED = "00000000000004fb"  # chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service


def root(tree):
    spawner.busybox(tree)
    tree = pathlib.Path(tree)
    (tree / "etc").mkdir(exist_ok=True)
    (tree / "etc" / "passwd").write_text("root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n")
    (tree / "etc" / "group").write_text("root:x:0:\nuser:x:1000:\nextra:x:1001:other,user\nnot:x:1002:users\n")
    (tree / "home" / "user").mkdir(parents=True)
    (tree / "root").mkdir(exist_ok=True)


class Sandboxed(unittest.TestCase):
    assertFails = Guest.assertFails

    def setUp(self):
        self.node = spawner.Node(AGENT)
        self.addCleanup(self.node.close)
        self.pid = self.node.client.create("guest", pids=200)
        self.node.client.activate("guest", self.pid, [self.node.image("root.erofs", root)])
        self.host = Host(self.node.run / "a" / "guest.sock")
        self.addCleanup(self.host.close)
        self.host.setup(user="user", env=["LANG=C"])
        self.assertEqual(self.shell("chown 1000:1000 /home/user", user="root", cwd="/").exit.code, 0)

    def shell(self, script, **options):
        return self.host.run("/bin/sh", "-c", script, **options)

    def test_features_are_all_there(self):
        self.assertEqual(self.host.features, 3)

    def test_ids_groups_and_capabilities(self):
        script = "id -u; id -g; id -G; pwd; grep -E 'Cap(Prm|Eff|Amb)' /proc/self/status | cut -f2 | sort -u"
        self.assertEqual(self.shell(script, cwd="").out.split(), [b"1000", b"1000", b"1000", b"1001", b"/home/user", b"0" * 16])
        lines = self.shell("grep -E 'Cap(Prm|Eff|Bnd)' /proc/self/status | cut -f2 | sort -u", user="root").out
        self.assertEqual(lines.decode().split(), [BOUNDED])
        self.assertFails(7, 0, lambda: self.shell("true", user="100000"))

    def test_a_terminal(self):
        command = self.host.exec("/bin/sh", "-c", "tty; stty size; ls -ln $(tty) | cut -c1-10; read x; echo got $x", size=(99, 33))
        command.input(b"it\n")
        lines = command.finish().out.decode().split("\r\n")
        self.assertEqual([line for line in lines if line != "it"], ["/dev/pts/0", "33 99", "crw-------", "got it", ""])

    def test_the_tree_is_killed(self):
        command = self.host.exec("/bin/sh", "-c", "for i in 1 2 3; do (trap '' TERM; setsid sleep 999 &) ; done; echo up; wait; sleep 999")
        command.expect("up")
        poll(lambda: self.host.stats()[0] == 4)
        command.signal(9, 2)
        self.assertEqual(command.finish().exit.signal, 9)
        poll(lambda: self.host.stats()[0] == 0)

    def test_nobody_inside_can_kill_or_inspect_the_guest(self):
        for user in ("user", "root"):
            self.shell("kill -9 1; kill -STOP 1; kill -TERM 1; kill -INT 1; kill -HUP 1; true", user=user)
            self.host.ping()
            leaks = self.shell("cat /proc/1/environ /proc/1/maps /proc/1/mem; ls /proc/1/fd; ls /proc/1/cwd/", user=user).out
            self.assertEqual(leaks, b"")

    def test_a_user_who_stops_everything_does_not_stop_the_guest(self):
        attack = self.host.exec("/bin/sh", "-c", "while :; do for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = $$ ] || kill -STOP $p; done; done 2>/dev/null")
        attack.started()
        commands = [self.host.exec("/bin/true") for _ in range(50)]
        for _ in range(20):
            self.host.ping()
        for command in commands:
            command.signal(9, 2)
        attack.signal(9, 2)
        for command in [*commands, attack]:
            command.finish()
        self.assertEqual(self.shell("echo fine").out, b"fine\n")

    def test_files_are_the_user_s(self):
        channel = self.host.open()
        self.host.send(WRITE, channel, text("") + text("/home/user/a/f") + struct.pack(">IBQ", 0o640, 0, 0), 1)
        self.assertEqual(self.host.receive(channel).check().kind, STARTED)
        self.host.send(INPUT, channel, bytes(8) + b"content", 1)
        while (got := self.host.receive(channel).check()).kind != DONE:
            self.assertEqual(got.kind, WINDOW)
        self.assertEqual(self.shell("cat a/f; stat -c '%U %G %a' a/f", cwd="").out, b"contentuser user 640\n")
        channel = self.host.open()
        self.host.send(MKDIR, channel, text("") + text("/etc/x") + struct.pack(">I", 0o755))
        self.assertFails(4, 13, lambda: self.host.receive(channel).check())

    def test_an_id_out_of_range_is_no_user(self):
        for user in ("65536", "4294967294"):
            self.assertIn(user, self.assertFails(7, 0, lambda: self.shell("true", user=user)))
            channel = self.host.open()
            self.host.send(MKDIR, channel, text(user) + text("/tmp/x") + struct.pack(">I", 0o755))
            self.assertFails(7, 0, lambda: self.host.receive(channel).check())

    def test_a_directory_of_a_layer_moves(self):
        channel = self.host.open()
        self.host.send(MOVE, channel, text("root") + text("/home/user") + text("/home/moved"))
        self.assertEqual(self.host.receive(channel).check().kind, OK)
        self.assertEqual(self.shell("ls /home; stat -c %u /home/moved", cwd="/").out.split(), [b"moved", b"1000"])

    def test_a_port_on_the_loopback(self):
        server = self.host.exec("/bin/sh", "-c", "echo hello | nc -l -p 7000").started()

        def dial():
            channel = self.host.open()
            self.host.send(CONNECT, channel, struct.pack(">H", 7000))
            self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, MAX))
            return channel if self.host.receive(channel).kind == STARTED else None

        channel = poll(dial)
        self.host.send(INPUT, channel, bytes(8) + b"bye\n", 1)
        data = b""
        while (got := self.host.receive(channel).check()).kind != OK:
            data += got.payload[9:] if got.kind == OUTPUT else b""
        self.assertEqual(data, b"hello\n")
        self.assertEqual(server.finish().out, b"bye\n")

    def test_damage_inside_gives_typed_errors(self):
        self.shell("rm -rf /bin /etc /usr", user="root")
        self.assertEqual(self.assertFails(4, 2, lambda: self.host.run("/bin/sh", user="root")), "exec /bin/sh: No such file or directory")
        self.assertFails(7, 0, lambda: self.host.run("/bin/sh", user="user"))
        channel = self.host.open()
        self.host.send(LIST, channel, text("root") + text("/") + b"\x01")
        self.host.send(WINDOW, channel, struct.pack(">BQQ", 1, 0, MAX))
        self.assertEqual(self.host.receive(channel).check().kind, ENTRY)

    def test_an_idle_guest_is_small(self):
        self.shell("head -c 3000000 /dev/zero")

        def private():
            lines = pathlib.Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))

        poll(lambda: private() < 160, 10, "its own memory is below 160 KiB")


if __name__ == "__main__":
    unittest.main()
