# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Mounts EROFS images, lowest first, as an overlay and prints what differs from a tree: compare_view.py TREE IMAGE…

To be run in a mount namespace of its own.
"""
import ctypes
import hashlib
import os
import pathlib
import stat
import sys
import tempfile

LIBC = ctypes.CDLL(None, use_errno=True)
READ_ONLY = 1


def mount(source, target, kind, options=""):
    if LIBC.mount(os.fsencode(source), os.fsencode(target), kind.encode(), READ_ONLY, options.encode()):
        raise OSError(ctypes.get_errno(), f"mount of {source}")


def described(path):
    status = os.lstat(path)
    kind = stat.S_IFMT(status.st_mode)
    told = [oct(status.st_mode), status.st_uid, status.st_gid]
    if kind == stat.S_IFREG:
        told += [status.st_size, hashlib.sha256(path.read_bytes()).hexdigest(), status.st_mtime_ns // 10**9]
    elif kind == stat.S_IFLNK:
        told.append(os.readlink(path))
    if kind != stat.S_IFLNK:
        names = [name for name in os.listxattr(path) if not name.startswith(("trusted.", "user.umoci", "user.rootless"))]
        told.append({name: os.getxattr(path, name) for name in sorted(names)})
    return told


def tree(root):
    entries = {}
    for directory, directories, files in os.walk(root):
        for name in directories + files:
            path = pathlib.Path(directory, name)
            if path.relative_to(root).parts[0] == "dev" and stat.S_ISCHR(path.lstat().st_mode):
                continue  # every sandbox gets its own
            entries[str(path.relative_to(root))] = described(path)
    return entries


def view(images):
    work = tempfile.mkdtemp()
    places = []
    for index, image in enumerate(images):
        place = pathlib.Path(work, str(index))
        place.mkdir()
        mount(image, place, "erofs")
        places.append(str(place))
    if len(places) == 1:
        return places[0]
    whole = pathlib.Path(work, "whole")
    whole.mkdir()
    mount("overlay", whole, "overlay", "lowerdir=" + ":".join(reversed(places)))
    return whole


def main():
    expected, seen = tree(sys.argv[1]), tree(view(sys.argv[2:]))
    for name in sorted(expected.keys() | seen.keys()):
        if expected.get(name) != seen.get(name):
            print(f"{name}: expected {expected.get(name)}, seen {seen.get(name)}")
    print(f"{len(expected)} entries compared")


main()
