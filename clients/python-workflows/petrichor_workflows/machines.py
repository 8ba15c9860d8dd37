"""Finite-state machines, after Fantasm: contexts that move from state to state by events, with fan-out and fan-in.

Each transition is a turn of its own: stored, and continued after a crash.
"""

import dataclasses
from typing import Any, Callable, Optional

from petrichor_workflows.pipeline import Abort, Continue, Finish, Pipeline
from petrichor_workflows.values import describes

TRANSITIONS_MAX = 100_000  # of one context


@describes
@dataclasses.dataclass
class State:
    """`action(context)` returns an event, or an event and the context of the next state; None ends the machine.

    `events` has the name of the next state for each event. With `divide`, which yields contexts, a copy of the machine
    starts in the state `part` for each of them, and this machine takes the action when all have ended: its context is
    then the list of their last contexts.
    """

    action: Callable[[Any], Any]
    events: dict = dataclasses.field(default_factory=dict)
    divide: Optional[Callable[[Any], Any]] = None
    part: str = ""


@describes
@dataclasses.dataclass
class Machine:
    """States by their names, and the name of the first one. The contexts are JSON values."""

    states: dict
    first: str

    def __post_init__(self):
        named = {self.first, *(one for state in self.states.values() for one in (*state.events.values(), state.part) if one)}
        if not named <= set(self.states):
            raise ValueError(f"the machine has no state {', '.join(sorted(named - set(self.states)))}")


class RunMachine(Pipeline):
    """The output is the last context. `joined` has the last contexts of the parts of a divided state."""

    def run(self, machine, context=None, state=None, joined=None):
        progress = self.progress
        if progress is None and joined is not None:
            return _moved(machine, state, joined, 0)
        progress = progress or {"state": state or machine.first, "context": context, "transitions": 0}
        here = machine.states[progress["state"]]
        if here.divide:
            return _divided(machine, progress["state"], progress["context"])
        return _moved(machine, progress["state"], progress["context"], progress["transitions"])


def _divided(machine, state, context):
    parts = []
    for one in machine.states[state].divide(context):
        parts.append((yield RunMachine(machine, one, machine.states[state].part)))
    yield RunMachine(machine, state=state, joined=parts)


def _moved(machine, state, context, transitions):
    """Takes the action of a state, and its transition."""
    event = machine.states[state].action(context)
    if isinstance(event, tuple):
        event, context = event
    if event is None:
        return Finish(context)
    if event not in machine.states[state].events:
        raise Abort(f"the state {state} has no event {event}")
    if transitions >= TRANSITIONS_MAX:
        raise Abort(f"a context has made {TRANSITIONS_MAX:,} transitions")
    return Continue({"state": machine.states[state].events[event], "context": context, "transitions": transitions + 1})
