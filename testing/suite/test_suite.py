"""Tests of the runner: its counts, its selection, and results that it must never report as success."""

import contextlib
import io
import pathlib
import tempfile
import threading
import unittest
from unittest import mock

import maven
import parts
import programs
import results
import suite

REPORT = """<testsuite name="a.BTest" time="1,002.5" tests="5">
  <testcase name="good" classname="a.BTest" time="1"/>
  <testcase name="bad" classname="a.BTest"><failure message="1 != 2" type="x">expected: 1</failure>
    <rerunFailure message="again"><stackTrace>expected: 1</stackTrace></rerunFailure></testcase>
  <testcase name="breaks" classname="a.BTest"><error message="null">boom</error></testcase>
  <testcase name="unsure" classname="a.BTest"><flakyFailure message="late"><stackTrace>too late</stackTrace></flakyFailure></testcase>
  <testcase name="not here" classname="a.BTest"><skipped message="no root"/></testcase>
</testsuite>"""


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "TEST-a.BTest.xml").write_text(REPORT)

    def test_every_test_counts_once_and_a_flaky_one_as_failed(self):
        found = results.read_reports(self.folder)
        self.assertEqual((found.passed, found.failed, found.skipped), (1, 3, 1))
        self.assertEqual(found.flaky, ["a.BTest.unsure"])
        self.assertEqual(found.seconds, 1002.5)
        self.assertFalse(found.good())

    def test_a_class_that_was_started_and_left_no_report_failed(self):
        (self.folder / "TEST-a.BTest.xml").write_text("<testsuite><testcase name='good' classname='a.BTest'/></testsuite>")
        self.assertTrue(results.read_reports(self.folder, ["a.BTest"]).good())
        found = results.read_reports(self.folder, ["a.BTest", "a.CrashedTest"])
        self.assertEqual(found.failed, 1)
        self.assertIn("a.CrashedTest did not finish", found.failures[0])

    def test_half_a_report_is_not_a_success(self):
        (self.folder / "TEST-a.BTest.xml").write_text(REPORT[:200])
        self.assertEqual(results.read_reports(self.folder, ["a.BTest"]).failed, 1)

    def test_a_part_in_which_nothing_ran_is_not_good(self):
        self.assertFalse(results.Result().good())

    def test_the_state_survives_the_process(self):
        state = results.State(self.folder / "sub" / "state.json")
        state.begin("c0ffee")
        state.put("base", results.read_reports(self.folder))
        again = results.State(state.file).load()
        self.assertEqual((again.commit, again.parts), (state.commit, state.parts))

    def test_the_report_names_failures_and_flaky_tests(self):
        text = "\n".join(results.report({"base": results.read_reports(self.folder)}))
        for words in ("Failed in base:", "expected: 1", "Flaky tests", "  a.BTest.unsure", "1002.5 s"):
            self.assertIn(words, text)

    def test_the_verdict_is_one_line(self):
        self.assertEqual(results.verdict(results.Result(passed=7, failed=1)), "7 passed, 1 failed, 0 skipped")


