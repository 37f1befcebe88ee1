# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI layout of one layer that is given as a blob: layer_image.py LAYOUT BLOB KIND TAR CONFIG.

KIND is the end of its media type, as layer.v1.tar+gzip; TAR what the blob unpacks to, whose digest is told; CONFIG the
image's configuration as JSON.
"""
import hashlib
import json
import pathlib
import sys

LAYOUT, BLOB, KIND, TAR, CONFIG = sys.argv[1:]
BLOBS = pathlib.Path(LAYOUT) / "blobs/sha256"


def blob(data, kind):
    digest = hashlib.sha256(data).hexdigest()
    (BLOBS / digest).write_bytes(data)
    return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(data)}


def main():
    BLOBS.mkdir(parents=True)
    diff = "sha256:" + hashlib.sha256(pathlib.Path(TAR).read_bytes()).hexdigest()
    config = {
        "architecture": "amd64", "os": "linux", "config": json.loads(CONFIG),
        "rootfs": {"type": "layers", "diff_ids": [diff]},
    }
    manifest = {
        "schemaVersion": 2, "layers": [blob(pathlib.Path(BLOB).read_bytes(), KIND)],
        "config": blob(json.dumps(config).encode(), "config.v1+json"),
    }
    entry = blob(json.dumps(manifest).encode(), "manifest.v1+json")
    entry["annotations"] = {"org.opencontainers.image.ref.name": "image"}
    (pathlib.Path(LAYOUT) / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))
    (pathlib.Path(LAYOUT) / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')


main()
