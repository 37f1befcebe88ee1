# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sandbox changed, told from its upper directory."""

import errno
import struct
import unittest

from spawner import Failure, Node, busybox, text

CHANGES = 0x0C
SAME, ADDED, MODIFIED, REMOVED = range(4)
REGULAR, DIRECTORY, LINK, OTHER = range(4)


def base(tree):
    busybox(tree)
    for path in ("data/keep", "data/edit", "data/gone", "data/replaced", "whole/a", "whole/b", "swap/f", "modes/f"):
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text("before")
    (tree / "etc").mkdir(exist_ok=True)


def above(tree):
    (tree / "data").mkdir()
    (tree / "data" / "upper-layer").write_text("12345678")


class Changes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.client = cls.node.client
        cls.layers = [cls.node.image("base.erofs", base), cls.node.image("above.erofs", above)]

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def start(self, name):
        pid = self.client.create(name)
        self.addCleanup(self.client.destroy, name)
        self.client.activate(name, pid, self.layers)

    def page(self, name, directory="", position=0, layers=None):
        layers = self.layers if layers is None else layers
        fields = text(f"uppers/{name}") + text(directory) + struct.pack(">QH", position, len(layers))
        answer = self.client.call(CHANGES, fields + b"".join(map(text, layers)))
        entries = [(answer.text(), *answer.take("BBBQQ")) for _ in range(answer.take("H"))]
        return entries, answer.take("Q")

    def changes(self, name, directory=""):
        found, position = {}, 0
        while True:
            entries, position = self.page(name, directory, position)
            for entry, kind, form, emptied, size, changed in entries:
                path = f"{directory}/{entry}".lstrip("/")
                self.assertEqual(changed == 0, kind == REMOVED)
                if kind != SAME:
                    found[path] = (kind, form, size, emptied)
                if form == DIRECTORY and kind != REMOVED:
                    found |= self.changes(name, path)
            if not position:
                return found

    def test_each_kind_of_change(self):
        self.start("kinds")
        script = """
            cd /data; echo more > new; echo edit >> edit; rm gone upper-layer; echo r > t; mv t replaced; ln -s keep link
            mkdir /fresh; echo 1 > /fresh/f; rm -r /whole; mkdir /whole; echo 2 > /whole/b; echo 3 > /whole/c
            rm -r /swap; echo file > /swap; chmod 700 /modes; mkfifo /etc/pipe; touch /tmp/t; rm -r /fresh/f"""
        result = self.node.shell("kinds", script)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(
            self.changes("kinds"),
            {
                "data/new": (ADDED, REGULAR, 5, 0),
                "data/edit": (MODIFIED, REGULAR, 11, 0),
                "data/gone": (REMOVED, REGULAR, 6, 0),
                "data/upper-layer": (REMOVED, REGULAR, 8, 0),
                "data/replaced": (MODIFIED, REGULAR, 2, 0),
                "data/link": (ADDED, LINK, 0, 0),
                "fresh": (ADDED, DIRECTORY, 0, 0),
                "whole": (MODIFIED, DIRECTORY, 0, 1),
                "whole/b": (MODIFIED, REGULAR, 2, 0),
                "whole/c": (ADDED, REGULAR, 2, 0),
                "swap": (MODIFIED, REGULAR, 5, 0),
                "modes": (MODIFIED, DIRECTORY, 0, 0),
                "etc/pipe": (ADDED, OTHER, 0, 0),
                "tmp/t": (ADDED, REGULAR, 0, 0),
            },
        )

    def test_nothing_changed(self):
        self.start("same")
        self.node.shell("same", "cat /data/keep; ls -R / > /dev/null")
        self.assertEqual(self.changes("same"), {})

    def test_pages_hold_everything_once(self):
        self.start("pages")
        self.node.shell("pages", "mkdir /many; cd /many; seq 1 3000 | xargs touch")
        seen, position, pages = [], 0, 0
        while pages == 0 or position:
            entries, position = self.page("pages", "many", position)
            self.assertLessEqual(len(entries), 200)
            seen += [name for name, *_ in entries]
            pages += 1
        self.assertEqual(sorted(map(int, seen)), list(range(1, 3001)))
        self.assertGreaterEqual(pages, 15)

    def test_no_link_is_followed(self):
        self.start("links")
        self.node.shell("links", "ln -s /etc /etc-link; mkdir /d; ln -s .. /d/up; ln -s /etc/passwd /p")
        self.assertEqual(self.changes("links")["etc-link"][:2], (ADDED, LINK))
        for directory in ("etc-link", "d/up", "d/..", "..", "/", "d//x", "."):
            with self.subTest(directory=directory), self.assertRaises(Failure) as caught:
                self.page("links", directory)
            self.assertIn(caught.exception.error, (errno.ENOTDIR, errno.ELOOP, errno.EINVAL))

    def test_what_makes_no_sense_is_refused(self):
        for name in ("../layers", ".trash", "a/b"):
            with self.assertRaises(Failure):
                self.page(name)
        with self.assertRaises(Failure) as caught:
            self.page("nobody")
        self.assertEqual(caught.exception.error, errno.ENOENT)

    def test_deep_directories_and_odd_names(self):
        self.start("deep")
        self.node.shell("deep", "cd /tmp; for i in $(seq 60); do n=$(printf '%0200d' $i); mkdir $n; cd $n; done; touch end \"$(printf 'a\\nb')\"")
        found = self.changes("deep")
        self.assertEqual(len(found), 62)
        self.assertTrue(any(path.endswith("/a\nb") for path in found))


if __name__ == "__main__":
    unittest.main()
