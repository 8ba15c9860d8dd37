"""Keeps every core busy, to find tests that depend on the machine's speed."""

import contextlib
import os
import subprocess
import sys


@contextlib.contextmanager
def on_every_core(wanted):
    spin = "while True: pass"
    processes = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(os.cpu_count() or 1)] if wanted else []
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
