"""Runs the tests of many modules in one Maven build, and reports each module when it has finished."""

import pathlib
import re
import shutil
import subprocess
import sys

from parts import ROOT, modules
from results import broken, read_reports

LEFT_OUT = "target/tests-left-out"  # the root pom skips the tests of a module that has this file
FAST_SECONDS_MAX = 1_200  # for one module's fast tests, which take a tenth of it on a busy machine
SLOW_SECONDS_MAX = 4 * 3_600
MODULES_AT_ONCE = 2

GOAL = re.compile(r"^\[INFO\] --- (?:maven-)?([a-z]+)(?:-plugin)?:\S+ \(\S+\) @ (\S+) ---")
RUNNING = re.compile(r"^\[INFO\] Running (\S+)")
CLASS_DONE = re.compile(r"Tests run: (\d+), .*Time elapsed: ([\d.,]+) s.* (?:in|--) (?:in )?(\S+)$")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
ERROR = re.compile(r"^\[ERROR\] (?!\s*at |\[Help|To see|Re-run|For more|After correcting)\S")
ERROR_LINES_MAX = 20


def command():
    found = shutil.which("mvn")
    return [found] if found else ["sh", str(ROOT / "mvnw")]


def build(log, more=()):
    """Compiles and packages everything, including tests, so that no test waits for a jar."""
    for old in ("stores", "backends"):
        shutil.rmtree(ROOT / "cli/target" / old, ignore_errors=True)  # the jar of a replaced driver must not remain
    line = [*command(), "-B", "-T", str(MODULES_AT_ONCE), "-fae", "-DskipTests", *more, "package"]
    for text in lines_of(line, log):
        step = re.match(r"^\[INFO\] Building (\S+) .*\[(\d+/\d+)\]$", text)
        if step:
            say(f"building [{step[2]}] {step[1]}")
    if lines_of.code:
        return log_errors(log)
    for jar in ("cli/target/petrichor.jar", "tools/target/petrichor-tools.jar"):
        (ROOT / jar).touch()  # otherwise the launcher builds again because of files in other jars
    return ""


def lines_of(line, log):
    """Runs a program and yields its lines while appending them to the log; its exit code is in `lines_of.code`."""
    log.parent.mkdir(exist_ok=True)
    with log.open("w") as copy:
        process = subprocess.Popen(
            line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
            errors="replace",
        )
        try:
            for text in process.stdout:
                copy.write(text)
                yield ESCAPES.sub("", text.rstrip())
        except BaseException:
            process.terminate()
            raise
        finally:
            process.stdout.close()
            lines_of.code = process.wait()


def log_errors(log):
    """The reason of a failed build: Maven's error lines, or its last lines if it has none."""
    lines = [ESCAPES.sub("", line) for line in log.read_text(errors="replace").splitlines()]
    errors = [line for line in lines if ERROR.match(line)] or lines
    return "\n".join(lines[-ERROR_LINES_MAX:] if errors is lines else errors[:ERROR_LINES_MAX])


def test(parts, log, finished, slow=False, more=()):
    """Tests the modules of `parts` and calls `finished(part, result)` once for each of them.

    A module whose JVM crashes ends Maven's run for the modules that depend on it, so those run again without it.
    """
    waiting = {part.module: part for part in parts}
    for module in waiting:
        shutil.rmtree(ROOT / module / "target/surefire-reports", ignore_errors=True)
    while waiting:
        crashed = round_of(waiting, log, finished, slow, more)
        lost = crashed or list(waiting)  # without a crash, Maven itself failed and would fail again
        for module in lost:
            finished(waiting.pop(module), broken(f"{module} was not tested to its end\n{log_errors(log)}"))


def round_of(waiting, log, finished, slow, more):
    """Runs Maven once. Removes finished modules from `waiting`; returns those that started and did not finish."""
    by_artifact = {artifact(module): module for module in modules()}
    leave_out(set(by_artifact.values()) - set(waiting))
    classes, testing = [], set()
    try:
        for text in lines_of(test_line(waiting, slow, more), log):
            goal, running, done = GOAL.match(text), RUNNING.match(text), CLASS_DONE.search(text)
            module = by_artifact.get(goal[2]) if goal else None
            if running:
                classes.append(running[1])
            elif done and done[3] in classes:
                failed = "   FAILURE" if "<<<" in text else ""
                say(f"{float(done[2].replace(',', '')):8.1f} s  {done[1]:>4} tests  {done[3]}{failed}")
            elif goal and module in waiting and goal[1] == "surefire":
                testing.add(module)
            elif goal and module in waiting and goal[1] == "jar":
                finished(waiting.pop(module), module_result(module, classes, log))
    finally:
        leave_out(set())
    return [module for module in waiting if module in testing]


def test_line(modules_to_test, slow, more):
    seconds = SLOW_SECONDS_MAX if slow else FAST_SECONDS_MAX
    return [
        *command(), "-B", "-T", "1" if slow else str(MODULES_AT_ONCE), "-fae",
        "-Dmaven.test.failure.ignore=true", "-Dsurefire.rerunFailingTestsCount=1", f"-Dsurefire.timeout={seconds}",
        *(["-Dall", "-Dgroups=slow | campaign"] if slow else []),
        *(["-Doracle"] if "jobs/oracle" in modules_to_test else []),
        "-pl", ",".join(modules_to_test), "-am", *more, "verify",
    ]


def module_result(module, started, log):
    reports = ROOT / module / "target/surefire-reports"
    own = [name for name in dict.fromkeys(started) if has_class(module, name)]
    result = read_reports(reports, own)
    if not result.passed + result.failed + result.skipped:
        return broken(f"{module}: no test was run; the build's log is {log}")
    return result


def has_class(module, name):
    return (ROOT / module / "src/test/java" / (name.replace(".", "/") + ".java")).exists()


def artifact(module):
    pom = (ROOT / module / "pom.xml").read_text()
    return re.search(r"<artifactId>([^<]+)</artifactId>", pom[pom.index("</parent>") :])[1]


def leave_out(left_out):
    for module in modules():
        mark = ROOT / module / LEFT_OUT
        if module in left_out:
            mark.parent.mkdir(exist_ok=True)
            mark.touch()
        else:
            pathlib.Path(mark).unlink(missing_ok=True)


def say(text):
    print(text, file=sys.stderr, flush=True)
