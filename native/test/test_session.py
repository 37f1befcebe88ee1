# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Persistent shells: what one command leaves for the next, and what it cannot break."""
import hashlib
import itertools
import pathlib
import re
import shutil

from guest import *

SHELLS = [name for name in ("dash", "bash", "busybox") if shutil.which(name)]


class Session(Exec):
    """The shell as an exec of its own."""

    def __init__(self, host, id_, shell=None, cwd="/", user="", env=()):
        self.attributes(host, id_)
        payload = text(id_) + text(cwd) + text(user) + struct.pack(">HHI", 0, 0, 0)
        host.send(SESSION_OPEN, self.channel, payload + texts([shell] if shell else []) + texts(list(env)))
        self.window(1, 0, MAX)
        self.window(2, 0, MAX)

    def attributes(self, host, id_, credit=MAX):
        self.host, self.channel, self.id, self.credit = host, host.open(), id_, credit
        self.output, self.sent, self.limit, self.accepted = {1: bytearray(), 2: bytearray()}, 0, 0, 0
        self.start, self.pid, self.exit, self.input_closed = {1: 0, 2: 0}, None, None, None

    numbers = itertools.count()

    def path(self):
        """The session's directory, from the shell's own command line."""
        line = pathlib.Path(f"/proc/{self.pid}/cmdline").read_bytes()
        return pathlib.Path(re.search(rb"/[a-z/]*\.sandgate-[0-9a-f]{16}", line)[0].decode())

    def kill_session(self):
        self.signal(9, 2)

    def command(self, script, stdin=False):
        return Command(self, f"c{next(Session.numbers)}", script, stdin)

    def run(self, script, stdin=None):
        command = self.command(script, stdin is not None)
        if stdin is not None:
            command.started().input(stdin, end=True)
        command.finish()
        command.release()
        return command

    def says(self, script, stdin=None):
        return self.run(script, stdin).out.decode()


class Command(Session):
    def __init__(self, session, id_, script, stdin):
        self.attributes(session.host, id_)
        script = script.encode() if isinstance(script, str) else script
        self.host.send(SESSION_RUN, self.channel, text(session.id) + text(id_) + script, STDIN if stdin else 0)
        self.window(1, 0, MAX)
        self.window(2, 0, MAX)


