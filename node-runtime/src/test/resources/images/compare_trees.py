# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Mounts EROFS images, lowest first, as an overlay and prints what differs from a tree in anything: compare_trees.py [--image] TREE IMAGE…

Names are compared as bytes; modes, owners, sizes, times to the nanosecond, contents, links, which names are one file, attributes.
To be run in a mount namespace of its own.
"""
import ctypes
import hashlib
import os
import stat
import sys
import tempfile

LIBC = ctypes.CDLL(None, use_errno=True)
READ_ONLY = 1


def mount(source, target, kind, options=""):
    if LIBC.mount(os.fsencode(source), os.fsencode(target), kind.encode(), READ_ONLY, options.encode()):
        raise OSError(ctypes.get_errno(), f"mount of {source}")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def described(path):
    status = os.lstat(path)
    kind = stat.S_IFMT(status.st_mode)
    told = [oct(status.st_mode), status.st_uid, status.st_gid, status.st_mtime_ns]
    if kind == stat.S_IFREG:
        told += [status.st_size, digest(path)]
    elif kind == stat.S_IFLNK:
        told.append(os.readlink(path))
    names = os.listxattr(path, follow_symlinks=False)
    kept = [name for name in names if not name.startswith(("trusted.", "user.umoci", "user.rootless"))]
    told.append({name: os.getxattr(path, name, follow_symlinks=False) for name in sorted(kept)})
    return told


def tree(root):
    entries, files = {}, {}
    root = os.fsencode(root)
    places = [root]
    while places:
        place = places.pop()
        name = os.path.relpath(place, root)
        entries[name] = described(place)
        status = os.lstat(place)
        if stat.S_ISDIR(status.st_mode):
            places += [os.path.join(place, entry) for entry in os.listdir(place)]
        elif stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            files.setdefault((status.st_dev, status.st_ino), []).append(name)
    for names in files.values():
        for name in names if len(names) > 1 else []:
            entries[name].append(sorted(names))
    return entries


def view(images):
    work = tempfile.mkdtemp()
    places = []
    for index, image in enumerate(images):
        place = os.path.join(work, str(index))
        os.mkdir(place)
        mount(image, place, "erofs")
        places.append(place)
    if len(places) == 1:
        return places[0]
    whole = os.path.join(work, "whole")
    os.mkdir(whole)
    mount("overlay", whole, "overlay", "lowerdir=" + ":".join(reversed(places)))
    return whole


def main():
    """--image: TREE is an image too, whose root's own mode and times are not of interest."""
    image = sys.argv[1] == "--image"
    paths = sys.argv[2:] if image else sys.argv[1:]
    expected, seen = tree(view(paths[1:])), tree(view(paths[:1]) if image else paths[0])
    if image:
        del expected[b"."], seen[b"."]
    for name in sorted(expected.keys() | seen.keys()):
        if expected.get(name) != seen.get(name):
            print(f"{name}: expected {expected.get(name)}, seen {seen.get(name)}")
    linked = sum(1 for told in expected.values() if isinstance(told[-1], list))
    print(f"{len(expected)} entries compared, {linked} with several names")


main()
