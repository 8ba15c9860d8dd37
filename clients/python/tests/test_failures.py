"""Invalid functions cause a clear failure, and leave no results or processes behind."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from petrichor.jobs import JobFailed, Plan, run

WAIT_SECONDS_MAX = 60
WORKER = b"petrichor.jobs.worker"


def failing(row):
    if row.line == "line 7000":
        raise LookupError("no such line")
    return row.line


def plan_of(folder, function, fields=None):
    plan = Plan("to fail", parallelism=2)
    lines = folder.lines("lines.txt", (f"line {number}" for number in range(10_000)))
    plan.read_text(lines).map(function, fields or {"text": str}, name="lines").write_csv(folder / "out.csv", header=False)
    return plan


def failure(folder, function, fields=None):
    with pytest.raises(JobFailed) as failed:
        plan_of(folder, function, fields).run(quiet=True)
    assert folder.names() == ["lines.txt"]
    return str(failed.value)


def test_an_exception_comes_with_task_record_and_traceback(folder):
    text = failure(folder, failing)
    assert 'task "' in text and 'in the code of "lines"' in text
    assert "LookupError: 'no such line'" in text or "LookupError: no such line" in text
    assert "Row(line='line 7000')" in text and "(record " in text
    assert 'raise LookupError("no such line")' in text and "test_failures.py" in text
    assert "worker.py" not in text


@pytest.mark.parametrize(
    ("emitted", "fields", "said"),
    [
        ("x", {"n": int}, "'x' (str) was emitted as field 'n', which holds int64"),
        (2**40, {"n": "int32"}, "was emitted as field 'n', which holds int32"),
        (1.5, {"n": int}, "was emitted as field 'n', which holds int64"),
        (b"x", {"t": str}, "b'x' (bytes) was emitted as field 't', which holds string"),
        (("a", 1, 2), {"t": str, "n": int}, "('a', 1, 2) was emitted instead of a row of (t, n)"),
        ({"t": "a"}, {"t": str, "n": int}, "{'t': 'a'} was emitted instead of a row of (t, n)"),
        ("ab", {"t": str, "n": int}, "'ab' was emitted instead of a row of (t, n)"),
    ],
)
def test_a_wrong_row_is_named_with_the_record_that_it_came_of(folder, emitted, fields, said):
    good = ("good", 1) if len(fields) == 2 else "good" if "t" in fields else 1
    text = failure(folder, lambda row: emitted if row.line == "line 6543" else good, fields)
    assert said in text
    assert "Row(line='line 6543')" in text


def test_a_worker_that_is_killed_fails_the_job(folder):
    def dies(row):
        if row.line == "line 7000":
            os.kill(os.getpid(), signal.SIGKILL)
        return row.line

    text = failure(folder, dies)
    assert "its Python worker (process " in text and "was killed by signal 9" in text and "lines" in text


def test_a_worker_that_ends_says_what_it_said_last(folder):
    def leaves(row):
        if row.line == "line 7000":
            print("so long")
            sys.exit(7)
        return row.line

    text = failure(folder, leaves)
    assert "exited with code 7" in text and "so long" in text


def test_what_functions_print_does_no_harm(folder, capfd):
    def prints(row):
        if row.line == "line 7000":
            print("printed")
            os.write(1, b"written\n")
            subprocess.run(["echo", "by a child"], check=True)
            assert sys.stdin.read() == ""
        return row.line

    plan_of(folder, prints).run(quiet=True)
    assert len((folder / "out.csv").read_text().splitlines()) == 10_000
    said = capfd.readouterr().err
    assert "printed" in said and "written" in said and "by a child" in said


def test_a_text_that_is_no_utf8_is_named(folder):
    (folder / "lines.txt").write_bytes(b"good\n\xff\xfe\n")
    plan = Plan("latin", parallelism=1)
    plan.read_text(folder / "lines.txt").map(lambda row: row.line, {"text": str}).write_text(folder / "out.txt")
    with pytest.raises(JobFailed, match="a text is not UTF-8"):
        plan.run(quiet=True)


def test_a_file_that_is_missing_is_named(folder):
    plan = Plan("missing")
    plan.read_text(folder / "none.txt").map(lambda row: row.line, {"text": str}).write_text(folder / "out.txt")
    with pytest.raises(JobFailed, match="none.txt"):
        plan.run(quiet=True)


def test_a_plan_that_cannot_begin_says_why(folder):
    plan = Plan("cannot begin")
    folder.lines("out.txt", [])
    plan.read_text(folder.lines("in.txt", ["a"])).map(lambda row: row.line, {"text": str}).write_text(folder / "out.txt")
    with pytest.raises(JobFailed, match="out.txt"):
        plan.run(quiet=True)
    wrong = Plan("no lines")
    wrong.read_text(folder / "in.txt").map(lambda row: 1, {"n": int}).write_text(folder / "new.txt")
    with pytest.raises(JobFailed, match="records of one text, not of"):
        wrong.run(quiet=True)


def test_a_failure_in_worker_processes_says_as_much(folder):
    with pytest.raises(JobFailed) as failed:
        plan_of(folder, failing).run(quiet=True, workers=2)
    assert folder.names() == ["lines.txt"]
    assert "no such line" in str(failed.value) and "Row(line='line 7000')" in str(failed.value)


def test_what_a_written_plan_would_ignore_is_refused(folder):
    document = folder / "plan.json"
    document.write_text(plan_of(folder, failing).document())
    for before, after, said in (["--class", "Main"], [], "has no classes"), ([], ["--input", "x"], "takes no arguments"):
        command = [run.program(), "job", "run", "--local", "--quiet", *before, document, *after]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS_MAX)
        assert ended.returncode != 0 and said in ended.stderr


def test_a_script_without_a_guard_is_told_so(folder):
    script = folder / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            from petrichor.jobs import Plan
            def same(row):
                return row.line
            plan = Plan("unguarded", parallelism=1)
            plan.read_text("lines.txt").map(same, {"text": str}).write_text("out.txt")
            plan.run(quiet=True)
            """
        )
    )
    folder.lines("lines.txt", ["a"])
    ended = run_script(script)
    assert ended.returncode != 0
    assert 'beneath  if __name__ == "__main__"' in ended.stderr


