"""Jobs as steps of workflows."""

import csv
import json
import urllib.request

import flows
from conftest import counted_words, until
from petrichor_workflows.jobs import Job


def test_a_job_counts_the_words_of_entities(platform, texts, tmp_path):
    result = tmp_path / "counts.csv"
    job = platform.output(Job(flows.word_count, str(result)))
    with result.open(newline="") as rows:
        counts = {row["word"]: int(row["times"]) for row in csv.DictReader(rows)}
    assert counts == counted_words(texts.values())
    with urllib.request.urlopen(f"{platform.address}/petrichor/v1/jobs/{job}") as answer:
        shown = json.load(answer)
    assert shown["state"] == "FINISHED" and shown["name"].startswith("words of texts ")


def test_a_job_that_fails_aborts_the_workflow(platform, texts, tmp_path):
    status = platform.ended(platform.start_flow(flows.FailingJob(flows.failing_word_count, str(tmp_path / "counts.csv"))))
    assert status.state == "aborted" and "ValueError: no words" in status.error
    assert (tmp_path / "runs").read_text() == "run\n" * 2


def test_a_job_that_is_lost_with_its_server_runs_again(platform, texts, tmp_path):
    result = tmp_path / "counts.csv"
    id = platform.start_flow(Job(flows.slow_word_count, str(result)))
    started = tmp_path / "started"
    until(started.exists)
    platform.server.kill()
    platform.server.start()
    assert platform.ended(id).state == "finished"
    with result.open(newline="") as rows:
        assert {row["word"]: int(row["times"]) for row in csv.DictReader(rows)} == counted_words(texts.values())
