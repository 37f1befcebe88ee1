# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Sandboxes that may write so much and no more: each upper is a file system of its own."""

import errno
import hashlib
import os
import pathlib
import struct
import subprocess
import unittest

from host import descriptors, mounts, settled_descriptors
from spawner import Client, Failure, Node, await_true, busybox, text

STAGE, DISCARD, DISK, TRY_DISK = 0x0D, 0x0F, 0x10, 0x11
MEBIBYTE = 1 << 20
SIZE = 32 * MEBIBYTE
FEATURES = "none,ext_attr,dir_index,filetype,extent,flex_bg,large_file,huge_file,dir_nlink,extra_isize,sparse_super2,uninit_bg"


def base(tree):
    busybox(tree)
    (tree / "data").mkdir()
    (tree / "data/large").write_bytes(os.urandom(8 * MEBIBYTE))


def loops():
    """Device and inode of every file that is on a loop device, removed ones included."""
    listed = subprocess.check_output(["losetup", "-nl", "-O", "BACK-MAJ:MIN,BACK-INO"], text=True)
    return {tuple(line.split()) for line in listed.splitlines()}


def make_template(uppers, name, size, inodes):
    file = uppers / ".templates" / name
    file.parent.mkdir(exist_ok=True)
    with open(file, "wb") as out:
        out.truncate(size)
    command = ["mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", "-N", str(inodes), "-I", "256", "-O", FEATURES]
    subprocess.run([*command, "-E", "lazy_itable_init=1,num_backup_sb=0", file], check=True)


class SmallDisk(Node):
    """Its uppers lie on a file system of 32 MiB."""

    def start(self):
        uppers = self.state / "uppers"
        uppers.mkdir()
        with open(self.directory / "disk", "wb") as out:
            out.truncate(32 * MEBIBYTE)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.directory / "disk"], check=True)
        subprocess.run(["mount", "-o", "loop", self.directory / "disk", uppers], check=True)
        super().start()

    def close(self):
        for name in self.client.list():
            self.client.destroy(name)
        await_true(lambda: not any((self.state / "uppers" / ".trash").iterdir()), "the trash is empty", 60)
        subprocess.run(["umount", "-l", self.state / "uppers"], check=True)
        (self.state / "uppers" / ".trash").mkdir()
        super().close()


class Spread(unittest.TestCase):
    def test_ext4_is_told_that_sandboxes_have_nothing_to_do_with_each_other(self):
        node = SmallDisk()
        self.addCleanup(node.close)
        uppers = node.state / "uppers"
        shown = subprocess.check_output(["lsattr", "-d", uppers, uppers / ".ready"], text=True).splitlines()
        self.assertEqual([("T" in line.split()[0]) for line in shown], [True, True], shown)


class Reserved(unittest.TestCase):
    def test_what_is_reserved_is_there_although_the_disk_is_full(self):
        node = SmallDisk()
        self.addCleanup(node.close)
        base = node.image("base.erofs", busybox)
        make_template(node.state / "uppers", "t12", 12 * MEBIBYTE, 256)
        for name in ("one", "two"):
            node.client.activate(name, node.client.create(name), [base], disk=1, template="t12", reserved=True)
        with self.assertRaises(Failure) as caught:
            node.client.activate("three", node.client.create("three"), [base], disk=1, template="t12", reserved=True)
        self.assertEqual(caught.exception.error, errno.ENOSPC, caught.exception)
        node.client.activate("plain", node.client.create("plain"), [base])
        result = node.shell("plain", "dd if=/dev/zero of=/big bs=64k 2>&1")
        self.assertIn("No space left on device", result.output)
        self.assertEqual(node.shell("one", "head -c 10000000 /dev/urandom > /mine").code, 0)
        inside = node.shell("one", "sha256sum < /mine").output.split()[0]
        image = node.state / "uppers/one/image"
        on_device = (f"{os.major(image.stat().st_dev)}:{os.minor(image.stat().st_dev)}", str(image.stat().st_ino))
        for cgroup in pathlib.Path("/sys/fs/cgroup").rglob(f"{node.cgroup_name}/*/one/cgroup.kill"):
            cgroup.write_text("1")
        await_true(lambda: on_device not in loops(), "the kernel has written everything and let go")
        data = subprocess.check_output(["debugfs", "-R", "cat /upper/mine", image], stderr=subprocess.DEVNULL)
        self.assertEqual(hashlib.sha256(data).hexdigest(), inside)