def test_a_script_brings_its_functions_and_arguments(folder):
    script = folder / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            from petrichor.jobs import Plan
            WANTED = sys.argv[1]
            class Kept:
                def __init__(self, more): self.more = more
                def __call__(self, row): return row.line == WANTED or row.line == self.more
            if __name__ == "__main__":
                plan = Plan("script", parallelism=1)
                plan.read_text("lines.txt").filter(Kept("c")).map(lambda row: WANTED + row.line, {"t": str}).write_text("out.txt")
                plan.run(quiet=True)
            """
        )
    )
    folder.lines("lines.txt", "abcd")
    ended = run_script(script, "b")
    assert ended.returncode == 0, ended.stderr
    assert (folder / "out.txt").read_text() == "bb\nbc\n"


def run_script(script, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(run.__file__).parents[2])}
    return subprocess.run(
        [sys.executable, script, *arguments],
        cwd=script.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=2 * WAIT_SECONDS_MAX,
    )


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_job_that_is_ended_leaves_no_worker_that_loops(folder, how):
    mark = folder / "started"

    def loops(row):
        mark.touch()
        while True:
            pass

    plan = plan_of(folder, loops)
    document = folder / "plan.json"
    document.write_text(plan.document())
    job = subprocess.Popen([run.program(), "job", "run", "--local", "--quiet", document], stderr=subprocess.DEVNULL)
    try:
        until(mark.exists)
        workers = children(job.pid)
        assert workers
        job.send_signal(how)
        job.wait(WAIT_SECONDS_MAX)
        until(lambda: not any(map(runs, workers)))
    finally:
        job.kill()
    if how == signal.SIGTERM:
        assert folder.names() == ["lines.txt", "plan.json", "started"]


def until(condition):
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def children(parent):
    """Workers started by this process."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and WORKER in (entry / "cmdline").read_bytes():
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(entry.name))
        except OSError:
            pass  # it has ended meanwhile
    return found


def runs(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
