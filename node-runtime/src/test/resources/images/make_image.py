# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI layout whose layers do what layers of images do to each other: make_image.py LAYOUT TREE.

TREE is a real root file system, which is the first layer.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

LAYOUT, TREE = (pathlib.Path(argument) for argument in sys.argv[1:])
BLOBS = LAYOUT / "blobs/sha256"


def blob(data):
    digest = hashlib.sha256(data).hexdigest()
    (BLOBS / digest).write_bytes(data)
    return {"digest": "sha256:" + digest, "size": len(data)}


def real(tree):
    """A layer as GNU tar writes it, with extended attributes."""
    command = ["tar", "--xattrs", "--xattrs-include=*", "--numeric-owner", "--sort=name", "-C", str(tree), "-cf", "-", "."]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def written(*entries):
    """A layer of (name, content), where content is bytes, None for a directory, "text" for a link, ["x"] for a hard link, 3 for a device."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            entry.mtime, entry.uid, entry.gid, entry.mode = 1_234_567, 7, 8, 0o751
            if content is None:
                entry.type = tarfile.DIRTYPE
            elif isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
            elif isinstance(content, int):
                entry.type, entry.devmajor, entry.devminor = tarfile.CHRTYPE, 1, content
            elif isinstance(content, list):
                entry.type, entry.linkname = tarfile.LNKTYPE, content[0]
            else:
                entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content) if isinstance(content, bytes) else None)
    return out.getvalue()


def attributes():
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "opt/attributes")
        file.parent.mkdir()
        file.write_bytes(b"with attributes")
        os.setxattr(file, "user.colour", b"\x00\xff\xfe binary")
        os.setxattr(file, "security.capability", bytes.fromhex("0100000200200000000000000000000000000000"))
        os.setxattr(file.parent, "user.of-a-directory", b"yes")
        sparse = pathlib.Path(directory, "opt/sparse")
        with open(sparse, "wb") as out:
            out.truncate(5_000_000)
            out.seek(3_000_000)
            out.write(b"island")
        return real(directory)


def layers():
    yield written(
        ("gone", b"30"), ("gone-directory", None), ("gone-directory/x", b"31"), ("half", None), ("half/gone", b"32"),
        ("etc", None), ("etc/gone", b"33"), ("back", b"34"), ("away-link", "gone"),
    )
    yield written(("half/kept", b"35"), (".wh..wh..opq", b""), ("back", None), ("back/now", b"36"))
    yield real(TREE)
    yield written(
        ("work", None), ("work/gone", b"1"), ("work/kept", b"2"), ("work/deep", None), ("work/deep/one", b"3"),
        ("work/deep/two", b"4"), ("work/file-then-directory", b"5"), ("work/directory-then-file", None),
        ("work/directory-then-file/x", b"6"), ("work/whole", None), ("work/whole/a", b"7"), ("work/whole/b", b"8"),
        ("real", None), ("linked", "real"), ("away", "/work/deep"), ("work/again", None), ("work/again/old", b"9"),
        ("work/hard-one", b"ten"), ("work/hard-two", ["work/hard-one"]), ("x" * 120 + "/" + "y" * 120, b"11"),
        ("work/reborn", None), ("work/reborn/before", b"12"), ("/work/absolutely", b"25"),
    )
    yield written(
        ("work/.wh.gone", b""), ("work/deep/.wh.one", b""), ("work/.wh.whole", b""), ("linked/through", b"13"),
        ("away/across", b"14"), ("work/file-then-directory", None), ("work/file-then-directory/y", b"15"),
        ("/work/absolute", b"23"), ("//work/absolute-too", ["/work/absolute"]), ("/linked/absolute", b"24"), ("/work/.wh.absolutely", b""),
        ("work/directory-then-file", b"16"), ("work/again/new", b"17"), ("work/again/.wh..wh..opq", b""),
        ("work/.wh.never-was", b""), ("implied/by/its/file", b"18"), ("work/.wh.reborn", b""),
    )
    yield written(("./", None))
    yield attributes()
    yield written(
        ("opt/beside", b"22"), ("work/across", ["opt/attributes"]), ("link-across", ["away"]), ("shell-across", ["bin/busybox"]),
        ("opt/.wh.attributes", b""), ("dev", None), ("dev/null", 3),
        ("work/whole", None), ("work/whole/c", b"19"), ("work/gone", "kept"), ("work/.wh.hard-one", b""),
        ("work/reborn", None), ("work/reborn/after", b"20"), ("\u00e4\u00f6\u00fc/\u732b", b"21"),
    )


def main():
    BLOBS.mkdir(parents=True)
    described, diff_ids = [], []
    for index, tar in enumerate(layers()):
        packed = index != 3
        diff_ids.append("sha256:" + hashlib.sha256(tar).hexdigest())
        kind = "application/vnd.oci.image.layer.v1.tar" + ("+gzip" if packed else "")
        described.append({"mediaType": kind, **blob(gzip.compress(tar, 1, mtime=0) if packed else tar)})
    config = {
        "architecture": "amd64", "os": "linux", "config": {"User": "7:8"},
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
    }
    manifest = {
        "schemaVersion": 2, "layers": described,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **blob(json.dumps(config).encode())},
    }
    entry = {
        "mediaType": "application/vnd.oci.image.manifest.v1+json", **blob(json.dumps(manifest).encode()),
        "annotations": {"org.opencontainers.image.ref.name": "image"},
    }
    (LAYOUT / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))
    (LAYOUT / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')


main()
