# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""What a test must leave as it found it: mounts, cgroups, our processes, network namespaces, files."""

import os
import pathlib
import time


def mounts():
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return set(line.split(" ", 5)[4] for line in lines)


def cgroups(name):
    """The directories of one node's cgroups, wherever its hierarchies are mounted."""
    found = set()
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] in ("cgroup", "cgroup2"):
            # os.walk passes over what others remove meanwhile
            wanted = pathlib.Path(name).parts
            for directory, _, _ in os.walk(fields[4]):
                if pathlib.Path(directory).parts[-len(wanted) :] == wanted:
                    found.add(directory)
    return found


def top_control():
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] == "cgroup2":
            return pathlib.Path(fields[4], "cgroup.subtree_control")
    raise AssertionError("no cgroup2 is mounted")


def enabled_controllers():
    return set(top_control().read_text().split())


def restore_controllers(before):
    for name in enabled_controllers() - before:
        top_control().write_text(f"-{name}")


def processes(directory):
    """Processes whose command line or program names the test's directory, or that run the agent."""
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if str(directory) in command:
                found.add(int(entry.name))
    return found


def network_namespaces():
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found.add(os.readlink(entry / "ns" / "net"))
            except OSError:
                continue
    return found


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def settled_descriptors(pid, still=0.3, seconds=10):
    """How many there are when what was begun before, the removal of trees for one, holds none any more."""
    deadline = time.monotonic() + seconds
    count, since = descriptors(pid), time.monotonic()
    while time.monotonic() - since < still:
        if time.monotonic() > deadline:
            raise AssertionError(f"descriptors do not settle in {seconds} s")
        time.sleep(0.005)
        now = descriptors(pid)
        if now != count:
            count, since = now, time.monotonic()
    return count
