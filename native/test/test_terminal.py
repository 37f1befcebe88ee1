# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands on a terminal."""
import signal

from guest import *


class Terminals(Guest):
    def shell(self, script, size=(80, 24), **options):
        return self.host.exec("/bin/sh", "-c", script, size=size, **options)

    def test_it_is_the_controlling_terminal_of_the_given_size(self):
        command = self.shell("tty; stty size; echo $TERM; : > /dev/tty && echo ok; exit 4", size=(132, 43)).finish()
        lines = command.out.decode().split("\r\n")
        self.assertRegex(lines[0], r"^/dev/pts/\d+$")
        self.assertEqual(lines[1:4], ["43 132", "xterm-256color", "ok"])
        self.assertEqual((command.exit.code, command.err), (4, b""))

    def test_its_owner_is_the_user(self):
        command = self.shell("stat -c '%U %a' $(tty); echo x > $(tty)", user="daemon").finish()
        self.assertEqual(command.out, b"daemon 600\r\nx\r\n")

    def test_resize_is_seen_and_signalled(self):
        command = self.shell('trap "stty size; exit" WINCH; echo up; while :; do sleep 0.05; done')
        command.expect("up")
        command.resize(200, 50)
        self.assertIn(b"50 200", command.finish().out)

    def test_ctrl_c_stops_the_foreground(self):
        command = self.host.exec("/bin/sleep", "999", size=(80, 24), stdin=True).started()
        command.input(b"\x03")
        self.assertEqual(command.finish().exit.signal, signal.SIGINT)
        self.assertEqual(command.out, b"^C")

    def test_ctrl_c_in_a_flood_brings_the_prompt_back(self):
        command = self.host.exec("/bin/bash", "--norc", "-i", size=(80, 24), env=["PS1=prompt> "])
        command.expect("prompt> ")
        command.input(b"yes\n")
        command.until(lambda: len(command.output[1]) > 1_000_000)
        command.input(b"\x03")
        mark = len(command.output[1])
        command.until(lambda: b"prompt> " in command.output[1][mark:])
        command.input(b"exit 9\n")
        self.assertEqual(command.finish().exit.code, 9)

    def test_the_foreground_group_gets_signals(self):
        command = self.host.exec("/bin/bash", "--norc", "-i", size=(80, 24), env=["PS1=prompt> "])
        command.expect("prompt> ")
        # One process that waits by itself: a shell that waits for a child forgets an interrupt its child outlived. A
        # signal that comes between its look for signals and its read would wait for a line, so it gets one.
        command.input(b"(trap 'echo usr''one' USR1; echo re''ady; while :; do read -r line; done)\n")
        command.expect("ready")
        command.signal(signal.SIGUSR1, 1)
        command.input(b"\n")
        command.expect("usrone")
        command.signal(signal.SIGINT, 1)
        command.until(lambda: command.output[1].count(b"prompt> ") >= 2)
        command.input(b"exit\n")
        command.finish()

    def test_the_end_of_input_is_typed(self):
        command = self.shell("cat; echo rest; cat; echo end").started()
        command.input(b"one\n", end=True)
        command.expect("rest")
        command.input(b"two\n", end=True)
        self.assertIn(b"two\r\ntwo\r\nend", command.finish().out)

    def test_input_is_taken_without_the_stdin_flag(self):
        command = self.shell("read x; echo got $x").started()
        command.input(b"it\n")
        self.assertIn(b"got it", command.finish().out)

    def test_a_lot_of_output_arrives(self):
        command = self.shell("seq 1 200000").finish()
        self.assertEqual(command.out, b"".join(b"%d\r\n" % i for i in range(1, 200001)))

    def test_a_daemon_on_the_terminal_delays_only_by_the_grace(self):
        command = self.shell("trap '' HUP; sleep 300 & echo done").finish(5)
        self.assertIn(b"done", command.out)
        command.signal(9, 2)
        poll(lambda: self.host.stats()[0] == 0)

    def test_it_can_be_closed_and_opened_again(self):
        command = self.shell("t=$(tty); exec <&- >&- 2>&-; sleep 0.3; echo again > $t; exit 2").finish()
        self.assertEqual((command.out, command.exit.code), (b"again\r\n", 2))

    def test_fifty_at_once(self):
        commands = [self.shell(f"read x; echo {i}-$x") for i in range(50)]
        for i, command in enumerate(commands):
            command.input(b"%d\n" % i)
        for i, command in enumerate(commands):
            self.assertIn(b"%d-%d\r\n" % (i, i), command.finish().out)


if __name__ == "__main__":
    unittest.main()