class Disk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client
        cls.layers = [cls.node.image("base.erofs", base)]
        cls.uppers = cls.node.state / "uppers"
        make_template(cls.uppers, "t32", SIZE + 2 * MEBIBYTE, 1024)

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def start(self, name, template="t32"):
        pid = self.client.create(name)
        self.addCleanup(lambda: self.node.client.destroy(name))
        self.client.activate(name, pid, self.layers, disk=SIZE, template=template)

    def shell(self, name, script):
        result = self.node.shell(name, script)
        self.assertEqual(result.code, 0, result)
        return result.output

    def image(self, name):
        """An upper's image as `loops` names it."""
        facts = (self.uppers / name / "image").stat()
        return f"{os.major(facts.st_dev)}:{os.minor(facts.st_dev)}", str(facts.st_ino)

    def room(self, name):
        names = ("bytes", "bytes_most", "inodes", "inodes_most")
        return dict(zip(names, self.node.client.call(DISK, text(f"uppers/{name}")).take("QQQQ")))

    def restart(self):
        self.node.kill_spawner()
        self.node.start()
        type(self).client = self.node.client

    def test_the_writer_meets_the_limit_and_nobody_else_does(self):
        self.start("full")
        self.start("beside")
        self.assertEqual(self.room("full")["bytes"], 0)
        most = self.room("full")["bytes_most"]
        result = self.node.shell("full", "dd if=/dev/zero of=/big bs=1M count=100 2>&1")
        self.assertIn("No space left on device", result.output)
        size = int(self.shell("full", "stat -c %s /big"))
        self.assertLess(abs(size - most), most // 100)
        self.assertGreater(self.room("full")["bytes"], most * 99 // 100)
        self.assertIn("No space left on device", self.node.shell("full", "fallocate -l 100G /more 2>&1").output)
        self.assertNotEqual(self.node.shell("full", "head -c 100000 /big > /tmp/more").code, 0)
        self.shell("beside", "head -c 20000000 /dev/zero > /mine")
        self.shell("full", "rm /big /tmp/more; head -c 20000000 /dev/zero > /again; sync")
        self.assertLess(abs(self.room("full")["bytes"] - 20000000), 100000)

    def test_inodes_end(self):
        self.start("inodes")
        most = self.room("inodes")["inodes_most"]
        before = os.statvfs(self.uppers)
        made = int(self.shell("inodes", "mkdir /i; cd /i; i=0; while echo -n 2>&- > $i; do i=$((i+1)); done; echo $i"))
        self.assertEqual(made, most - 1)
        self.assertEqual(self.room("inodes")["inodes"], most)
        self.assertLess(abs(os.statvfs(self.uppers).f_ffree - before.f_ffree), 500)
        self.shell("inodes", "rm -r /i; touch /tmp/a")

    def test_what_is_copied_up_counts_and_holes_do_not(self):
        self.start("copied")
        self.shell("copied", "echo x >> /data/large")
        self.assertGreaterEqual(self.room("copied")["bytes"], 8 * MEBIBYTE)
        self.shell("copied", "truncate -s 10G /sparse")
        self.assertLess(self.room("copied")["bytes"], 9 * MEBIBYTE)
        self.assertEqual(self.node.shell("copied", "cp /data/large /1; cp /1 /2; cp /1 /3; cp /1 /4").code, 1)

    def test_nothing_else_can_be_written_to(self):
        self.start("around")
        table = self.shell("around", "cat /proc/mounts")
        writable = {line.split()[1] for line in table.splitlines() if "rw" in line.split()[3].split(",")}
        memory = {"/dev/shm", "/dev/mqueue", "/dev/pts"}
        self.assertLessEqual(writable - memory, {"/", "/proc"}, table)
        self.assertIn("No space left", self.node.shell("around", "dd if=/dev/zero of=/dev/shm/x bs=1M count=80 2>&1").output)

    def test_destroying_it_leaves_nothing(self):
        table = mounts()
        self.start("once")
        images = {self.image("once")}
        self.assertLessEqual(images, loops())
        await_true(lambda: not any((self.uppers / ".trash").iterdir()), "the images of others are gone")
        before = settled_descriptors(self.node.pid())
        for i in range(5):
            self.start(f"gone{i}")
            images.add(self.image(f"gone{i}"))
            self.shell(f"gone{i}", "echo x > /file")
            self.client.destroy(f"gone{i}")
        self.client.destroy("once")
        await_true(lambda: not images & loops(), "the devices are free")
        await_true(lambda: not any((self.uppers / ".trash").iterdir()), "the images are gone")
        self.assertEqual([entry for entry in os.listdir(self.uppers) if not entry.startswith(".")], [])
        self.assertEqual(mounts(), table)
        await_true(lambda: descriptors(self.node.pid()) == before, "no descriptor is left")

    def test_a_killed_sandbox_leaves_its_device_by_itself(self):
        self.start("killed")
        image = self.image("killed")
        self.node.kill_spawner()
        for cgroup in pathlib.Path("/sys/fs/cgroup").rglob("killed/cgroup.kill"):
            cgroup.write_text("1")
        await_true(lambda: image not in loops(), "the device is free")
        self.node.start()
        type(self).client = self.node.client

    def test_another_spawner_finds_it_again(self):
        self.start("found")
        self.shell("found", "echo kept > /file; head -c 1000000 /dev/zero > /zeros; sync")
        self.restart()
        self.assertGreater(self.room("found")["bytes"], 1000000)
        fields = text("found") + text("uppers/found") + text("copy") + struct.pack(">QQ", 0, 0)
        self.client.call(STAGE, fields)
        self.addCleanup(self.client.call, DISCARD, text("copy"))
        self.assertEqual((self.uppers / ".staging/copy/file").read_text(), "kept\n")
        result = self.node.shell("found", "dd if=/dev/zero of=/big bs=1M count=100 2>&1")
        self.assertIn("No space left on device", result.output)

    def test_a_copy_holds_what_was_written_holes_kept(self):
        self.start("copy-of")
        self.shell("copy-of", "cp /data/large /mine; truncate -s 1G /hole; echo end >> /hole; ln /mine /also")
        fields = text("copy-of") + text("uppers/copy-of") + text("copied") + struct.pack(">QQ", 0, 0)
        self.client.call(STAGE, fields)
        self.addCleanup(self.client.call, DISCARD, text("copied"))
        tree = self.uppers / ".staging/copied"
        self.assertEqual((tree / "mine").stat().st_nlink, 2)
        self.assertLess((tree / "hole").stat().st_blocks, 100)
        inside = self.shell("copy-of", "sha256sum < /data/large").split()[0]
        outside = subprocess.check_output(["sha256sum", tree / "mine"], text=True).split()[0]
        self.assertEqual(outside, inside)

    def test_what_cannot_be_made_leaves_nothing(self):
        (self.uppers / ".templates" / "rubbish").write_bytes(b"x" * MEBIBYTE)
        for template in ("missing", "rubbish"):
            pid = self.client.create("none")
            with self.assertRaises(Failure) as caught:
                self.client.activate("none", pid, self.layers, disk=SIZE, template=template)
            self.assertIn(caught.exception.error, (errno.ENOENT, errno.EINVAL), caught.exception)
            self.assertNotIn("none", self.client.list())
            self.assertFalse((self.uppers / "none").exists())
        with self.assertRaises(Failure) as caught:
            self.client.activate("none", 1, self.layers, disk=SIZE, template="../t32")
        self.assertEqual(caught.exception.error, errno.EINVAL)

    def test_a_trial_tells_the_room_and_leaves_nothing(self):
        free, inodes = self.client.call(TRY_DISK, text("uppers/trial") + text("t32")).take("QQ")
        self.assertTrue(SIZE < free < SIZE + 2 * MEBIBYTE and 900 < inodes < 1024, (free, inodes))
        self.assertFalse((self.uppers / "trial").exists())
        with self.assertRaises(Failure):
            self.client.call(TRY_DISK, text("uppers/trial") + text("missing"))

    def test_many_are_made_at_once(self):
        clients = [Client(self.node.run) for _ in range(10)]
        for i, client in enumerate(clients):
            pid = client.create(f"many{i}")
            self.addCleanup(lambda name=f"many{i}": self.node.client.destroy(name))
            fields = text(f"many{i}") + struct.pack(">I", pid) + text(f"uppers/many{i}") + struct.pack(">Q", SIZE)
            fields += struct.pack(">H", 1) + text(self.layers[0]) + text("") + text("t32")
            client.send(0x03, fields)
        for client in clients:
            client.receive()
            client.close()
        for i in range(10):
            self.shell(f"many{i}", f"echo {i} > /file; test $(cat /file) = {i}")


if __name__ == "__main__":
    unittest.main()
