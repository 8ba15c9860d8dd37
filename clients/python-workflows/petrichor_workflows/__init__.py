"""Pipelines and MapReduce for apps on App Engine's SDK: steps run as tasks of push queues, their state is in entities.

    from petrichor_workflows import Pipeline

    class CountWords(Pipeline):
        def run(self, url):
            return len(requests.get(url).text.split())

    class Sum(Pipeline):
        def run(self, numbers):
            return sum(numbers)

    class CountAll(Pipeline):
        def run(self, urls):
            counts = []
            for url in urls:
                counts.append((yield CountWords(url)))
            return (yield Sum(counts))

    workflow = CountAll(["https://example.com/"]).start()

A workflow continues after any crash of the app or the server.
"""

from petrichor_workflows.control import Status, abort, delete, resume, status
from petrichor_workflows.machines import Machine, RunMachine, State
from petrichor_workflows.mapreduce import MapReduce
from petrichor_workflows.pipeline import Abort, Continue, Finish, Pipeline
from petrichor_workflows.requests import wrap_wsgi_app
from petrichor_workflows.sinks import Objects
from petrichor_workflows.sources import Entities, Items, Line, Lines
from petrichor_workflows.values import Future, InvalidValue

__all__ = [
    "Abort",
    "Continue",
    "Entities",
    "Finish",
    "Future",
    "InvalidValue",
    "Items",
    "Line",
    "Lines",
    "Machine",
    "MapReduce",
    "Objects",
    "Pipeline",
    "RunMachine",
    "State",
    "Status",
    "abort",
    "delete",
    "resume",
    "status",
    "wrap_wsgi_app",
]
