# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes beyond the command itself."""
import signal
import struct
import time

from guest import *

ESCAPES = 'for i in 1 2 3; do (trap "" TERM HUP INT; setsid sh -c "sleep 999 & sleep 999" & ) ; done; (trap "" TERM; sleep 999) & echo up; wait'


class Trees(Guest):
    def populated(self):
        return "populated 1" in (self.cgroup / "cgroup.events").read_text() and [
            child.name for child in self.cgroup.glob("x*") if "populated 1" in (child / "cgroup.events").read_text()
        ]

    def test_the_whole_tree_is_killed(self):
        command = self.host.exec("/bin/sh", "-c", ESCAPES)
        command.expect("up")
        poll(lambda: self.host.stats()[0] >= 8)
        command.signal(1, 2)
        self.assertEqual(command.finish(5).exit.signal, signal.SIGKILL)
        poll(lambda: self.host.stats()[0] == 0, what="every process is dead")
        poll(lambda: not list(self.cgroup.glob("x*")), what="its cgroup is removed")

    def test_a_tree_with_a_stalled_reader_is_killed(self):
        command = self.host.exec("/usr/bin/yes", credit=0).started()
        command.signal(9, 2)
        poll(lambda: self.host.stats()[0] == 0)

    def test_descendants_that_outlived_the_command_are_killed_with_the_tree(self):
        command = self.host.exec("/bin/sh", "-c", "setsid sleep 999 >/dev/null 2>&1 & echo").finish()
        self.assertEqual(self.host.stats()[0], 1)
        command.signal(9, 2)
        poll(lambda: self.host.stats()[0] == 0)

    def test_a_signal_reaches_the_process_or_the_group(self):
        script = 'trap "echo got; exit 3" USR1; sleep 999 & echo up; wait; echo no'
        for target in (0, 1):
            command = self.host.exec("/bin/sh", "-c", script)
            command.expect("up")
            command.signal(signal.SIGUSR1, target)
            self.assertEqual(command.finish().exit.code, 3)
            command.signal(9, 2)
            command.release()
        poll(lambda: self.host.stats()[0] == 0)

    def test_a_signal_right_after_the_start_counts(self):
        for target in (0, 1, 2):
            for _ in range(20):
                command = self.host.exec("/bin/sleep", "999")
                command.signal(9, target)
                self.assertEqual(command.finish().exit.signal, 9)

    def test_a_signal_after_the_exit_hits_nobody(self):
        command = self.host.exec("/bin/true").finish()
        for target in (0, 1, 2):
            command.signal(9, target)
        self.host.ping()

    def test_a_grandchild_that_keeps_the_pipe_delays_only_by_the_grace(self):
        began = time.monotonic()
        command = self.host.exec("/bin/sh", "-c", "sleep 300 & echo done").finish(5)
        self.assertLess(time.monotonic() - began, 0.9)
        self.assertEqual((command.out, command.exit.code), (b"done\n", 0))
        self.assertEqual(self.host.stats()[0], 1)

    def test_output_of_descendants_within_the_grace_is_kept(self):
        script = "(for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo $i; done; sleep 300) & echo first"
        command = self.host.exec("/bin/sh", "-c", script).finish(10)
        self.assertEqual(command.out.split(), [b"first"] + [b"%d" % i for i in range(1, 9)])

    def test_later_output_is_dropped_without_hurting_the_daemon(self):
        marker = self.directory / "marker"
        script = f"(sleep 0.6; head -c 2000000 /dev/zero; echo ok > {marker}) & echo first"
        command = self.host.exec("/bin/sh", "-c", script).finish(10)
        self.assertEqual(command.exit.out_end, 6)
        poll(marker.exists, what="the daemon could write")
        command.release()
        poll(lambda: self.host.stats()[0] == 0)

    def test_a_released_daemon_goes_on_and_its_cgroup_goes_at_its_end(self):
        command = self.host.exec("/bin/sh", "-c", "sleep 3 & echo", id_="daemon").finish()
        command.release()
        self.assertEqual(self.host.stats()[:2], (1, 0))
        self.assertEqual(self.host.run("/bin/true", id_="daemon").exit.code, 0)
        self.assertEqual(len(list(self.cgroup.glob("x*"))), 1)
        poll(lambda: not list(self.cgroup.glob("x*")))

    def test_zombies_are_reaped_at_once(self):
        self.host.run("/bin/sh", "-c", "for i in $(seq 200); do (setsid sleep 0 &) ; done")
        poll(lambda: not self.children(), 5, "no zombie is left")

    def test_two_thousand_quick_ones_with_a_child_each(self):
        pending, done = [], 0
        while done < 2000:
            while len(pending) < 64 and done + len(pending) < 2000:
                pending.append(self.host.exec("/usr/bin/busybox", "sh", "-c", "sleep 0.01 & true"))
            command = pending.pop(0).finish()
            self.assertEqual(command.exit.code, 0)
            self.host.send(RELEASE, 0, text(command.id))
            done += 1
        for _ in range(2000):
            self.host.receive(0).check()
        poll(lambda: not self.children(), what="nothing is left of them")
        poll(lambda: not list(self.cgroup.glob("x*")))
        self.assertEqual(self.host.stats()[1], 0)

    def test_a_thousand_sleepers(self):
        before = self.rss_kib()
        commands = [self.host.exec("/usr/bin/busybox", "sleep", "86400") for _ in range(1000)]
        for command in commands:
            command.started()
        self.assertEqual(self.host.stats()[:2], (1000, 1000))
        self.assertEqual(self.host.run("/bin/echo", "alive").out, b"alive\n")
        self.assertLess(self.rss_kib() - before, 2000)
        for command in commands:
            command.signal(9, 2)
        for command in commands:
            command.finish()
        poll(lambda: not self.children())

    def test_released_while_running_is_forgotten_at_its_end(self):
        command = self.host.exec("/bin/sh", "-c", "sleep 0.3; echo late", id_="r").started()
        command.release()
        self.assertFails(3, 0, lambda: self.host.run("/bin/true", id_="r"))
        self.assertFails(2, 0, lambda: self.host.attach("r").finish())
        self.assertEqual(command.finish().out, b"late\n")
        self.assertEqual(self.host.stats()[1], 0)

    def test_cancelled_and_released_its_output_is_dropped(self):
        marker = self.directory / "marker"
        command = self.host.exec("/bin/sh", "-c", f"head -c 3000000 /dev/zero; echo ok > {marker}", credit=0).started()
        command.cancel()
        command.release()
        poll(marker.exists, what="the command could write")
        poll(lambda: self.host.stats()[:2] == (0, 0))


class WithoutCgroup(Guest):
    with_cgroup = False

    def test_features_do_not_name_cgroups(self):
        self.assertEqual(self.host.features, 2)

    def test_a_session_and_its_escaped_children_are_killed(self):
        script = 'trap "" TERM; setsid sh -c "sleep 999 & sleep 999" & sleep 999 & echo up; wait'
        command = self.host.exec("/bin/sh", "-c", script)
        command.expect("up")
        poll(lambda: len(self.descendants()) >= 5)
        command.signal(9, 2)
        self.assertEqual(command.finish().exit.signal, 9)
        poll(lambda: not self.descendants())

    def descendants(self):
        return self.below(self.agent.pid)

    def test_usage_comes_from_the_process(self):
        exit_ = self.host.run("/bin/sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done").exit
        self.assertGreater(exit_.cpu, 10000)


if __name__ == "__main__":
    unittest.main()