class Sessions(Guest):
    def open(self, shell=None, **options):
        if shell == "busybox":
            shell = self.directory / "ash"
            if not shell.exists():
                shell.symlink_to(shutil.which("busybox"))
        id_ = f"~s{next(Session.numbers)}"
        return Session(self.host, id_, None if shell is None else str(shell), **options).started()

    def each(self, **options):
        for shell in SHELLS:
            session = self.open(shell, **options)
            yield session
            if not session.exit:
                session.kill_session()
            session.finish()
            session.release()

    def test_what_a_command_changes_is_there_for_the_next(self):
        for s in self.each():
            self.assertEqual(s.says("cd /tmp; X=1; export Y=2; f() { echo f$1; }; umask 077"), "")
            self.assertEqual(s.says("pwd; echo $X; sh -c 'echo $Y'; f 3; umask"), "/tmp\n1\n2\nf3\n0077\n")

    def test_the_shell_begins_as_asked(self):
        for s in self.each(cwd="/usr", env=["A=b c"]):
            self.assertEqual(s.says('pwd; echo "$A"'), "/usr\nb c\n")

    def test_sessions_are_apart_and_at_once(self):
        one, two = self.open(), self.open()
        one.run("cd /tmp; X=1")
        self.assertEqual(two.says('pwd; echo "[$X]"'), "/\n[]\n")
        waiting = one.command("read line; echo got $line", stdin=True).started()
        self.assertEqual(two.says("echo through"), "through\n")
        waiting.input(b"it\n", end=True)
        self.assertEqual(waiting.finish().out, b"got it\n")
        busy = one.command("sleep 100").started()
        self.assertFails(6, 16, lambda: one.run("echo no"))
        two.kill_session()
        two.finish()
        self.assertFails(6, 3, lambda: two.run("echo no"))
        busy.signal(9, 2)
        self.assertNotEqual(busy.finish().exit.code, 0)
        one.kill_session()
        one.finish()

    def test_exit_codes_and_syntax_errors(self):
        for s in self.each():
            for script, code in (("true", 0), ("false", 1), ("(exit 123)", 123), ("return 5", 5), ("nosuchcommand", 127),
                                 ("IFS=0123456789; (exit 127)", 127), ("unset IFS", 0)):
                self.assertEqual(s.run(script).exit.code, code, script)
            for broken in ('echo "unb', "echo 'unb", "if true; then", "((", "case x in", "echo )", "cat <<E\nno end $(", "}"):
                result = s.run(broken)
                self.assertNotEqual(result.exit.code, 0, broken)
                self.assertTrue(result.err, broken)
                self.assertEqual(s.says("echo alive"), "alive\n", broken)

    def test_heredocs_and_odd_bytes_pass(self):
        for s in self.each():
            self.assertEqual(s.says("X=1\ncat <<E\na $X\nE\ncat <<'E'\nb $X\nE"), "a 1\nb $X\n")
            odd = bytes(b for b in range(1, 256) if b not in b"'\n\x81\x82\x88")
            self.assertEqual(s.run(b"printf %s '" + odd + b"'").out, odd)

    def test_what_a_command_does_to_its_streams_ends_with_it(self):
        for s in self.each():
            self.assertEqual(s.says("echo a; exec 1>/dev/null 2>&1; echo b"), "a\n")
            self.assertEqual(s.says("echo c"), "c\n")
            self.assertEqual(s.run("echo e >&2").err, b"e\n")
            self.assertEqual(s.says("exec <&-; exec >&-; exec 2>&-"), "")
            self.assertEqual(s.says("cat; echo d"), "d\n")

    def test_the_prompt_and_the_options_of_the_shell_change_nothing(self):
        for s in self.each():
            self.assertEqual(s.says("PS1='$(echo bad)'; PS2=x; PROMPT_COMMAND='echo bad'; set -C; set -f; echo a"), "a\n")
            self.assertEqual(s.says("echo b"), "b\n")
            traced = s.run("set -x; true")
            self.assertIn(b"true", traced.err)
            traced = s.run("echo c")
            self.assertEqual((traced.out, traced.err.splitlines()[-1].lstrip(b"+ ")), (b"c\n", b"echo c"))
            self.assertEqual(len(traced.err.splitlines()), 1, traced.err)
            self.assertEqual(s.says("set +x; set +f"), "")
            for loop in ("break", "continue", "break; echo no"):
                self.assertEqual(s.says(loop), "")
            self.assertEqual(s.says("read() { :; }; echo() { printf 'my %s\\n' \"$1\"; }; echo x"), "my x\n")
            self.assertEqual(s.run("unset -f read echo; (exit 9)").exit.code, 9)

    def test_output_is_what_was_written(self):
        for s in self.each():
            self.assertEqual(s.run("printf 'no newline'").out, b"no newline")
            file = self.directory / "random"
            out = s.run(f"head -c 1048576 /dev/urandom >{file}; sha256sum <{file} >&2; cat {file}")
            self.assertEqual(len(out.out), 1 << 20)
            self.assertEqual(hashlib.sha256(out.out).hexdigest().encode(), out.err.split()[0])

    def test_stdin_is_the_commands_own(self):
        for s in self.each():
            data = os.urandom(300_000)
            self.assertEqual(s.run("cat", stdin=data).out, data)
            self.assertEqual(s.says("cat; echo end"), "end\n")
            self.assertEqual(s.says("head -c 3", stdin=b"abcdef"), "abc")
            self.assertEqual(s.says("cat", stdin=b""), "")

    def test_a_background_job_holds_nothing_up(self):
        for s in self.each():
            begun = time.monotonic()
            self.assertEqual(s.says("(sleep 3; echo late) & echo now"), "now\n")
            self.assertLess(time.monotonic() - begun, 1.5)
            self.assertEqual(s.says("kill $!; echo next"), "next\n")

    def test_ends_of_the_shell_are_ends_of_the_session(self):
        for script, code, number, out in (("echo a; exit 7", 7, 0, b"a\n"), ("set -e; false; echo no", 1, 0, b""),
                                          ("exec sh -c 'echo in; exit 3'", 3, 0, b"in\n"), ("kill -9 $$", -1, 9, b"")):
            for s in self.each():
                ran = s.run(script)
                self.assertEqual((ran.exit.code, ran.exit.signal, ran.out), (code, number, out), script)
                s.finish()
                self.assertEqual((s.exit.code, s.exit.signal), (code, number))
                self.assertFails(6, 3, lambda: s.run("echo no"))

    def test_what_the_shell_prints_on_its_way_out_is_the_commands(self):
        trap = "trap 'echo bye; echo byerr >&2; seq 1 30000' EXIT; "
        for end, code in (("echo one; exit 7", 7), ("set -e; echo one; false; echo no", 1)):
            for s in self.each():
                ran = s.run(trap + end)
                self.assertEqual((ran.exit.code, ran.err), (code, b"byerr\n"))
                self.assertEqual(ran.out, b"one\nbye\n" + b"".join(b"%d\n" % i for i in range(1, 30001)))
                s.finish()

    def test_descriptors_that_a_command_closes_end_nothing_but_itself(self):
        for shell, s in zip(SHELLS, self.each()):
            for fd in range(3, 10 if shell == "dash" else 21):  # dash knows no others
                self.assertEqual(s.run(f"echo {fd}; command exec {fd}>&-").out, b"%d\n" % fd)
                self.assertEqual(s.says("echo alive"), "alive\n", fd)
            self.assertIn("b\n", s.says("for i in 3 4 5 6 7 8 9; do eval \"exec $i>&-\"; done; echo b"))
            self.assertEqual(s.says("echo alive"), "alive\n")

    def test_a_shell_that_executes_nothing_any_more_ends(self):
        for s in self.each():
            self.assertEqual(s.says("echo a; set -n\necho no"), "a\n")
            s.finish()
            self.assertFails(6, 3, lambda: s.run("echo b"))

    def test_options_that_print_rest_only_in_between(self):
        for s in self.each():
            s.run("set -xv")
            ran = s.run("echo a\necho b")
            self.assertEqual((ran.out, ran.err.count(b"echo"), ran.err.count(b"+ echo")), (b"a\nb\n", 3, 2), ran.err)
            self.assertEqual(s.says("set +xv; case $- in *[xv]*) echo on;; esac"), "")
            self.assertEqual(s.run("echo c").err, b"")

    def running(self):
        """Names of what runs in sessions and execs; a shell that has forked but not yet executed has its own name."""
        pids = [pid for procs in self.cgroup.glob("x*/cgroup.procs") for pid in procs.read_text().split()]
        return {(pathlib.Path("/proc") / pid / "cmdline").read_bytes().split(b"\0")[0].decode() for pid in pids}

    def test_killing_a_command_leaves_the_shell(self):
        if not self.host.features & 1:
            self.skipTest("needs cgroups")
        for s in self.each():
            s.run("X=kept")
            command = s.command("sh -c 'setsid sleep 1000 & trap \"\" TERM INT; sleep 1000 & echo up; wait'").expect("up")
            command.signal(9, 2)
            self.assertEqual(command.finish().exit.code, 137)
            command.release()
            self.assertEqual(s.says("echo $X"), "kept\n")
            poll(lambda: self.host.stats()[0] == 1, what="only the shell is left")
            command = s.command("sleep 1000").started()
            poll(lambda: "sleep" in self.running(), what="it sleeps")
            command.signal(2, 1)
            self.assertEqual(command.finish().exit.code, 130)
            command = s.command("echo up; while :; do :; done").expect("up")
            command.signal(2, 1)
            command.signal(9, 2)
            self.assertEqual(self.host.stats()[0], 1, "the shell is busy by itself")
            s.kill_session()
            self.assertEqual(command.finish().exit.signal, 9)

    def test_sessions_leave_nothing(self):
        paths = []
        for _ in range(20):
            s = self.open()
            s.run("echo x")
            paths.append(s.path())
            self.assertTrue(paths[-1].is_dir())
            s.kill_session()
            s.finish()
            s.release()
        poll(lambda: self.host.stats()[:2] == (0, 0), what="nothing runs")
        self.assertEqual([p for p in paths if p.exists()], [])

    def test_a_session_whose_shell_is_not_there_fails(self):
        session = Session(self.host, "~nope", "/nope/sh")
        self.assertFails(4, 2, lambda: session.started())
        self.assertFails(2, 0, lambda: session.run("echo"))

    def test_only_the_sessions_user_may_enter_its_directory(self):
        s = self.open()
        s.run("true")
        status = os.stat(s.path())
        self.assertEqual((status.st_mode & 0o7777, status.st_uid), (0o700, os.getuid()))
        s.kill_session()
        s.finish()

    def test_a_new_connection_finds_the_session(self):
        s = self.open()
        s.run("X=kept")
        running = s.command("sleep 1; echo done").started()
        self.host = self.connect()
        self.assertEqual({s.id, running.id} - set(self.host.known), set())
        again = self.host.attach(running.id)
        self.assertEqual(again.finish().out, b"done\n")
        s.host = self.host
        self.assertEqual(s.says("echo $X"), "kept\n")
        shell = self.host.attach(s.id)
        shell.started().signal(9, 2)
        shell.finish()
