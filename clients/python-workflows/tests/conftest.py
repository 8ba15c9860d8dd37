"""A server and an app as processes that tests may kill, and calls of the library as requests of that app."""

import collections
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid

import pytest

HERE = pathlib.Path(__file__).resolve().parent
PETRICHOR = HERE.parents[2] / "petrichor"
PROJECT = "workflows"
TEXTS = 300
VOCABULARY = [f"w{number}" for number in range(80)] + ["ä", "Σ"]
READY_SECONDS_MAX = 120
WITHIN_SECONDS = int(os.environ.get("WITHIN_SECONDS", "120"))
QUEUES = """
queue:
- name: flows
  rate: 500/s
  bucket_size: 100
  max_concurrent_requests: 8
  retry_parameters:
    min_backoff_seconds: 0.1
    max_backoff_seconds: 0.5
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(found, within=WITHIN_SECONDS):
    """Waits for a condition, and returns its value."""
    deadline = time.monotonic() + within
    while True:
        value = found()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {within} s"
        time.sleep(0.1)


class Process:
    """A process that is started and killed several times."""

    def __init__(self, command, environment, log, ready):
        self.command = [str(word) for word in command]
        self.environment = environment
        self.log = log
        self.is_ready = ready
        self.process = None

    def start(self):
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True
            )
        until(self.has_started, READY_SECONDS_MAX)

    def has_started(self):
        assert self.process.poll() is None, self.log.read_text(errors="replace")[-3000:]
        return self.is_ready()

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()


class Platform:
    """The processes, and `call`, which runs a function as a request of the app in this process."""

    def __init__(self, folder):
        port, app_port = free_port(), free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.app_address = f"http://127.0.0.1:{app_port}"
        common = {name: value for name, value in os.environ.items() if not name.startswith(("DATASTORE_", "PETRICHOR_"))}
        self.server = Process(
            [PETRICHOR, "up", "--data", folder / "data", "--port", port],
            {**common, "PETRICHOR_APPS__TARGETS": f"{PROJECT}={self.app_address}"},
            folder / "server.log",
            lambda: answers(self.address + "/readyz"),
        )
        self.at_once = folder / "at-once"
        self.variables = {
            "API_HOST": "127.0.0.1",
            "API_PORT": str(port),
            "STORAGE_EMULATOR_HOST": self.address,
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "GAE_APPLICATION": f"s~{PROJECT}",
            "GAE_ENV": "standard",
            "GAE_SERVICE": "default",
            "GAE_VERSION": "v1",
            "GAE_INSTANCE": "i1",
            "SERVER_SOFTWARE": "werkzeug",
            "TASKS_AT_ONCE": str(folder / "at-once"),
            "PYTHONPATH": os.pathsep.join(map(str, (HERE.parent, HERE, HERE.parents[1] / "python"))),
        }
        self.app = Process(
            [sys.executable, HERE / "serve.py", app_port],
            {**common, **self.variables},
            folder / "app.log",
            lambda: answers(self.app_address),
        )

    def start(self):
        self.server.start()
        with urllib.request.urlopen(f"{self.address}/petrichor/v1/queues/{PROJECT}", QUEUES.encode()):
            pass
        self.app.start()
        for name in ("DATASTORE_PROJECT_ID", "DATASTORE_APP_ID", "DATASTORE_DATASET"):
            os.environ.pop(name, None)
        os.environ.update(self.variables)
        import flask
        import google.appengine.api

        web = flask.Flask(PROJECT)
        web.add_url_rule("/run", view_func=self._run, methods=["POST"])
        web.wsgi_app = google.appengine.api.wrap_wsgi_app(web.wsgi_app)
        self.web = web

    def stop(self):
        self.app.stop()
        self.server.stop()

    def call(self, function, *arguments, **options):
        self.running = lambda: function(*arguments, **options)
        response = self.web.test_client().post("/run", headers={"X-Appengine-Api-Ticket": f"{PROJECT}/test"})
        assert response.status_code == 200
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def _run(self):
        try:
            self.outcome = self.running()
        except Exception as failure:
            self.outcome = failure
        return "done"

    # --- what tests do with workflows

    def start_flow(self, pipeline, **options):
        return self.call(pipeline.start, **{"queue": "flows", **options})

    def ended(self, id, within=WITHIN_SECONDS):
        """The status of a workflow that is no longer running."""
        import petrichor_workflows

        def found():
            status = self.call(petrichor_workflows.status, id)
            return status if status.state != "running" else None

        return until(found, within)

    def output(self, pipeline, within=WITHIN_SECONDS):
        status = self.ended(self.start_flow(pipeline), within)
        assert status.state == "finished", status.error
        return status.output

    def times(self, name):
        import flows

        ran = self.call(flows.Ran.get_by_id, name)
        return ran.times if ran else 0


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except urllib.error.HTTPError as other:
        return other.code == 404
    except OSError:
        return False


@pytest.fixture(scope="session")
def platform(tmp_path_factory):
    platform = Platform(tmp_path_factory.mktemp("workflows"))
    try:
        platform.start()
        yield platform
    finally:
        platform.stop()


@pytest.fixture
def name():
    return uuid.uuid4().hex


def counted_words(texts):
    return collections.Counter(word for text in texts for word in text.split())


@pytest.fixture(scope="session")
def texts(platform):
    """Texts of two languages in a namespace, by their ids."""
    import flows
    from google.appengine.ext import ndb

    chance = random.Random(1)
    made = {n: " ".join(chance.choices(VOCABULARY, k=12)) for n in range(1, TEXTS + 1)}
    keys = {n: ndb.Key(flows.Text, n if n % 2 else f"t{n}", namespace="texts", app=f"s~{PROJECT}") for n in made}
    entities = [flows.Text(key=keys[n], text=text, language="en" if n % 3 else "de") for n, text in made.items()]
    platform.call(ndb.put_multi, entities)
    return made
