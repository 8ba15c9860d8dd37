"""The change feed of a server started by clients/run."""

import json
import os
import threading
import urllib.request
import uuid

import pytest

from petrichor.changes import ChangeFeed, ChangesError

SERVER = os.environ.get("DATASTORE_EMULATOR_HOST")


@pytest.fixture
def feed():
    if not SERVER:
        assert "CI" not in os.environ, "no server: run these tests by clients/run"
        pytest.skip("no server: run these tests by clients/run")
    return ChangeFeed(SERVER, project=f"changes-{uuid.uuid4().hex[:8]}")


def put(feed, name, number, kind="City"):
    key = {"partitionId": {"projectId": feed.project}, "path": [{"kind": kind, "name": name}]}
    entity = {"key": key, "properties": {"n": {"integerValue": str(number)}}}
    body = json.dumps({"mode": "NON_TRANSACTIONAL", "mutations": [{"upsert": entity}]})
    request = urllib.request.Request(
        f"http://{SERVER}/v1/projects/{feed.project}:commit", body.encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request).close()


def numbers(commits):
    return [int(entity["after"]["properties"]["n"]["integerValue"]) for one in commits for entity in one.entities]


def test_kept_commits_are_read_in_order_and_after_a_position(feed):
    for number in range(5):
        put(feed, f"c{number}", number)
    commits = list(feed.commits("oldest", follow=False))
    assert numbers(commits) == [0, 1, 2, 3, 4]
    assert numbers(feed.commits(commits[2].position, follow=False)) == [3, 4]


def test_kinds_select(feed):
    put(feed, "a", 1)
    put(feed, "b", 2, kind="Person")
    assert numbers(feed.commits("oldest", kind="Person", follow=False)) == [2]


def test_a_consumer_continues_after_what_was_processed(feed):
    for number in range(4):
        put(feed, f"c{number}", number)
    first = feed.commits("oldest", consumer="index")
    assert numbers([next(first), next(first)]) == [0, 1]
    first.close()
    # The second commit was not processed: nothing was asked for after it.
    assert numbers(feed.commits(consumer="index", follow=False)) == [1, 2, 3]
    assert [one["name"] for one in feed.consumers()] == ["index"]
    assert numbers(feed.commits(consumer="index", follow=False)) == []
    feed.delete("index")
    assert feed.consumers() == []


def test_further_commits_are_waited_for(feed):
    put(feed, "a", 1)
    commits = feed.commits("oldest")
    assert numbers([next(commits)]) == [1]
    later = threading.Timer(0.2, put, (feed, "b", 2))
    later.start()
    assert numbers([next(commits)]) == [2]
    commits.close()
    later.join()


def test_a_stream_that_ends_is_continued_after_the_last_commit(feed):
    for number in range(3):
        put(feed, f"c{number}", number)
    broken = []
    events = feed._events

    def ending(*arguments):
        for event in events(*arguments):
            yield event
            if len(broken) < 2:
                broken.append(event)
                raise ConnectionResetError("the connection ended")

    feed._events = ending
    assert numbers(feed.commits("oldest", follow=False)) == [0, 1, 2]
    assert len(broken) == 2


def test_failures_name_the_reason(feed):
    put(feed, "a", 1)
    with pytest.raises(ChangesError, match="future"):
        next(feed.commits("9000000000000000"))
    unreachable = ChangeFeed("localhost:1", project="p")
    with pytest.raises(OSError):
        next(unreachable.commits("oldest", retry_seconds=0))
