# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sandbox is separated from, and what it can reach: namespaces, masks, capabilities, the probe's golden list."""

import hashlib
import os
import pathlib
import re
import subprocess
import unittest

from spawner import HERE, Node, busybox

NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "user", "cgroup")
AGENT_CAPABILITIES = 0x4FB


class Isolation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client
        cls.base = cls.node.image("base.erofs", busybox)
        cls.pids = {}
        for name in ("one", "two"):
            cls.pids[name] = cls.client.create(name, memory=256 << 20, pids=100, cpu=1000)
            cls.client.activate(name, cls.pids[name], [cls.base])

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def shell(self, script, name="one", **options):
        return self.node.shell(name, script, **options)

    def test_every_namespace_differs_from_the_host_and_between_sandboxes(self):
        for namespace in NAMESPACES:
            links = {os.readlink(f"/proc/{pid}/ns/{namespace}") for pid in ("self", *self.pids.values())}
            self.assertEqual(len(links), 3, namespace)

    def test_a_blank_has_the_same_namespaces_after_activation(self):
        pid = self.client.create("still-blank")
        self.addCleanup(self.client.destroy, "still-blank")
        before = {name: os.readlink(f"/proc/{pid}/ns/{name}") for name in NAMESPACES}
        self.client.activate("still-blank", pid, [self.base])
        self.assertEqual(before, {name: os.readlink(f"/proc/{pid}/ns/{name}") for name in NAMESPACES})

    def test_root_inside_is_an_unprivileged_user_outside(self):
        status = pathlib.Path(f"/proc/{self.pids['one']}/status").read_text()
        self.assertEqual(re.search(r"^Uid:\t(.*)$", status, re.M)[1].split(), ["100000"] * 4)
        self.assertEqual(re.search(r"^Gid:\t(.*)$", status, re.M)[1].split(), ["100000"] * 4)
        self.assertEqual(
            pathlib.Path(f"/proc/{self.pids['one']}/uid_map").read_text().split(), ["0", "100000", "65536"]
        )

    def test_capabilities_privileges_and_filter(self):
        for script_uid, effective in ((0, AGENT_CAPABILITIES), (1000, 0)):
            status = self.shell("cat /proc/self/status", uid=script_uid).output
            values = dict(re.findall(r"^(\w+):\s+(\w+)$", status, re.M))
            self.assertEqual(int(values["CapEff"], 16), effective)
            self.assertEqual(int(values["CapBnd"], 16), AGENT_CAPABILITIES)
            self.assertEqual((int(values["CapInh"], 16), int(values["CapAmb"], 16)), (0, 0))
            self.assertEqual((values["NoNewPrivs"], values["Seccomp"]), ("1", "2"))

    def test_probe_equals_the_golden_list_for_root_and_for_a_user(self):
        golden = (HERE / "probe.golden").read_text()
        self.maxDiff = None
        self.assertEqual(self.node.command("one", "/bin/probe").output, golden)
        self.assertEqual(self.node.command("two", "/bin/probe", uid=1000).output, golden)

    def test_no_sandbox_changes_the_pages_of_a_layer_that_others_read(self):
        image = self.node.state / self.base
        before = self.digests(image)
        self.assertEqual(len(set(before[:2])), 1)
        for uid in (0, 1000):
            tried = dict(
                line.split(": ") for line in self.node.command("one", "/bin/tamper", "/bin/probe", uid=uid).output.splitlines()
            )
            self.assertEqual(len(tried), 9, tried)
            refused = ("write", "truncate", "punch", "shared map", "cipher")
            self.assertNotIn("went", [tried[way] for way in refused], tried)
            self.assertEqual(tried["cipher"], "EAFNOSUPPORT")
        self.assertEqual(self.digests(image), before)

    def digests(self, image):
        """Of one layer's file in two sandboxes, and of the layer's image as the disk and as the page cache have it."""
        inside = [self.shell("sha256sum /bin/probe", name).output.split()[0] for name in ("one", "two")]
        direct = subprocess.Popen(["dd", f"if={image}", "bs=1M", "iflag=direct", "status=none"], stdout=subprocess.PIPE)
        on_disk = subprocess.check_output(["sha256sum"], stdin=direct.stdout, text=True).split()[0]
        direct.stdout.close()
        self.assertEqual(direct.wait(), 0)
        return [*inside, on_disk, hashlib.sha256(image.read_bytes()).hexdigest()]

    def test_agent_has_exactly_its_five_descriptors(self):
        directory = f"/proc/{self.pids['two']}/fd"
        links = {int(fd): os.readlink(f"{directory}/{fd}") for fd in os.listdir(directory)}
        self.assertEqual(sorted(links), [0, 1, 2, 3, 4])
        self.assertEqual([links[fd] for fd in (0, 1, 2)], ["/dev/null"] * 3)
        self.assertTrue(links[3].startswith("socket:"))
        self.assertEqual(links[4], "/")

    def test_commands_inherit_no_descriptor_of_the_agent(self):
        self.assertEqual(self.shell("ls /proc/self/fd").output.split()[:3], ["0", "1", "2"])
        self.assertNotIn("cgroup", self.shell("ls -l /proc/self/fd").output)

    def test_environment_and_arguments_of_the_agent_are_empty(self):
        pid = self.pids["one"]
        self.assertEqual(pathlib.Path(f"/proc/{pid}/environ").read_bytes().strip(b"\0"), b"")
        self.assertEqual(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().strip(b"\0"), b"")

    def test_only_own_processes_are_seen(self):
        pids = [int(name) for name in self.shell("ls /proc").output.split() if name.isdigit()]
        self.assertIn(1, pids)
        self.assertLess(len(pids), 6)

    def test_masked_paths_are_empty(self):
        for path in ("interrupts", "kcore", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "timer_list"):
            if pathlib.Path("/proc", path).exists():
                self.assertEqual(self.shell(f"cat /proc/{path}").output, "", path)
        for path in ("/proc/acpi", "/proc/scsi", "/proc/asound", "/sys/firmware", "/sys/devices/virtual/powercap"):
            if pathlib.Path(path).exists():
                self.assertEqual(self.shell(f"ls {path}").output, "", path)

    def test_read_only_paths_refuse_writes_even_where_permissions_would_not(self):
        mounts = self.shell("cat /proc/mounts").output
        for path in ("/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq", "/sys", "/dev", "/sys/fs/cgroup/unified"):
            line = re.search(rf"^\S+ {path} \S+ (\S+)", mounts, re.M)
            if pathlib.Path(path).exists():
                self.assertIn("ro", line[1].split(","), path)

    def test_every_writable_mount_is_nosuid_and_nodev(self):
        for line in self.shell("cat /proc/mounts").output.splitlines():
            _, path, kind, options, *_ = line.split()
            if "rw" in options.split(","):
                self.assertIn("nosuid", options.split(","), line)
                if kind != "devpts":
                    self.assertIn("nodev", options.split(","), line)

    def test_mount_table_tells_no_host_path(self):
        self.assertNotIn(str(self.node.directory), self.shell("cat /proc/self/mountinfo").output)

    def test_grep_over_everything_does_not_hang_or_crash(self):
        result = self.shell(
            "grep -r no-such-text-anywhere /proc/sys /sys /dev/shm /etc /proc/1 2>/dev/null; echo over", timeout=60
        )
        self.assertEqual(result.output.splitlines()[-1], "over")

    def test_network_is_an_isolated_loopback(self):
        self.assertEqual(
            self.shell("ls /sys/class/net; cat /sys/class/net/lo/operstate").output.split(), ["lo", "unknown"]
        )
        self.assertEqual(re.findall(r"^(\w+): ", self.shell("ip -o link | sed 's/^[0-9]*: //'").output, re.M), ["lo"])
        script = "nc -l -p 4000 </dev/null >/tmp/got & sleep 0.3; echo hi | nc -w 2 127.0.0.1 4000; wait; cat /tmp/got"
        self.assertEqual(self.shell(script).output, "hi\n")
        self.assertNotEqual(self.shell("nc -w 1 127.0.0.1 4000 </dev/null", name="two").code, 0)

    def test_shared_memory_and_queues_are_separate(self):
        self.shell("echo secret > /dev/shm/x")
        self.assertEqual(
            self.shell("ls /dev/shm /dev/mqueue", name="two").output.split(), ["/dev/mqueue:", "/dev/shm:"]
        )

    def test_suspended_privileges_cannot_come_back_through_a_setuid_file(self):
        self.shell("cp /bin/busybox /tmp/busybox; chmod 4755 /tmp/busybox")
        self.assertEqual(self.shell("/tmp/busybox id -u", uid=1000).output, "1000\n")

    def test_files_of_one_sandbox_are_not_in_another(self):
        self.shell("echo one > /root/only-here")
        self.assertNotEqual(self.shell("cat /root/only-here", name="two").code, 0)

    def test_upper_level_of_the_cgroup_is_out_of_the_agents_reach(self):
        self.assertEqual(self.node.command("one", "@mkdir", "sub").output, "done\n")
        self.assertEqual(self.node.command("one", "@open", "sub/cgroup.procs").output, "done\n")
        self.assertEqual(self.node.command("one", "@open", "cgroup.procs").output, "done\n")
        self.assertEqual(self.node.command("one", "@open", "../two/cgroup.procs").output, "ENOENT\n")
        self.assertEqual(self.node.command("one", "@open", "cgroup.freeze").output, "EACCES\n")
        self.assertEqual(self.node.command("one", "@open", "cgroup.kill").output, "EACCES\n")
        self.assertEqual(self.node.command("one", "@open", "cgroup.max.descendants").output, "EACCES\n")

    def test_layers_are_shared_and_cannot_be_changed(self):
        self.shell("echo changed > /bin/busybox; rm /bin/ls")
        self.assertEqual(self.node.command("two", "/bin/ls", "/bin/ls").output, "/bin/ls\n")

    def test_killing_the_agent_from_inside_does_nothing(self):
        self.assertEqual(self.shell("kill -9 1; echo sent", name="two").output, "sent\n")
        self.assertEqual(self.node.command("two", "/bin/true").code, 0)


if __name__ == "__main__":
    unittest.main()
