# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Prints an extended attribute of an entry of an EROFS image: attribute.py IMAGE ENTRY NAME, in a mount namespace of its own."""
import ctypes
import os
import sys
import tempfile

IMAGE, ENTRY, NAME = sys.argv[1:]
READ_ONLY = 1

libc = ctypes.CDLL(None, use_errno=True)
with tempfile.TemporaryDirectory() as place:
    if libc.mount(os.fsencode(IMAGE), os.fsencode(place), b"erofs", READ_ONLY, None):
        raise OSError(ctypes.get_errno(), f"mount of {IMAGE}")
    try:
        print(os.getxattr(os.path.join(place, ENTRY), NAME).hex())
    finally:
        libc.umount2(os.fsencode(place), 2)
