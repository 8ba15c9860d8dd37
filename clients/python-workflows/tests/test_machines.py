"""State machines: transitions, fan-out and fan-in."""

import flows
import pytest
from petrichor_workflows import Machine, RunMachine, State


def test_a_context_moves_until_an_action_returns_no_event(platform):
    context = {"number": 360, "factors": []}
    assert platform.output(RunMachine(flows.FACTORS, context, "factor"))["factors"] == [2, 2, 2, 3, 3, 5]


def test_a_divided_machine_continues_with_the_contexts_of_its_parts(platform):
    numbers = [12, 1, 97, 64]
    expected = [[2, 2, 3], [], [97], [2] * 6]
    assert platform.output(RunMachine(flows.FACTORS, {"numbers": numbers})) == {"factors": expected}
    assert platform.output(RunMachine(flows.FACTORS, {"numbers": []})) == {"factors": []}


def test_an_event_without_a_transition_aborts(platform):
    status = platform.ended(platform.start_flow(RunMachine(flows.FACTORS, {}, "unknown")))
    assert (status.state, "no event surprise" in status.error) == ("aborted", True)


def test_every_state_that_is_named_exists():
    with pytest.raises(ValueError, match="no state b, c"):
        Machine({"a": State(flows.stop, {"x": "b"}, part="c")}, "a")
