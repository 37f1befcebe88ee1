# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""A warm interpreter: it imports modules once, and forks a process for each call, which waits before the call comes.

Calls are run by nobody, this process is root's: no call can touch it. Requests come on stdin, answers go to stdout:
  request  u32 timeout in ms, u32 bytes kept of each output, u32 length, body; body: u32 length, JSON, files, stdin
  answer   u8 kind (0 started, 1 result, 2 clean or not), u32 length of JSON, JSON, then for a result stdout and stderr
"""
import atexit
import builtins
import gc
import importlib
import json
import linecache
import os
import resource
import select
import shutil
import signal
import struct
import sys
import threading
import time
import traceback
import types

WORK = "/dev/shm/call"
NOBODY = 65534
CHUNK = 65536
DRAIN_SECONDS = 0.05
SHARED = ("/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem")
MAIN = "main.py"


def read_exactly(fd, count):
    parts = []
    while count > 0:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def answer(fd, kind, message, *outputs):
    text = json.dumps(message).encode()
    write_all(fd, b"".join((struct.pack(">BI", kind, len(text)), text, *outputs)))


class Call:
    """The process of one call: it waits for its request."""

    def __init__(self, channels):
        os.mkdir(WORK, 0o700)
        os.chown(WORK, NOBODY, NOBODY)
        request, self.request = os.pipe()
        self.out, out = os.pipe()
        self.err, err = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            become(request, out, err, (*channels, self.request, self.out, self.err))
        for fd in (request, out, err):
            os.close(fd)
        self.ended = os.pidfd_open(self.pid)

    def run(self, body, timeout, kept):
        begun = time.monotonic()
        self.send(body)
        outputs = {self.out: Output(kept), self.err: Output(kept)}
        poll = select.poll()
        for fd in (self.out, self.err, self.ended):
            poll.register(fd, select.POLLIN)
        timed_out = not self.follow(poll, outputs, begun + timeout)
        if timed_out:
            os.killpg(self.pid, signal.SIGKILL)
        _, status, used = os.wait4(self.pid, 0)
        wall = time.monotonic() - begun
        self.drain(poll, outputs)
        for fd in (self.request, self.out, self.err, self.ended):
            os.close(fd)
        return Ended(status, timed_out, wall, used), outputs[self.out], outputs[self.err]

    def send(self, body):
        try:
            write_all(self.request, struct.pack(">I", len(body)))
            write_all(self.request, body)
        except BrokenPipeError:
            pass  # it died; how is found out when it is waited for

    def follow(self, poll, outputs, deadline):
        while True:
            left = deadline - time.monotonic()
            events = poll.poll(max(0, left) * 1000)
            if not events and left <= 0:
                return False
            for fd, _ in events:
                if fd != self.ended and not outputs[fd].read(fd):
                    poll.unregister(fd)
            if any(fd == self.ended for fd, _ in events):
                return True

    def drain(self, poll, outputs):
        poll.unregister(self.ended)
        deadline = time.monotonic() + DRAIN_SECONDS
        for fd in outputs:
            os.set_blocking(fd, False)
            try:
                while time.monotonic() < deadline and outputs[fd].read(fd):
                    pass
            except BlockingIOError:
                pass  # a process that is left holds it open


class Output:
    """The head of what was written to a stream."""

    def __init__(self, kept):
        self.kept = kept
        self.total = 0
        self.head = bytearray()

    def read(self, fd):
        data = os.read(fd, CHUNK)
        self.total += len(data)
        room = self.kept - len(self.head)
        if room > 0:
            self.head += data[:room]
        return bool(data)


class Ended:
    """How a process ended."""

    def __init__(self, status, timed_out, wall, used):
        self.timed_out = timed_out
        self.message = {
            "exit": os.waitstatus_to_exitcode(status),
            "timedOut": timed_out,
            "wallMicros": int(wall * 1e6),
            "cpuMicros": int((used.ru_utime + used.ru_stime) * 1e6),
            "peakBytes": used.ru_maxrss * 1024,
        }

    def told(self, out, err):
        return {
            **self.message,
            "out": len(out.head),
            "outTotal": out.total,
            "err": len(err.head),
            "errTotal": err.total,
        }


def become(request, out, err, others):
    """The forked process, until the end of the call; never returns."""
    try:
        os.setsid()
        for fd in others:
            os.close(fd)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.close(out)
        os.close(err)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chdir(WORK)
        rehearse()
        length = read_exactly(request, 4)
        body = length and read_exactly(request, struct.unpack(">I", length)[0])
        os.close(request)
        if body:
            os._exit(perform(body))
    except BaseException:
        traceback.print_exc()
    os._exit(70)


def rehearse():
    """Touches what a call will touch: memory that is shared since the fork is copied now, before the call comes."""
    text = json.dumps({"source": "pass", "arguments": [], "env": {"A": ""}, "files": []}).encode()
    body = struct.pack(">I", len(text)) + text
    task = json.loads(body[4:4 + struct.unpack_from(">I", body)[0]])
    main = types.ModuleType("rehearsal")
    main.__dict__.update(__builtins__=builtins, __file__=MAIN)
    linecache.cache[MAIN] = (4, None, task["source"].splitlines(True), MAIN)
    exec(compile(task["source"], MAIN, "exec"), main.__dict__)
    os.environ.update(task["env"])
    os.environ.clear()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    threading.enumerate()


def perform(body):
    size = struct.unpack_from(">I", body)[0]
    task = json.loads(body[4:4 + size])
    at = 4 + size
    for name, length, mode in task["files"]:
        directory = os.path.dirname(name)
        if directory:
            os.makedirs(directory, exist_ok=True)
        with open(name, "wb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.write(body[at:at + length])
        at += length
    stdin_from(body[at:])
    os.environ.clear()
    os.environ.update({"HOME": WORK, "TMPDIR": WORK, "PWD": WORK, **task["env"]})
    sys.argv = [MAIN, *task["arguments"]]
    sys.path.insert(0, WORK)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    return status_of(task["source"])


def stdin_from(data):
    if data:
        fd = os.memfd_create("stdin")
        write_all(fd, data)
        os.lseek(fd, 0, os.SEEK_SET)
        os.dup2(fd, 0)
        os.close(fd)


def status_of(source):
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __file__=MAIN)
    sys.modules["__main__"] = main
    linecache.cache[MAIN] = (len(source), None, source.splitlines(True), MAIN)
    try:
        exec(compile(source, MAIN, "exec"), main.__dict__)
        status = 0
    except SystemExit as end:
        status = status_from(end.code)
    except BaseException as failure:
        frames = failure.__traceback__ and failure.__traceback__.tb_next
        traceback.print_exception(type(failure), failure, frames)
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            status = status or 120
    return status


def status_from(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def processes():
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def remains(known):
    """What a call left; empty when nothing."""
    found = [f"process {pid}" for pid in processes() - known if alive(pid)]
    if not found:
        shutil.rmtree(WORK)
    for directory in ("/dev/shm", "/dev/mqueue"):
        if os.path.isdir(directory):
            found += [f"{directory}/{name}" for name in os.listdir(directory) if f"{directory}/{name}" != WORK]
    for table in SHARED:
        with open(table) as file:
            found += [table for line in list(file)[1:]]
    return found


def alive(pid):
    """A process that is dead and about to be reaped by the guest's first process is none."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def serve(modules):
    requests, answers = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    begun = time.monotonic()
    try:
        for module in modules:
            importlib.import_module(module)
    except BaseException:
        answer(answers, 0, {"error": traceback.format_exc(limit=-1)})
        return
    imports = time.monotonic() - begun
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    known = processes()
    call = Call((requests, answers))
    answer(answers, 0, {"error": "", "importMicros": int(imports * 1e6)})
    while True:
        head = read_exactly(requests, 12)
        if head is None:
            return
        timeout, kept, length = struct.unpack(">III", head)
        ended, out, err = call.run(read_exactly(requests, length), timeout / 1000, kept)
        answer(answers, 1, ended.told(out, err), bytes(out.head), bytes(err.head))
        found = ["its time was over"] if ended.timed_out else remains(known)
        if found:
            answer(answers, 2, {"left": found[:8]})
            return
        call = Call((requests, answers))
        ended.told(Output(0), Output(0))
        answer(answers, 2, {"left": []})


serve(sys.argv[1:])
