"""Runs steps. Each change of a step is one transaction that also adds the tasks which continue the workflow.

A task can be delivered several times, at the same time as well: it changes a step only if the step is in the state and
turn for which the task was added. After a crash of the app or the server, the queue delivers the task again.
"""

import inspect
import logging
import re
import traceback
import uuid

from google.appengine.api import datastore_errors, taskqueue
from google.appengine.ext import ndb
from google.appengine.runtime import apiproxy_errors

from petrichor_workflows import values
from petrichor_workflows.pipeline import Abort, Continue, Finish, Pipeline
from petrichor_workflows.records import ABORTED, ENDED, EXPANDED, FINISHED, READY, RUNNING, WAITING, Step, Workflow

PATH = "/_ah/workflows/"
CHILDREN_MAX = 1_000
DEPTH_MAX = 50
EXPANSION_BYTES_MAX = 8 << 20  # a commit has at most 10 MiB
TRANSACTION_ATTEMPTS = 20
DIRECT_TASKS_MAX = 4  # a transaction has at most 5 tasks
BULK_TASKS_MAX = 100
ERROR_LENGTH_MAX = 10_000
ID = re.compile(r"[A-Za-z0-9_]{1,100}")

# Failures of the platform: the queue repeats the task, and no attempt is counted.
TEMPORARY = (
    apiproxy_errors.RPCFailedError,
    apiproxy_errors.CapabilityDisabledError,
    apiproxy_errors.DeadlineExceededError,
    apiproxy_errors.CancelledError,
    datastore_errors.Timeout,
    datastore_errors.InternalError,
    datastore_errors.TransactionFailedError,
    taskqueue.TransientError,
    taskqueue.InternalError,
)

log = logging.getLogger(__name__)


def transaction(change):
    return ndb.transaction(change, retries=TRANSACTION_ATTEMPTS, xg=True)


def start(pipeline, queue, id):
    workflow = uuid.uuid4().hex if id is None else id
    if not ID.fullmatch(workflow):
        raise ValueError("the id of a workflow has up to 100 letters, digits and underscores")
    arguments = _arguments(pipeline)
    if values.references(arguments) or pipeline.predecessors:
        raise ValueError("the first pipeline of a workflow cannot wait for futures")

    def create():
        if Workflow.get_by_id(workflow):
            return
        first = Step(id=workflow, workflow=workflow, state=READY, pipeline=values.name_of(type(pipeline)), arguments=arguments)
        ndb.put_multi([Workflow(id=workflow, queue=queue), first])
        add_runs([first], queue)

    ndb.transaction(create, retries=TRANSACTION_ATTEMPTS, xg=True, propagation=ndb.TransactionOptions.ALLOWED)
    return workflow


def _arguments(pipeline):
    return values.dump({"arguments": pipeline.arguments, "options": pipeline.options})


# --- tasks ---------------------------------------------------------------------------------------


def task(action, countdown=0, name=None, **fields):
    return taskqueue.Task(url=PATH + action, params=fields, countdown=countdown, name=name)


def add_runs(steps, queue, countdown=0):
    """Adds the tasks of steps that are ready, in the current transaction. Several steps are children of one parent."""
    if len(steps) <= DIRECT_TASKS_MAX:
        tasks = [task("run", countdown, step=step.key.id(), turn=step.turn) for step in steps]
    else:
        numbers = " ".join(step.key.id().rpartition("-")[2] for step in steps)
        tasks = [task("start", parent=steps[0].parent, numbers=numbers, queue=queue, token=uuid.uuid4().hex)]
    if tasks:
        taskqueue.Queue(queue).add(tasks, transactional=True)


def start_many(parent, numbers, queue, token):
    """Adds the tasks of many children. Their names let a repetition add only those that are missing.

    The names have a token, because a name can be used once, and the id of a deleted workflow again.
    """
    tasks = []
    for number in numbers.split():
        id = f"{parent}-{number}"
        tasks.append(task("run", name=f"{id}-{token}", step=id, turn=0))
    for first in range(0, len(tasks), BULK_TASKS_MAX):
        try:
            taskqueue.Queue(queue).add(tasks[first : first + BULK_TASKS_MAX])
        except (taskqueue.TaskAlreadyExistsError, taskqueue.TombstonedTaskError):
            pass  # the others were added