class Selection(unittest.TestCase):
    everything = parts.all_parts()

    def names(self, only=(), all_of_them=False):
        return [part.name for part in parts.selected(self.everything, all_of_them, only)]

    def test_part_names_are_unique(self):
        self.assertEqual(len(set(self.names((), True))), len(self.everything))

    def test_every_module_with_tests_is_in_a_part(self):
        covered = {part.module for part in self.everything}
        for pom in parts.ROOT.glob("*/**/pom.xml"):
            module = str(pom.parent.relative_to(parts.ROOT))
            if "target" not in pom.parts and parts.test_classes(module) and not module.startswith(("clients/", "examples/")):
                self.assertIn(module, covered)

    def test_the_fast_tier_has_every_official_client_and_store(self):
        fast = self.names()
        for part in (*(f"clients/{name}" for name in parts.OFFICIAL_CLIENTS), "kv/redis", "kv/jdbc", "kv/cassandra",
                     "kv/hbase", "kv/dynamodb", "kv/mongodb", "coordination/zookeeper", "jobs/hosts/flink", "testing/scenarios"):
            self.assertIn(part, fast)
        self.assertNotIn("kv/redis:slow", fast)

    def test_all_has_what_the_fast_tier_has(self):
        self.assertLess(set(self.names()), set(self.names((), True)))

    def test_only_selects_by_name_folder_and_pattern(self):
        self.assertEqual(self.names(["kv/redis"]), ["kv/redis"])
        self.assertIn("kv/redis:slow", self.names(["kv"]))
        self.assertNotIn("kv/redis", self.names(["*:slow"]))
        self.assertEqual(self.names(["testing/scenarios", "base"]), ["base", "testing/scenarios"])

    def test_slow_tests_of_conformance_interfaces_run_for_every_store(self):
        for part in ("kv/mongodb:slow", "kv/ranges:slow", "testing/conformance:slow"):
            self.assertIn(part, self.names(["*:slow"]))

    def test_an_unknown_part_is_a_usage_error(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(suite.main(["--only", "kv/rediss"]), 2)
        self.assertIn("no part is called kv/rediss", told.getvalue())


class Resuming(unittest.TestCase):
    def test_what_passed_is_kept_and_everything_else_runs_again(self):
        with tempfile.TemporaryDirectory() as folder:
            chosen = [parts.Part(name, "client", True, name) for name in ("clients/a", "clients/b", "clients/c")]
            state = results.State(pathlib.Path(folder) / "state.json")
            state.begin("c0ffee")
            state.put("clients/a", results.Result(passed=3))
            state.put("clients/b", results.broken("it failed"))
            ran = []

            def client(part):
                ran.append(part.name)
                return results.Result(passed=1)

            found = suite.run(chosen, state, lambda: "", {"client": suite.at_once(1, client)})
            self.assertEqual(ran, ["clients/b", "clients/c"])
            self.assertEqual(results.total(found.values()), results.Result(passed=5))

    def test_parts_run_at_the_same_time(self):
        both = threading.Barrier(2, timeout=60)  # a part waits until another one runs

        def client(part):
            both.wait()
            return results.Result(passed=1)

        chosen = [parts.Part(name, "client", True, name) for name in ("clients/a", "clients/b")]
        found = {}
        suite.at_once(2, client)(chosen, lambda part, result: found.update({part.name: result}))
        self.assertEqual(found, {"clients/a": results.Result(passed=1), "clients/b": results.Result(passed=1)})

    def test_a_failed_build_is_a_failure_and_the_rest_still_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            state = results.State(pathlib.Path(folder) / "state.json")
            chosen = [parts.Part("clients/a", "client", True, "a")]
            good = suite.at_once(1, lambda part: results.Result(passed=1))
            found = suite.run(chosen, state, lambda: "no compiler", {"client": good})
            self.assertEqual(results.total(found.values()), results.Result(passed=1, failed=1))


class Maven(unittest.TestCase):
    """Tests rounds of Maven, with a fake Maven that prints the output of a real one."""

    LINES = {
        "good": ["[INFO] --- surefire:3.5.4:test (default-test) @ {0} ---", "[INFO] --- jar:3.4.2:jar (default-jar) @ {0} ---"],
        "crashed": ["[INFO] --- maven-surefire-plugin:3.5.4:test (default-test) @ {0} ---", "[ERROR] The forked VM terminated"],
    }

    def run_rounds(self, rounds):
        names = ["base", "kv/spi", "kv/rocksdb"]
        found, asked = {}, []

        def lines_of(line, log):
            asked.append(line[line.index("-pl") + 1])
            log.write_text("[ERROR] The forked VM terminated\n[ERROR] \tat java.lang\n")
            return (text for name, how in rounds.pop(0) for text in self.texts(name, how))

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(maven, "lines_of", lines_of), mock.patch.object(
            maven, "module_result", lambda module, classes, log: results.Result(passed=1)
        ), mock.patch.object(maven, "leave_out"), mock.patch.object(maven.shutil, "rmtree"):
            chosen = [parts.Part(name, "java", True, name) for name in names]
            maven.test(chosen, pathlib.Path(folder) / "log", lambda part, result: found.update({part.name: result}))
        return found, asked

    def texts(self, name, how):
        return [text.format(maven.artifact(name)) for text in self.LINES[how]]

    def test_what_a_crash_kept_from_running_runs_in_another_round(self):
        found, asked = self.run_rounds([[("base", "good"), ("kv/spi", "crashed")], [("kv/rocksdb", "good")]])
        self.assertEqual({name: result.good() for name, result in found.items()},
                         {"base": True, "kv/spi": False, "kv/rocksdb": True})
        self.assertEqual(asked, ["base,kv/spi,kv/rocksdb", "kv/rocksdb"])
        self.assertIn("The forked VM terminated", found["kv/spi"].failures[0])
        self.assertNotIn("at java.lang", found["kv/spi"].failures[0])

    def test_what_maven_never_began_is_a_failure(self):
        found, asked = self.run_rounds([[("base", "good")]])
        self.assertEqual([found["kv/spi"].failed, found["kv/rocksdb"].failed], [1, 1])
        self.assertEqual(len(asked), 1)


class Programs(unittest.TestCase):
    def test_counts_are_read_from_the_output(self):
        found = programs.read(1, "go: 7 passed, 2 failed, 1 skipped\nnode: 4 passed, 0 failed\n", "go")
        self.assertEqual((found.passed, found.failed, found.skipped), (7, 2, 1))

    def test_an_exit_code_that_contradicts_the_counts_is_a_failure(self):
        self.assertEqual(programs.read(1, "go: 7 passed, 0 failed, 0 skipped\n", "go").failed, 1)
        self.assertEqual(programs.read(0, "", "go").failed, 1)

    def test_what_passes_only_at_the_second_attempt_is_flaky_and_failed(self):
        attempts = [results.broken("at first"), results.Result(passed=3)]
        found = programs.twice(lambda: attempts.pop(0))
        self.assertEqual((found.failed, len(found.flaky)), (1, 1))


if __name__ == "__main__":
    unittest.main()
