"""Runs the official clients and the examples, which are programs with counts in their output."""

import re
import subprocess
import sys
import time

from parts import ROOT
from results import Result, broken

CLIENTS_SECONDS_MAX = 3_600  # for one call of clients/run; mostly for the first installation
EXAMPLE_SECONDS_MAX = 1_800
OWN_SECONDS_MAX = 600
TAIL_LINES = 40

COUNTS = re.compile(r"^(\S+): (\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


def client(part):
    store = ["--store", part.store] if part.store else []
    return twice(lambda: counted(["clients/run", "--verbose", "--only", part.module, *store], CLIENTS_SECONDS_MAX, part.module))


def example(part):
    name = part.name.removeprefix("examples/")
    return twice(lambda: counted(["examples/run-tests", name], EXAMPLE_SECONDS_MAX, name))


def own(part):
    """The tests of the launcher and of this runner."""
    words = [sys.executable, "-m", "unittest", "discover", "-s", str(ROOT / part.name)]
    started = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, timeout=OWN_SECONDS_MAX, stdin=subprocess.DEVNULL)
    run = re.search(r"^Ran (\d+) tests? in", done.stderr, re.M)
    bad = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", done.stderr))
    result = Result(passed=int(run[1]) - bad if run else 0, seconds=time.monotonic() - started)
    if done.returncode or not result.passed:
        result.failed = max(bad, 1)
        result.failures.append("\n".join(f"    {line}" for line in done.stderr.splitlines()[-TAIL_LINES:]))
    return result


def twice(run):
    """Runs a failed program once more: if it then passes, it is flaky, and still counts as failed."""
    result = run()
    if result.failed:
        again = run()
        result.seconds += again.seconds
        if not again.failed:
            result.flaky.append("all of it passed when it was run again")
    return result


def counted(words, seconds_max, name):
    started = time.monotonic()
    try:
        done = subprocess.run(
            [str(ROOT / words[0]), *words[1:]], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=seconds_max, text=True, errors="replace",
        )
    except subprocess.TimeoutExpired:
        result = broken(f"{' '.join(words)} did not finish within {seconds_max} s")
    else:
        result = read(done.returncode, done.stdout, name)
    result.seconds = time.monotonic() - started
    return result


def read(code, output, name):
    """The counts in a program's output. A contradicting exit code counts as one more failure."""
    result = Result()
    for found, passed, failed, skipped in COUNTS.findall(output):
        if found == name:
            result.passed, result.skipped = int(passed), int(skipped or 0)
            result.failed = int(failed)
    if code and not result.failed or not code and not result.passed:
        result.failed += 1
    if result.failed:
        result.failures.append("\n".join(f"    {line}" for line in output.strip().splitlines()[-TAIL_LINES:]))
    return result
