"""Pipelines as programs write them."""

import dataclasses
from typing import Any

from petrichor_workflows.values import Future


class Abort(Exception):
    """Ends the whole workflow, without further attempts."""


@dataclasses.dataclass
class Continue:
    """Returned by `run`: store the progress, and run again in another task, with the progress in `self.progress`.

    The entities are stored in the same transaction as the progress, so a repeated turn cannot store them twice.
    """

    progress: Any
    entities: list = dataclasses.field(default_factory=list)
    after_seconds: float = 0


@dataclasses.dataclass
class Finish:
    """Returned by `run`: the output, and entities that are stored in the same transaction."""

    output: Any
    entities: list = dataclasses.field(default_factory=list)


class Pipeline:
    """A step of a workflow. A subclass defines `run`, which is called in a task with the arguments of the constructor.

    If `run` returns a value, it is the output. If it is a generator, it yields child pipelines and receives the future
    of each one's output; a pipeline that has futures among its arguments runs when all of them are known. The output of
    a generator is what it returns, which may contain futures, or that of the child that it yielded last. Children start
    after the generator has ended, in parallel.

    A task can run more than once after a crash, so effects outside of the datastore must be repeatable. An exception
    is followed by another attempt after `backoff_seconds`, then after `backoff_factor` times the previous pause. After
    `attempts_max` attempts, the workflow is aborted.
    """

    attempts_max = 3
    backoff_seconds = 15
    backoff_factor = 2
    backoff_seconds_max = 3_600

    id = None  # of this step, while it runs
    progress = None  # of the last Continue

    def __init__(self, *arguments, **options):
        self.arguments = arguments
        self.options = options
        self.predecessors = ()

    def run(self, *arguments, **options):
        raise NotImplementedError(f"{type(self).__qualname__} must define run")

    def after(self, *futures):
        """Runs only after other steps have ended, whose outputs it does not need."""
        if not all(isinstance(future, Future) for future in futures):
            raise TypeError("after expects futures")
        self.predecessors = (*self.predecessors, *futures)
        return self

    def start(self, queue="default", id=None):
        """Starts a workflow and returns its id. With the id of a workflow that exists, does nothing.

        In a transaction, the workflow is started by its commit.
        """
        from petrichor_workflows import engine

        return engine.start(self, queue, id)
