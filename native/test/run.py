#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests, two at a time, and says which took longest. Arguments pick tests whose name contains one of them."""
import concurrent.futures
import pathlib
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def flat(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flat(item)
        else:
            yield item.id()


def run(name):
    began = time.monotonic()
    command = [sys.executable, "-W", "error::ResourceWarning", "-m", "unittest", name]
    result = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=120)
    bad = result.returncode or "Exception ignored" in result.stderr
    return name, time.monotonic() - began, result.stderr if bad else None


def main():
    names = [n for n in flat(unittest.defaultTestLoader.discover(str(HERE))) if not sys.argv[1:] or any(a in n for a in sys.argv[1:])]
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, names))
    failed = [r for r in results if r[2] is not None]
    for name, _, errors in failed:
        print(f"---- {name}\n{errors}")
    slowest = sorted(results, key=lambda r: -r[1])[:5]
    print("slowest:", ", ".join(f"{name.split('.')[-1]} {seconds:.1f} s" for name, seconds, _ in slowest))
    print(f"{len(results)} tests, {len(failed)} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed or not results else 0


sys.exit(main())
