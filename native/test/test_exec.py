# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""How a command starts and how it ends."""
import os
import signal
import struct

from guest import *


class Starting(Guest):
    def shell(self, script, **options):
        return self.host.run("/bin/sh", "-c", script, **options)

    def test_exit_codes_arrive(self):
        for code in (0, 1, 7, 126, 255):
            exit_ = self.shell(f"exit {code}").exit
            self.assertEqual((exit_.code, exit_.signal), (code, 0))

    def test_signals_arrive(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE):
            exit_ = self.shell(f"kill -{int(number)} $$").exit
            self.assertEqual((exit_.code, exit_.signal), (-1, number))

    def test_forged_frames_on_stdout_are_bytes(self):
        result = self.shell(r'printf "\0\0\0\055\050\0\0\0\0\0\0\001"; exit 7')
        self.assertEqual((result.out, result.exit.code), (frame(EXIT, 1, bytes(45))[:12], 7))

    def test_argv_is_passed_as_it_is(self):
        odd = bytes(set(range(1, 256))) + "é\n'\"$(id)".encode()
        result = self.host.run("/usr/bin/printf", "%s|", odd, "", "-n", "a b")
        self.assertEqual(result.out, odd + b"||-n|a b|")

    def test_a_program_is_searched_in_the_path_of_its_environment(self):
        tool = self.directory / "tool"
        tool.write_text("#!/bin/sh\necho found\n")
        tool.chmod(0o755)
        self.assertEqual(self.host.run("tool", env=[f"PATH=/nowhere:{self.directory}"]).out, b"found\n")
        self.assertFails(4, 2, lambda: self.host.run("tool"))

    def test_an_entry_that_may_not_be_executed_does_not_end_the_search(self):
        (self.directory / "true").write_text("")
        self.assertEqual(self.host.run("true", env=[f"PATH={self.directory}:/bin"]).exit.code, 0)
        self.assertFails(4, 13, lambda: self.host.run("true", env=[f"PATH={self.directory}"]))

    def test_a_step_that_fails_names_itself_and_starts_nothing(self):
        script = self.directory / "no-interpreter-line"
        script.write_text("echo never")
        script.chmod(0o755)
        run = self.host.run
        self.assertIn("exec /nope", self.assertFails(4, 2, lambda: run("/nope")))
        self.assertIn("exec", self.assertFails(4, 13, lambda: run("/etc/passwd")))
        self.assertIn("exec", self.assertFails(4, 8, lambda: run(script.as_posix())))
        self.assertIn("exec", self.assertFails(4, 2, lambda: run("")))
        self.assertIn("cwd /nope", self.assertFails(4, 2, lambda: run("/bin/true", cwd="/nope")))
        self.assertIn("cwd", self.assertFails(4, 20, lambda: run("/bin/true", cwd="/etc/passwd")))
        self.assertIn("nobody-here", self.assertFails(7, 0, lambda: run("/bin/true", user="nobody-here")))
        poll(lambda: self.host.stats()[:2] == (0, 0), what="nothing is left running")
        poll(lambda: not list(self.cgroup.glob("x*")), what="no cgroup is left")

    def test_a_bad_request_is_told(self):
        run = self.host.run
        self.assertIn("argv", self.assertFails(1, 0, lambda: run()))
        self.assertIn("cwd", self.assertFails(1, 0, lambda: run("/bin/true", cwd="../..")))
        self.assertIn("env", self.assertFails(1, 0, lambda: run("/bin/true", env=["=x"])))
        self.assertIn("id", self.assertFails(1, 0, lambda: run("/bin/true", id_="x" * 65)))
        self.assertIn("argv", self.assertFails(4, 7, lambda: run("/bin/true", "x" * 40000, "y" * 21500)))
        self.assertIn("limit", self.assertFails(4, 1, lambda: run("/bin/true", files=4000000000)))

    def test_an_id_is_taken_until_it_is_released(self):
        first = self.host.exec("/bin/true", id_="same").finish()
        self.assertFails(3, 0, lambda: self.host.run("/bin/true", id_="same"))
        first.release()
        self.assertEqual(self.host.run("/bin/true", id_="same").exit.code, 0)

    def test_large_arguments_fit(self):
        result = self.host.run("/bin/sh", "-c", 'echo ${#1}', "-", "x" * 60000)
        self.assertEqual(result.out, b"60000\n")

    def test_the_environment_is_merged_and_has_defaults(self):
        self.host.setup(env=["A=setup", "B=setup", "LANG=C"])
        lines = set(self.host.run("/usr/bin/env", env=["B=own", "C=", "B=last"]).out.decode().splitlines())
        for line in ("A=setup", "B=last", "C=", "LANG=C", "USER=root", "HOME=/root"):
            self.assertIn(line, lines)
        self.assertEqual({line.split("=")[0] for line in lines}, {"A", "B", "C", "LANG", "PATH", "HOME", "USER", "SHELL"})
        self.assertIn("HOME=/h", self.host.run("/usr/bin/env", env=["HOME=/h"]).out.decode().splitlines())

    def test_a_user_gets_its_ids_groups_and_no_capabilities(self):
        script = "id -u; id -g; id -G; grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status | cut -f2 | sort -u; umask; pwd"
        lines = self.shell(script, user="daemon", cwd="/tmp").out.decode().split()
        self.assertEqual(lines, ["1", "1", "1", "0000000000000000", "0022", "/tmp"])
        self.assertEqual(self.shell("id -u; id -g; echo $HOME", user="54321").out.split(), [b"54321", b"54321", b"/"])
        self.assertEqual(self.shell("id -u; id -G", user="daemon:tty").out.split(), [b"1", b"5"])
        self.assertFails(7, 0, lambda: self.shell("true", user="daemon:no-such-group"))

    def test_the_default_user_is_the_one_of_set_up(self):
        self.host.setup(user="daemon")
        self.assertEqual(self.shell("id -un").out, b"daemon\n")
        self.assertEqual(self.shell("id -un", user="root").out, b"root\n")

    def test_an_empty_cwd_is_the_home_or_the_root(self):
        self.assertEqual(self.shell("pwd", cwd="").out, b"/root\n")
        self.assertEqual(self.shell("pwd", cwd="", user="nobody").out, b"/\n")

    def test_the_cwd_is_no_way_to_a_descriptor_of_the_guest(self):
        for fd in range(3, 40):
            with self.assertRaises(Fail) as caught:
                self.shell("pwd", cwd=f"/proc/self/fd/{fd}")
            self.assertIn(caught.exception.errno, (2, 40))
        self.assertFails(4, 40, lambda: self.shell("pwd", cwd="/proc/self/root"))

    def test_a_command_has_three_descriptors_a_session_and_default_signals(self):
        script = "ls /proc/self/fd; cut -d' ' -f5,6 /proc/$$/stat; echo $$; grep -E 'Sig(Blk|Ign)' /proc/self/status"
        lines = self.shell(script).out.decode().split("\n")
        self.assertEqual(lines[:4], ["0", "1", "2", "3"])
        self.assertEqual(lines[4], f"{lines[5]} {lines[5]}")
        self.assertEqual([line.split()[1] for line in lines[6:8]], ["0" * 16] * 2)

    def test_the_open_file_limit_is_the_request_s_or_the_set_up_s(self):
        self.host.setup(files=512)
        self.assertEqual(self.shell("ulimit -Sn; ulimit -Hn").out.split(), [b"512", b"512"])
        self.assertEqual(self.shell("ulimit -Sn; ulimit -Hn", files=64).out.split(), [b"64", b"64"])

    def test_usage_is_measured(self):
        exit_ = self.shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done & wait; sleep 0.2").exit
        self.assertGreater(exit_.wall, 200000)
        self.assertGreater(exit_.cpu, 20000)
        self.assertGreater(exit_.peak, 500000)

    def test_cpu_of_children_nobody_waited_for_counts(self):
        busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
        marker = self.directory / "marker"
        waited = self.shell(f"sh -c '{busy}'").exit.cpu
        orphan = self.shell(f"(setsid sh -c '{busy}; echo > {marker}' &) ; while ! [ -e {marker} ]; do sleep 0.1; done")
        self.assertGreater(orphan.exit.cpu, waited / 4)

    def test_storage_of_the_whole_tree_counts(self):
        mib = 1 << 20
        write = f"dd if=/dev/zero bs=1M count=8 conv=fsync of={self.directory}"
        self.assertLess(self.shell("true").exit.written, mib)
        alone = self.host.run("/bin/dd", "if=/dev/zero", "bs=1M", "count=8", "conv=fsync", f"of={self.directory}/alone").exit
        self.assertTrue(8 * mib <= alone.written < 9 * mib, alone.written)
        child = self.shell(f"{write}/child 2>/dev/null; true").exit
        self.assertTrue(8 * mib <= child.written < 9 * mib, child.written)
        orphan = self.shell(f"(setsid sh -c '{write}/orphan; echo > {self.directory}/marker' &) ; while ! [ -e {self.directory}/marker ]; do sleep 0.1; done; sleep 0.2")
        self.assertTrue(8 * mib <= orphan.exit.written < 9 * mib, orphan.exit.written)

    def test_storage_that_is_read_counts_and_memory_does_not(self):
        mib = 1 << 20
        name = self.directory / "cold"
        name.write_bytes(bytes(8 * mib))
        with open(name) as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        cold = self.shell(f"cat {name} > /dev/null").exit
        self.assertTrue(8 * mib <= cold.read < 10 * mib, cold.read)
        warm = self.shell(f"cat {name} > /dev/shm/sandgate-{os.getpid()}; rm /dev/shm/sandgate-{os.getpid()}").exit
        self.assertLess(max(warm.read, warm.written), mib)

    def test_the_guest_cannot_be_traced_and_has_no_environment(self):
        script = f"cat /proc/{self.agent.pid}/environ; ls /proc/{self.agent.pid}/fd; readlink /proc/{self.agent.pid}/exe"
        result = self.shell(script, user="daemon")
        self.assertEqual(result.out, b"")

    def test_two_hundred_at_once(self):
        commands = [self.host.exec("/bin/echo", str(i)) for i in range(200)]
        for i, command in enumerate(commands):
            self.assertEqual(command.finish().out, b"%d\n" % i)


if __name__ == "__main__":
    unittest.main()