# --- one step ------------------------------------------------------------------------------------


def run(id, turn):
    """The task of a step."""
    step = Step.get_by_id(id)
    workflow = step and Workflow.get_by_id(step.workflow)
    if not workflow or not _is_current(step, workflow, turn):
        return
    try:
        outcome = _outcome(step)
    except TEMPORARY:
        raise
    except (Abort, values.InvalidValue) as reason:
        _abort(step, f"{step.pipeline}: {reason}")
    except Exception as failure:
        log.exception("attempt %d of %s failed, step %s", step.attempts + 1, step.pipeline, id)
        _failed(step, failure)
    else:
        transaction(lambda: _commit(id, turn, outcome))


def _is_current(step, workflow, turn):
    return step and workflow.state == RUNNING and step.state == READY and step.turn == turn


class _Expansion:
    """The children of a generator, and its result."""

    def __init__(self, step, children, result):
        if len(children) > CHILDREN_MAX:
            raise Abort(f"it yielded more than {CHILDREN_MAX:,} pipelines: divide them among further generators")
        if step.key.id().count("-") >= DEPTH_MAX:
            raise Abort(f"generators are nested more than {DEPTH_MAX} deep")
        ids = [f"{step.key.id()}-{number}" for number in range(len(children))]
        if result is None and children:
            result = values.Future(ids[-1])
        self.result = values.dump(result)
        own = set(ids)
        self._check(values.references(self.result), own)
        self.steps = []
        waiters = {id: [] for id in ids}
        for id, child in zip(ids, children):
            arguments = _arguments(child)
            needed = values.references(arguments) | {future.step for future in child.predecessors}
            self._check(needed, own)
            for other in needed:
                waiters[other].append(id)
            self.steps.append(
                Step(
                    id=id,
                    workflow=step.workflow,
                    state=WAITING if needed else READY,
                    pipeline=values.name_of(type(child)),
                    arguments=arguments,
                    parent=step.key.id(),
                    unfilled=len(needed),
                )
            )
        for one in self.steps:
            one.waiters = waiters[one.key.id()]
        if sum(len(one.arguments) for one in self.steps) > EXPANSION_BYTES_MAX:
            raise Abort(f"the arguments of its children have more than {EXPANSION_BYTES_MAX:,} bytes: pass keys of entities")

    @staticmethod
    def _check(needed, own):
        if not needed <= own:
            raise Abort("a future belongs to another generator: pass it as an argument, and use its value")


def _outcome(step):
    """Runs the pipeline: an expansion, Continue or Finish."""
    cls = values.named(step.pipeline)
    if not (isinstance(cls, type) and issubclass(cls, Pipeline)):
        raise Abort("it is not a pipeline")
    given = values.load(step.arguments, _outputs(values.references(step.arguments)))
    pipeline = cls(*given["arguments"], **given["options"])
    pipeline.id = step.key.id()
    pipeline.progress = None if step.progress is None else values.load(step.progress)
    outcome = pipeline.run(*given["arguments"], **given["options"])
    if inspect.isgenerator(outcome):
        return _expanded(step, outcome)
    if not isinstance(outcome, (Continue, Finish)):
        outcome = Finish(outcome)
    # Encoded here, so that an invalid value is a failure of the pipeline.
    if isinstance(outcome, Continue):
        return Continue(values.dump(outcome.progress), outcome.entities, outcome.after_seconds)
    return Finish(values.dump(outcome.output), outcome.entities)


def _expanded(step, generator):
    children = []
    try:
        child = next(generator)
        while True:
            if not isinstance(child, Pipeline):
                raise Abort(f"it yielded a {type(child).__name__} instead of a pipeline")
            children.append(child)
            if len(children) > CHILDREN_MAX:
                break
            child = generator.send(values.Future(f"{step.key.id()}-{len(children) - 1}"))
    except StopIteration as end:
        return _Expansion(step, children, end.value)
    return _Expansion(step, children, None)


