"""What programs ask of workflows: their state, abort, resume, delete."""

import dataclasses
from typing import Any, Optional

from google.appengine.api import taskqueue
from google.appengine.ext import ndb

from petrichor_workflows import engine, shuffle, values
from petrichor_workflows.records import ABORTED, ENDED, READY, RUNNING, Step, Workflow

STEPS_AT_ONCE = 200


@dataclasses.dataclass(frozen=True)
class Status:
    """`state` is `running`, `finished` or `aborted`; `output` is that of a finished workflow."""

    state: str
    output: Any
    error: Optional[str]


def status(id):
    """The status of a workflow; None if it does not exist."""
    workflow, first = ndb.get_multi([ndb.Key(Workflow, id), ndb.Key(Step, id)])
    if not workflow:
        return None
    finished = first and first.state == ENDED and workflow.state != ABORTED
    return Status(workflow.state, values.load(first.output) if finished else None, workflow.error)


def abort(id, reason="aborted by the application"):
    """Ends a running workflow: no further step runs, and results of steps that are running are ignored."""

    def change():
        workflow = Workflow.get_by_id(id)
        if workflow and workflow.state == RUNNING:
            workflow.state = ABORTED
            workflow.error = reason
            workflow.put()

    engine.transaction(change)


def resume(id):
    """Continues an aborted workflow: steps that have ended keep their outputs, and the others have all their attempts again.

    If the process ends in between, call it again.
    """

    def start_again():
        workflow = Workflow.get_by_id(id)
        if not workflow or workflow.state != ABORTED:
            return
        workflow.state = RUNNING
        workflow.error = None
        workflow.resumed += 1
        workflow.put()
        taskqueue.Queue(workflow.queue).add(engine.task("resume", workflow=id), transactional=True)

    engine.transaction(start_again)


def resume_steps(id):
    """The task of a resumed workflow. Repeating it does no harm: it makes tasks outdated and replaces them."""
    workflow = Workflow.get_by_id(id)
    if not workflow or workflow.state != RUNNING:
        return
    for key in Step.query(Step.workflow == id).iter(keys_only=True, batch_size=STEPS_AT_ONCE):
        engine.transaction(lambda: _resume_step(key, workflow.queue))


def _resume_step(key, queue):
    step = key.get()
    if step.state == READY:
        step.turn += 1
        step.attempts = 0
        step.put()
        engine.add_runs([step], queue)
    elif step.state == ENDED and step.parent and not step.counted:
        taskqueue.Queue(queue).add(engine.task("ended", step=key.id()), transactional=True)


def delete(id):
    """Deletes the state and the output of a workflow that has ended. If the process ends in between, call it again."""
    workflow = Workflow.get_by_id(id)
    if not workflow:
        return
    if workflow.state == RUNNING:
        raise ValueError(f"the workflow {id} is running: abort it first")
    keys = Step.query(Step.workflow == id).iter(keys_only=True, batch_size=STEPS_AT_ONCE)
    batch = []
    for key in keys:
        batch.append(key)
        if len(batch) == STEPS_AT_ONCE:
            ndb.delete_multi(batch)
            batch = []
    ndb.delete_multi(batch)
    while shuffle.delete_some(id):  # of a MapReduce that was aborted
        pass
    workflow.key.delete()
