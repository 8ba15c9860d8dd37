"""The results of a run: read from Surefire's reports, saved between runs, and printed."""

import dataclasses
import json
import pathlib
import xml.etree.ElementTree as xml
from typing import Optional

SLOWEST_SHOWN = 15
FAILURE_LINES_MAX = 12


@dataclasses.dataclass
class Result:
    """The counts of one part. A flaky test failed and then passed; it counts as failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    flaky: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)
    classes: dict = dataclasses.field(default_factory=dict)

    def good(self):
        return self.failed == 0 and self.passed + self.skipped > 0

    def fail(self, text):
        self.failed += 1
        self.failures.append(text)


def broken(text):
    """A part that could not be run counts as one failed test."""
    result = Result()
    result.fail(text)
    return result


def read_reports(folder, started=()):
    """Sums the reports of one module; `started` are the classes that started according to the log."""
    result = Result()
    seen = set()
    for file in sorted(pathlib.Path(folder).glob("TEST-*.xml")):
        name = file.name[len("TEST-") : -len(".xml")]
        try:
            suite = xml.parse(file).getroot()
        except xml.ParseError:
            continue  # the JVM ended while it wrote the report; the class counts as unfinished
        seen.add(name)
        seconds = float(suite.get("time", "0").replace(",", ""))
        result.seconds += seconds
        result.classes[name] = seconds
        for case in suite.iter("testcase"):
            count(case, result)
    for name in started:
        if name not in seen:
            result.fail(f"{name} did not finish: its JVM crashed, or was stopped at the time limit")
    return result


def count(case, result):
    name = f"{case.get('classname')}.{case.get('name')}"
    tags = {child.tag: child for child in case}
    failure = first(tags, "failure", "error")
    flaky = first(tags, "flakyFailure", "flakyError")
    if failure is not None:
        result.fail(f"{name}\n{shortened(failure)}")
    elif flaky is not None:
        result.flaky.append(name)
        result.fail(f"{name} (flaky: it passed when it was run again)\n{shortened(flaky)}")
    elif "skipped" in tags:
        result.skipped += 1
    else:
        result.passed += 1


def first(tags, *names):
    return next((tags[name] for name in names if name in tags), None)


def shortened(failure):
    trace = failure.findtext("stackTrace") or failure.text or failure.get("message") or ""
    lines = trace.strip().splitlines()[:FAILURE_LINES_MAX]
    return "\n".join("    " + line for line in lines)


class State:
    """The results of the last run, one entry per finished part, from which --resume continues."""

    def __init__(self, file):
        self.file = pathlib.Path(file)
        self.commit: Optional[str] = None
        self.parts = {}

    def load(self):
        if self.file.exists():
            stored = json.loads(self.file.read_text())
            self.commit = stored["commit"]
            self.parts = {name: Result(**fields) for name, fields in stored["parts"].items()}
        return self

    def begin(self, commit):
        self.commit = commit
        self.parts = {}
        self.save()

    def put(self, name, result):
        self.parts[name] = result
        self.save()

    def save(self):
        self.file.parent.mkdir(exist_ok=True)
        part = self.file.with_suffix(".part")
        parts = {name: dataclasses.asdict(result) for name, result in self.parts.items()}
        part.write_text(json.dumps({"commit": self.commit, "parts": parts}, indent=1))
        part.replace(self.file)


def total(results):
    whole = Result()
    for result in results:
        whole.passed += result.passed
        whole.failed += result.failed
        whole.skipped += result.skipped
    return whole


def verdict(whole):
    return f"{whole.passed} passed, {whole.failed} failed, {whole.skipped} skipped"


def report(results):
    """The durations, the slowest classes, the flaky tests and the failures, as lines of text."""
    lines = ["", "Durations by part:"]
    for name, result in sorted(results.items(), key=lambda entry: -entry[1].seconds):
        per_second = result.passed / result.seconds if result.seconds else 0
        lines.append(f"  {result.seconds:8.1f} s  {result.passed:5} passed  {per_second:7.1f} per second  {name}")
    classes = [(seconds, name) for result in results.values() for name, seconds in result.classes.items()]
    if classes:
        lines += ["", f"The {min(SLOWEST_SHOWN, len(classes))} slowest classes:"]
        lines += [f"  {seconds:8.1f} s  {name}" for seconds, name in sorted(classes, reverse=True)[:SLOWEST_SHOWN]]
    flaky = [test for result in results.values() for test in result.flaky]
    if flaky:
        lines += ["", "Flaky tests (failed, then passed; they count as failed):", *(f"  {test}" for test in flaky)]
    for name, result in results.items():
        if result.failures:
            lines += ["", f"Failed in {name}:", *(f"  {failure}" for failure in result.failures)]
    return lines
