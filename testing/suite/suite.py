#!/usr/bin/env python3
"""Runs Petrichor's tests, continues after failures, and ends with one line of counts.

Without options: the fast tier, which takes about 40 minutes on two cores. It has all tests without the
tags `slow` and `campaign`, every official client and the examples. --all adds the tagged tests, Flink's optimizer as
an oracle, and the clients against two servers.
A test that fails is run once more. If it passes then, it is reported as flaky, and it still counts as failed.
"""

import argparse
import concurrent.futures
import itertools
import subprocess
import sys
import time

import load
import maven
import programs
from parts import ROOT, all_parts, selected
from results import State, broken, report, total, verdict

WORK = ROOT / ".test"
PROGRAMS_AT_ONCE = 2  # each has its own server
PROGRAM_USERS = ("cli", "server", "bench", "tools", "testing/")


def options_of(words):
    parser = argparse.ArgumentParser(
        prog="petrichor test",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Any other first option goes to Maven as it is:  petrichor test -pl kv/redis -am -Dtest=RedisStoreTest",
    )
    parser.add_argument("--all", action="store_true", help="run the slow tests as well")
    parser.add_argument("--only", metavar="PART", action="append", default=[],
                        help="run these parts of --all; a folder or a pattern selects several; repeatable")
    parser.add_argument("--list", action="store_true", help="list the parts and their last results, run nothing")
    parser.add_argument("--resume", action="store_true", help="keep the parts that passed in the last run, run the others")
    parser.add_argument("--repeat", metavar="N", type=int, default=1, help="run everything N times; all must pass")
    parser.add_argument("--load", action="store_true", help="keep every core busy during the run")
    parser.add_argument("--offline", action="store_true", help="do not let Maven download anything")
    options = parser.parse_args(words)
    if options.repeat < 1 or options.repeat > 1 and options.resume:
        parser.error("--repeat needs a number of at least 1, and cannot be combined with --resume")
    options.only = [name for names in options.only for name in names.split(",")]
    return options


def commit():
    found = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def show(parts, state):
    for part in parts:
        last = state.parts.get(part.name)
        result = "" if last is None else f"{'passed' if last.good() else 'FAILED'} in {last.seconds:.0f} s"
        print(f"{'fast' if part.fast else 'all':5} {part.name:36} {result}".rstrip())


def at_once(most, runner):
    """Runs at most `most` parts at the same time, and reports each as it finishes."""

    def run_each(chosen, finished):
        with concurrent.futures.ThreadPoolExecutor(most) as pool:
            running = {pool.submit(runner, part): part for part in chosen}
            try:
                for done in concurrent.futures.as_completed(running):
                    finished(running[done], done.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    return run_each


def runners(more):
    """The runners by kind of part: each takes the parts and a callback for each part and its result."""
    return {
        "own": at_once(1, programs.own),
        "java": lambda chosen, finished: maven.test(chosen, WORK / "java.log", finished, False, more),
        "client": at_once(PROGRAMS_AT_ONCE, programs.client),
        "example": at_once(PROGRAMS_AT_ONCE, programs.example),
        "java-slow": lambda chosen, finished: maven.test(chosen, WORK / "java-slow.log", finished, True, more),
    }


def run(parts, state, build, by_kind):
    """Runs all parts without a good result in `state`, and returns the results of all parts."""

    def finished(part, result):
        state.put(part.name, result)
        maven.say(f"{'passed' if result.good() else 'FAILED'}  {part.name}: {verdict(result)}")

    left = [part for part in parts if not (part.name in state.parts and state.parts[part.name].good())]
    problem = build()
    if problem:
        state.put("build", broken(f"the build failed; its log is {WORK / 'build.log'}\n{problem}"))
    for kind, chosen in itertools.groupby(left, key=lambda part: part.kind):
        by_kind[kind](list(chosen), finished)
    names = ["build", *(part.name for part in parts)]
    return {name: state.parts[name] for name in names if name in state.parts}


def needs_the_program(parts):
    """Whether a part starts the built program; the others only need the compiled modules."""
    return any(part.kind != "java" or part.module.startswith(PROGRAM_USERS) for part in parts if part.kind != "own")


def main(words):
    options = options_of(words)
    everything = all_parts()
    state = State(WORK / "state.json").load()
    try:
        parts = selected(everything, options.all or options.list, options.only)
    except ValueError as unknown:
        print(f"petrichor test: {unknown}", file=sys.stderr)
        return 2
    if options.list:
        show(parts, state)
        return 0
    now = commit()
    if options.resume:
        state.parts.pop("build", None)
        if state.commit != now:
            maven.say(f"parts that passed were tested at {state.commit} and are not tested again at {now}")
    more = ["-o"] if options.offline else []
    results = []
    for turn in range(options.repeat):
        if not options.resume:
            state.begin(now)
        started = time.monotonic()
        with load.on_every_core(options.load):
            build = (lambda: maven.build(WORK / "build.log", more)) if needs_the_program(parts) else lambda: ""
            found = run(parts, state, build, runners(more))
        results += found.values()
        text = "\n".join([*report(found), "", f"{verdict(total(found.values()))} in {time.monotonic() - started:.0f} s"])
        (WORK / f"report-{turn + 1}.txt").write_text(text + "\n")
        maven.say(text)
    whole = total(results)
    print(verdict(whole), flush=True)
    return 0 if whole.passed and not whole.failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        maven.say("stopped; --resume continues after the last part that passed")
        sys.exit(130)
