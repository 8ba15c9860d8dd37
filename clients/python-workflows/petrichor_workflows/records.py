"""The state of workflows, as entities.

A `Workflow` is read by the transactions of all its steps and is written only when it starts, ends, is aborted or is
resumed, so that steps do not conflict through it.
"""

from google.appengine.ext import ndb

RUNNING, FINISHED, ABORTED = "running", "finished", "aborted"  # of a workflow
WAITING, READY, EXPANDED, ENDED = "waiting", "ready", "expanded", "ended"  # of a step


class Uncached(ndb.Model):
    """Always read from the datastore: the state of a step decides what happens next."""

    _use_cache = False
    _use_memcache = False


class Workflow(Uncached):
    """A started pipeline with all its descendants; its id is that of the workflow."""

    state = ndb.StringProperty(default=RUNNING)
    queue = ndb.StringProperty(indexed=False)
    resumed = ndb.IntegerProperty(default=0, indexed=False)  # how many times
    error = ndb.TextProperty()
    started = ndb.DateTimeProperty(auto_now_add=True)
    changed = ndb.DateTimeProperty(auto_now=True)

    @classmethod
    def _get_kind(cls):
        return "PetrichorWorkflow"


class Step(Uncached):
    """A pipeline within a workflow. The id of the first step is that of the workflow; a child adds its number."""

    workflow = ndb.StringProperty()
    state = ndb.StringProperty()
    pipeline = ndb.StringProperty(indexed=False)
    arguments = ndb.TextProperty()
    parent = ndb.StringProperty(indexed=False)
    unfilled = ndb.IntegerProperty(default=0, indexed=False)  # the steps for which it waits
    waiters = ndb.StringProperty(repeated=True, indexed=False)  # siblings that wait for this step
    children = ndb.IntegerProperty(default=0, indexed=False)  # those that have not ended
    result = ndb.TextProperty()  # what to return when the children have ended; refers to their outputs
    output = ndb.TextProperty()
    counted = ndb.BooleanProperty(default=False, indexed=False)  # parent and waiters have counted its end
    turn = ndb.IntegerProperty(default=0, indexed=False)  # tasks of other turns are outdated
    attempts = ndb.IntegerProperty(default=0, indexed=False)  # failed ones since the last progress
    progress = ndb.TextProperty()

    @classmethod
    def _get_kind(cls):
        return "PetrichorWorkflowStep"


class Block(Uncached):
    """Sorted pairs that a mapper has emitted for one partition."""

    pairs = ndb.BlobProperty(compressed=True)
    more = ndb.BooleanProperty(indexed=False)  # a block with the next number follows

    @classmethod
    def _get_kind(cls):
        return "PetrichorWorkflowBlock"
