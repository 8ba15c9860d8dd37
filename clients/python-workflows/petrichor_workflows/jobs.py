"""Large computations as jobs: a step of a workflow submits a plan of `petrichor.jobs` to the server and waits for its end.

Needs the package `petrichor` (`clients/python`) in the app, and at the same path on the server.
"""

import json
import os
import urllib.error
import urllib.request

from petrichor_workflows.pipeline import Abort, Continue, Finish, Pipeline

PAUSE_SECONDS_MAX = 20
REQUEST_SECONDS_MAX = 60
JOBS = "/petrichor/v1/jobs"
TEXT_BYTES_MAX = 100_000
FAILED = ("FAILED", "CANCELED")


class Refused(Exception):
    """The server does not accept a job now."""


class Job(Pipeline):
    """Runs the plan that `plan(*arguments)` returns, on the server of API_HOST and API_PORT. Its output is the job's id.

    The job runs again after a crash of the server. Therefore its sinks must be entities with keys, or files with
    `if_exists="overwrite"`. With tokens, PETRICHOR_TOKEN must have the role admin.
    """

    backoff_seconds = 10

    def run(self, plan, *arguments):
        progress = self.progress
        if progress is None:  # a repeated turn finds the job by its name, which has the id of this step
            return Continue({"job": None, "polls": 0, "failures": 0})
        job = _found(progress["job"], self.id) if progress["job"] else _of_step(self.id)
        if job is None:  # not submitted, or lost with its server
            submitted = plan(*arguments)
            submitted.name = f"{submitted.name} {self.id}"
            job = _call("POST", "", submitted.document().encode())
        elif job["state"] == "FINISHED":
            return Finish(job["id"])
        elif job["state"] in FAILED:
            failures = progress["failures"] + 1
            if failures >= self.attempts_max:
                raise Abort(f"the job {job['id']} has {job['state'].lower()}: {job.get('failure', '')}")
            return Continue({"job": None, "polls": 0, "failures": failures}, after_seconds=self.backoff_seconds)
        polls = progress["polls"] + 1
        return Continue(
            {**progress, "job": job["id"], "polls": polls}, after_seconds=min(polls, PAUSE_SECONDS_MAX)
        )


def _found(id, step):
    try:
        return _call("GET", f"/{id}")
    except LookupError:
        return _of_step(step)


def _of_step(step):
    """The step's job that is queued, running or recently finished."""
    for job in _call("GET", "")["jobs"]:
        if job["name"].endswith(f" {step}") and job["state"] not in FAILED:
            return _call("GET", f"/{job['id']}")
    return None


def _call(method, path, body=None):
    headers = {"Content-Type": "application/java-archive"} if body else {}
    if os.environ.get("PETRICHOR_TOKEN"):
        headers["Authorization"] = f"Bearer {os.environ['PETRICHOR_TOKEN']}"
    url = f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}{JOBS}{path}"
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=REQUEST_SECONDS_MAX) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        text = refused.read(TEXT_BYTES_MAX).decode(errors="replace").strip()
        if refused.code == 404:
            raise LookupError(text) from None
        if refused.code in (400, 401, 403):
            raise Abort(f"the server refused the job: {text}") from None
        raise Refused(f"the server did not accept the job: {text}") from None