def _outputs(ids):
    steps = ndb.get_multi([ndb.Key(Step, id) for id in ids])
    return {step.key.id(): step.output for step in steps}


def _commit(id, turn, outcome):
    step = Step.get_by_id(id)
    workflow = Workflow.get_by_id(step.workflow)
    if not _is_current(step, workflow, turn):
        return
    if isinstance(outcome, _Expansion):
        _expand(step, workflow, outcome)
        return
    ndb.put_multi(outcome.entities)
    if isinstance(outcome, Continue):
        step.progress = outcome.progress
        step.attempts = 0
        step.turn += 1
        step.put()
        add_runs([step], workflow.queue, outcome.after_seconds)
    else:
        step.output = outcome.output
        step.progress = None
        _end(step, workflow)


def _expand(step, workflow, expansion):
    step.result = expansion.result
    if not expansion.steps:
        step.output = expansion.result
        _end(step, workflow)
        return
    step.state = EXPANDED
    step.children = len(expansion.steps)
    ndb.put_multi([step, *expansion.steps])
    add_runs([one for one in expansion.steps if one.state == READY], workflow.queue)


def _end(step, workflow):
    """Ends a step. Its end is counted by another task: many siblings can end at once, and all of them change the parent."""
    step.state = ENDED
    step.put()
    if step.parent:
        taskqueue.Queue(workflow.queue).add(task("ended", step=step.key.id()), transactional=True)
    else:
        workflow.state = FINISHED
        workflow.put()


def ended(id):
    """The task of a step that has ended: starts the siblings that waited for it, and ends the parent after its last child."""
    transaction(lambda: _count_end(id))


def _count_end(id):
    step = Step.get_by_id(id)
    if not step or not step.parent or step.state != ENDED or step.counted:
        return
    workflow, parent, *waiters = ndb.get_multi(
        [ndb.Key(Workflow, step.workflow), *(ndb.Key(Step, other) for other in (step.parent, *step.waiters))]
    )
    if workflow.state == ABORTED:
        return  # counted when the workflow is resumed
    step.counted = True
    for waiter in waiters:
        waiter.unfilled -= 1
        if not waiter.unfilled:
            waiter.state = READY
    ndb.put_multi([step, *waiters])
    add_runs([waiter for waiter in waiters if waiter.state == READY], workflow.queue)
    parent.children -= 1
    if parent.children:
        parent.put()
    else:
        parent.output = values.dump(values.load(parent.result, _outputs(values.references(parent.result))))
        _end(parent, workflow)


# --- failures ------------------------------------------------------------------------------------


def _failed(step, failure):
    cls = values.named(step.pipeline) if _is_known(step.pipeline) else Pipeline
    text = "".join(traceback.format_exception_only(type(failure), failure)).strip()

    def change():
        now = Step.get_by_id(step.key.id())
        workflow = Workflow.get_by_id(step.workflow)
        if not _is_current(now, workflow, step.turn):
            return
        now.attempts += 1
        if now.attempts >= cls.attempts_max:
            workflow.state = ABORTED
            workflow.error = f"{step.pipeline}: {text}"[:ERROR_LENGTH_MAX]
            ndb.put_multi([now, workflow])
            return
        now.turn += 1
        now.put()
        pause = cls.backoff_seconds * cls.backoff_factor ** (now.attempts - 1)
        add_runs([now], workflow.queue, min(pause, cls.backoff_seconds_max))

    transaction(change)


def _is_known(name):
    try:
        return issubclass(values.named(name), Pipeline)
    except (ImportError, AttributeError, TypeError):
        return False


def _abort(step, reason):
    def change():
        workflow = Workflow.get_by_id(step.workflow)
        if _is_current(Step.get_by_id(step.key.id()), workflow, step.turn):
            workflow.state = ABORTED
            workflow.error = reason[:ERROR_LENGTH_MAX]
            workflow.put()

    transaction(change)
