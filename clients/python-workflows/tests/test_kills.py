"""Kills the app and the server while a MapReduce runs, and compares the results with those of a plain program."""

import collections
import random

import flows
import petrichor_workflows
import pytest
from conftest import until
from google.appengine.ext import ndb
from petrichor_workflows import Entities, MapReduce
from petrichor_workflows.records import ENDED, Block, Step

TEXTS = 1_500
KILLS = 6
SEED = 14


@pytest.fixture(autouse=True)
def each_task_twice_at_once(platform):
    platform.at_once.touch()
    yield
    platform.at_once.unlink()


def progress(platform, id):
    """A number that grows with each turn of the workflow; None after its end."""

    def read():
        if petrichor_workflows.status(id).state != "running":
            return None
        return sum(1 + step.turn + (step.state == ENDED) for step in Step.query(Step.workflow == id))

    return platform.call(read)


def test_a_killed_app_and_a_killed_server_change_nothing(platform):
    chance = random.Random(SEED)
    texts = [" ".join(f"w{chance.randrange(500)}" for _ in range(20)) for _ in range(TEXTS)]

    def store():
        for first in range(0, TEXTS, 500):
            ndb.put_multi([flows.Text(text=text, namespace="kills") for text in texts[first : first + 500]])

    platform.call(store)
    source = Entities(flows.Text, namespace="kills")
    id = platform.start_flow(MapReduce(source, flows.words, flows.totals, shards=4, partitions=4))
    killed = []
    while len(killed) < KILLS:
        goal = (progress(platform, id) or 0) + chance.randrange(1, 8)
        until(lambda: (progress(platform, id) or goal) >= goal)
        if progress(platform, id) is None:
            break
        process = (platform.app, platform.server)[len(killed) % 2]
        process.kill()
        process.start()
        killed.append(process)
    assert len(killed) == KILLS, "the workflow ended before all kills: give it more texts"

    status = platform.ended(id)
    assert status.state == "finished", status.error
    expected = collections.Counter(word for text in texts for word in text.split())
    totals = platform.call(flows.Total.query().fetch)
    assert len(totals) == len(expected), "a total was stored twice, or is missing"
    assert {total.word: total.count for total in totals} == expected
    assert status.output == {"items": TEXTS, "pairs": 20 * TEXTS, "keys": len(expected), "objects": []}
    assert platform.call(Block.query().count) == 0
    platform.call(lambda: ndb.delete_multi([total.key for total in totals]))


def test_a_fan_out_survives_kills(platform):
    """150 children are started, run and counted while the app and the server are killed."""
    id = platform.start_flow(flows.SumOfSquares(150))
    for process in (platform.app, platform.server, platform.app):
        before = progress(platform, id)
        until(lambda: progress(platform, id) != before)
        assert progress(platform, id) is not None, "the workflow ended before all kills: give it more children"
        process.kill()
        process.start()
    assert platform.ended(id).output == sum(n * n for n in range(150))
