# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a tar archive of entries with times as PAX headers have them: timed_archive.py ARCHIVE TIME…

For each time a file, a directory and a link, named after it.
"""
import sys
import tarfile

KINDS = {"file": tarfile.REGTYPE, "directory": tarfile.DIRTYPE, "link": tarfile.SYMTYPE}

with tarfile.open(sys.argv[1], "w", format=tarfile.PAX_FORMAT) as tar:
    for time in sys.argv[2:]:
        for kind, code in KINDS.items():
            entry = tarfile.TarInfo(f"{kind}{time}")
            entry.type, entry.mode, entry.pax_headers = code, 0o755, {"mtime": time}
            entry.linkname = "nowhere" if kind == "link" else ""
            tar.addfile(entry)
