"""Pipelines: futures, order, retries, abort and resume, starts in transactions, limits."""

import functools
import urllib.error
import urllib.request

import flows
import petrichor_workflows
import pytest
from conftest import until
from google.appengine.ext import ndb
from petrichor_workflows import InvalidValue
from petrichor_workflows.records import Step


def test_children_run_in_parallel_and_their_outputs_meet(platform):
    assert platform.output(flows.SumOfSquares(60)) == sum(n * n for n in range(60))


def test_outputs_of_nested_generators_and_items_of_futures(platform):
    assert platform.output(flows.Nested()) == {"small": 5, "list": [5, 285], "$odd": 1}


def test_a_generator_without_children(platform):
    assert platform.output(flows.Nothing()) is None


def test_steps_run_after_others(platform, name):
    assert platform.output(flows.InOrder(name)) == "abc"


def test_keys_and_functions_are_arguments(platform):
    key = ndb.Key("A", "b", app="s~workflows")
    given = platform.output(flows.Pair(key, second=flows.words))
    assert given == {"first": key, "second": flows.words}
    partial = platform.output(flows.Pair(functools.partial(pow, 2), functools.partial(pow, exp=3)))
    assert partial["first"](5) == 32 and partial["second"](2) == 8


def test_a_failed_attempt_is_repeated(platform, name):
    assert platform.output(flows.Flaky(name, 2)) == "done"
    assert platform.times(name) == 3


def test_too_many_failures_abort_the_workflow(platform, name):
    status = platform.ended(platform.start_flow(flows.Flaky(name, 3)))
    assert (status.state, status.output) == ("aborted", None)
    assert f"RuntimeError: failure of {name}" in status.error
    assert platform.times(name) == 3


def test_abort_is_not_repeated(platform, name):
    status = platform.ended(platform.start_flow(flows.GivesUp(name)))
    assert (status.state, status.error) == ("aborted", "flows:GivesUp: no use")
    assert platform.times(name) == 1


def test_an_aborted_workflow_is_resumed_where_it_failed(platform, name):
    before = platform.times("square 7")
    id = platform.start_flow(flows.GuardedTree(name))
    assert "the switch is off" in platform.ended(id).error
    platform.call(lambda: flows.Switch(id=name, on=True).put())
    platform.call(petrichor_workflows.resume, id)
    assert platform.ended(id).output == {"first": 49, "second": "passed"}
    # A step runs at least once after the resumption, whose task may be delivered again.
    assert platform.times(name) >= 2
    assert platform.times("square 7") == before + 1


def test_a_program_aborts_a_running_workflow(platform, name):
    id = platform.start_flow(flows.Forever(name))
    until(lambda: platform.times(name) > 3)
    platform.call(petrichor_workflows.abort, id, "enough")
    assert platform.ended(id).error == "enough"
    # Tasks that were under way are dropped: a later workflow of the same queue ends, and no turn follows it.
    assert platform.output(flows.Square(3)) == 9
    times = platform.times(name)
    assert platform.output(flows.SumOfSquares(20)) == 2470
    assert platform.times(name) == times


def test_a_running_workflow_is_not_deleted_and_an_ended_one_is(platform, name):
    id = platform.start_flow(flows.Forever(name))
    with pytest.raises(ValueError, match="abort it first"):
        platform.call(petrichor_workflows.delete, id)
    platform.call(petrichor_workflows.abort, id)
    platform.call(petrichor_workflows.delete, id)
    assert platform.call(petrichor_workflows.status, id) is None
    for _ in range(2):  # the id can be used again
        assert platform.ended(platform.start_flow(flows.SumOfSquares(20), id=name)).output == 2470
        platform.call(petrichor_workflows.delete, name)
    assert platform.call(Step.query(Step.workflow == id).count) == 0


def test_entities_are_stored_with_the_progress(platform, name):
    assert platform.output(flows.CountsDown(name, 5)) == "zero"
    stored = platform.call(lambda: [s.text for s in flows.Stored.query() if s.text.startswith(name)])
    assert sorted(stored) == [f"{name} {left}" for left in range(1, 6)]


def test_a_workflow_starts_with_the_commit_of_a_transaction(platform, name):
    def order(fail):
        flows.Stored(id=name, text="order").put()
        flows.Flaky(name, 0).start(queue="flows", id=name)
        if fail:
            raise ndb.Rollback()

    platform.call(ndb.transaction, lambda: order(True), xg=True)
    assert platform.call(petrichor_workflows.status, name) is None
    platform.call(ndb.transaction, lambda: order(False), xg=True)
    assert platform.ended(name).output == "done"
    assert platform.times(name) == 1


def test_an_id_starts_one_workflow(platform, name):
    for _ in range(3):
        assert platform.start_flow(flows.Flaky(name, 0), id=name) == name
    assert platform.ended(name).output == "done"
    platform.start_flow(flows.Flaky(name, 0), id=name)
    assert platform.output(flows.SumOfSquares(20)) == 2470
    assert platform.times(name) == 1


@pytest.mark.parametrize(
    "pipeline, error",
    [
        (flows.TooMany(), "more than 1,000 pipelines"),
        (flows.TooLarge(), "larger than 500,000"),
        (flows.ForeignFuture(), "belongs to another generator"),
    ],
)
def test_limits_abort_at_once(platform, pipeline, error):
    status = platform.ended(platform.start_flow(pipeline))
    assert status.state == "aborted" and error in status.error


def test_what_cannot_be_stored_is_refused(platform):
    with pytest.raises(InvalidValue, match="a object cannot be stored"):
        platform.start_flow(flows.Square(object()))
    with pytest.raises(InvalidValue, match="at the top level of a module"):
        platform.start_flow(flows.Square(lambda: 1))
    with pytest.raises(TypeError, match="not known yet"):
        iter(petrichor_workflows.Future("a"))


def test_clients_cannot_run_steps(platform):
    request = urllib.request.Request(platform.app_address + "/_ah/workflows/run", b"step=a&turn=0", method="POST")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(request)


def test_a_repeated_task_does_nothing(platform, name):
    """As a queue does after a crash, at any later time."""
    id = platform.start_flow(flows.Flaky(name, 0))
    assert platform.ended(id).output == "done"
    for action, body in (("run", f"step={id}&turn=0"), ("ended", f"step={id}")):
        request = urllib.request.Request(
            f"{platform.app_address}/_ah/workflows/{action}",
            body.encode(),
            {"X-AppEngine-TaskName": "again", "X-Appengine-Api-Ticket": "workflows/again"},
        )
        assert urllib.request.urlopen(request).status == 200
    assert platform.times(name) == 1


def test_a_task_that_arrives_twice_at_once_counts_once(platform, name):
    platform.at_once.touch()
    try:
        assert platform.output(flows.SumOfSquares(12)) == 506
        assert platform.output(flows.CountsDown(name, 10)) == "zero"
    finally:
        platform.at_once.unlink()
    stored = platform.call(lambda: [s.text for s in flows.Stored.query() if s.text.startswith(name)])
    assert sorted(stored) == sorted(f"{name} {left}" for left in range(1, 11))
