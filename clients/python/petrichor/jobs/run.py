"""Passes plans to Petrichor's program, and returns the results."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import NamedTuple

CANCEL_SECONDS_MAX = 15
PROGRAM = "PETRICHOR"


class JobFailed(Exception):
    """The job failed or was cancelled; none of its results remain. The text gives the reason."""


class Task(NamedTuple):
    """The totals of all subtasks of one task."""

    name: str
    operation: str
    subtasks: int
    records_in: int
    records_out: int


class Result(NamedTuple):
    """A completed job: its sinks are written."""

    name: str
    seconds: float
    tasks: list
    job: dict
    """All that `petrichor job run --json` says."""

    def __str__(self):
        tasks = [f"  {t.name}: {t.records_in:,} records in, {t.records_out:,} out" for t in self.tasks]
        return "\n".join([f"{self.name}: {self.seconds:.2f} s", *tasks])

    def __repr__(self):
        return f"Result({self.name!r}, seconds={self.seconds}, tasks={len(self.tasks)})"


def run(plan, server, quiet, workers):
    how = ["--local"] if server is None else _address(server)
    if workers:
        how += ["--workers", str(workers)]
    if quiet:
        how.append("--quiet")
    with _document(plan) as path:
        code, output, said = _call(["job", "run", "--json", *how, path], plan.name)
    try:
        job = json.loads(output)
    except ValueError:
        raise JobFailed(f"{plan.name} was not started: {said or f'petrichor ended with exit code {code}'}") from None
    if job["state"] != "FINISHED":
        ended = "was cancelled" if job["state"] == "CANCELED" else "failed"
        raise JobFailed(f"{plan.name} {ended}: {job.get('failure', '')}")
    return Result(plan.name, job["elapsedMillis"] / 1e3, [_task(task) for task in job["tasks"]], job)


def explain(plan):
    with _document(plan) as path:
        code, output, said = _call(["job", "explain", path], plan.name)
    if code:
        raise JobFailed(f"{plan.name} cannot be explained: {said or f'petrichor ended with exit code {code}'}")
    return output


def _task(task):
    def total(metric):
        return sum(subtask["metrics"].get(metric, 0) for subtask in task["subtasks"])

    return Task(task["name"], task["operation"], len(task["subtasks"]), total("recordsIn"), total("recordsOut"))


def _address(server):
    host, _, port = server.rpartition(":")
    return ["--host", host or "localhost", "--port", port]


def _document(plan):
    file = tempfile.NamedTemporaryFile("w", prefix="petrichor-plan-", suffix=".json")
    file.write(plan.document())
    file.flush()
    return _Named(file)


class _Named:
    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self.file.name

    def __exit__(self, *_):
        self.file.close()


def _call(words, name):
    """Returns the command's exit code, its output, and its last message."""
    # On a terminal, the command itself shows the progress of the job.
    errors = None if sys.stderr.isatty() else subprocess.PIPE
    process = subprocess.Popen([program(), *words], stdout=subprocess.PIPE, stderr=errors, text=True)
    said = collections.deque(maxlen=1)
    failure = []
    listener = threading.Thread(target=_pass_on, args=(process.stderr, said, failure, name), daemon=True)
    try:
        if errors:
            listener.start()
        output = process.stdout.read()
        process.wait()
        if errors:
            listener.join()
    except BaseException:
        # Ctrl-C reaches it too; any other end of this process must end it.
        process.terminate()
        try:
            process.wait(CANCEL_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    finally:
        process.stdout.close()
    if process.returncode == 0:
        # It only looked like one.
        sys.stderr.writelines(failure)
    return process.returncode, output, said[0] if said else ""


def _pass_on(lines, said, failure, name):
    """Passes lines on, except for the failure of the job, which is raised."""
    endings = (f"{name} failed", f"{name} was cancelled")
    for line in lines:
        if failure or line.startswith(endings):
            failure.append(line)
        else:
            sys.stderr.write(line)
        if line.strip():
            said.append(line.strip())


def program():
    """The path of the command: from PETRICHOR, in the checkout of this package, or on PATH."""
    named = os.environ.get(PROGRAM)
    if named:
        return named
    beside = pathlib.Path(__file__).resolve().parents[4] / "petrichor"
    if beside.is_file():
        return str(beside)
    found = shutil.which("petrichor")
    if found:
        return found
    raise JobFailed(f"the command petrichor was not found: set {PROGRAM} to where it is")
