# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""A FUSE file system that shows a directory, read-only and never cached: when this process stops, whoever looks at it hangs."""

import ctypes
import errno
import os
import struct
import sys

under, at = sys.argv[1:]
device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
if ctypes.CDLL(None, use_errno=True).mount(b"through", at.encode(), b"fuse", 7, options) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
paths, files = {1: under}, {}


def facts(number):
    s = os.lstat(paths[number])
    times = int(s.st_atime), int(s.st_mtime), int(s.st_ctime)
    parts = [t % 10**9 for t in (s.st_atime_ns, s.st_mtime_ns, s.st_ctime_ns)]
    rest = (s.st_mode, s.st_nlink, s.st_uid, s.st_gid, 0, 4096, 0)
    return struct.pack("<6Q10I", s.st_ino, s.st_size, s.st_blocks, *times, *parts, *rest)


def look_up(number, body):
    path = os.path.join(paths[number], body[:-1].decode())
    os.lstat(path)
    found = next((n for n, p in paths.items() if p == path), len(paths) + 1)
    paths[found] = path
    return struct.pack("<4Q2I", found, 0, 0, 0, 0, 0) + facts(found)


def opened(number, _):
    handle = os.open(paths[number], os.O_RDONLY)
    files[handle] = paths[number]
    return struct.pack("<QII", handle, 1, 0)


def read(_, body):
    handle, offset, size = struct.unpack_from("<QQI", body)
    return os.pread(handle, size, offset)


def entries(_, body):
    handle, offset, size = struct.unpack_from("<QQI", body)
    out = b""
    for i, name in enumerate(sorted(os.listdir(files[handle]))[offset:], offset + 1):
        raw = name.encode()
        kind = os.lstat(os.path.join(files[handle], name)).st_mode >> 12
        one = struct.pack("<QQII", i + 100, i, len(raw), kind) + raw
        one += bytes(-len(one) % 8)
        if len(out) + len(one) > size:
            break
        out += one
    return out


def release(_, body):
    os.close(struct.unpack_from("<Q", body)[0])
    return b""


def begin(_, body):
    return struct.pack("<4I2H2I2HI7I", 7, 31, 131072, 1, 16, 12, 131072, 1, 32, 0, 0, *[0] * 7)


answers = {
    1: look_up,
    3: lambda number, _: struct.pack("<QII", 0, 0, 0) + facts(number),
    14: opened,
    15: read,
    18: release,
    25: lambda *_: b"",
    26: begin,
    27: opened,
    28: entries,
    29: release,
}
while True:
    try:
        request = os.read(device, 1 << 20)
    except OSError as e:
        if e.errno == errno.ENODEV:
            break
        continue
    _, code, unique, number = struct.unpack_from("<IIQQ", request)
    if code in (2, 36, 42):
        continue
    try:
        error, body = 0, answers[code](number, request[40:])
    except OSError as e:
        error, body = -e.errno, b""
    except KeyError:
        error, body = -errno.ENOSYS, b""
    os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
