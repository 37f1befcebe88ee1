# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI layout of layers with one small file each: tiny_image.py LAYOUT LAYERS USER."""
import hashlib
import io
import json
import pathlib
import sys
import tarfile

LAYOUT, LAYERS, USER = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
BLOBS = LAYOUT / "blobs/sha256"


def blob(data, kind):
    digest = hashlib.sha256(data).hexdigest()
    (BLOBS / digest).write_bytes(data)
    return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(data)}


def layer(number):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.addfile(tarfile.TarInfo(f"file-{number}"))
    return out.getvalue()


def main():
    BLOBS.mkdir(parents=True)
    tars = [layer(number) for number in range(LAYERS)]
    config = {
        "architecture": "amd64", "os": "linux", "config": {"User": USER},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest() for tar in tars]},
    }
    manifest = {
        "schemaVersion": 2, "layers": [blob(tar, "layer.v1.tar") for tar in tars],
        "config": blob(json.dumps(config).encode(), "config.v1+json"),
    }
    entry = blob(json.dumps(manifest).encode(), "manifest.v1+json")
    entry["annotations"] = {"org.opencontainers.image.ref.name": "image"}
    (LAYOUT / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))
    (LAYOUT / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')


main()
