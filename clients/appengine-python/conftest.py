"""Runs functions as requests of a Flask app that uses Google's SDK, as an app on App Engine does.

The middleware of the SDK takes the ticket from the header of the request, and each API call sends it to the
server at API_HOST and API_PORT. Without tokens, a ticket `PROJECT/anything` names the app. Every test has its own
app, so tests do not see each other's data; to see those of another app, use `make_app`.

    def test_that_items_are_stored(app):
        app.run(memcache.set, "k", "v")
        assert app.run(memcache.get, "k") == "v"
"""

import os
import uuid

import flask
import google.appengine.api
import pytest

TICKET_HEADER = "X-Appengine-Api-Ticket"


class App:
    """An app of App Engine in this process."""

    def __init__(self, project):
        self.project = project
        self.ticket = f"{project}/{uuid.uuid4().hex}"
        self.running = None
        self.outcome = None
        self.flask = flask.Flask(project)
        self.flask.add_url_rule("/run", view_func=self._run, methods=["POST"])
        self._become()  # the middleware keeps the environment that it finds now
        self.flask.wsgi_app = google.appengine.api.wrap_wsgi_app(self.flask.wsgi_app, use_deferred=True)

    def run(self, function, *arguments, ticket=None, headers=(), **options):
        """Calls the function in a request of this app; returns its result or raises its exception."""
        self._become()
        self.running = lambda: function(*arguments, **options)
        response = self.flask.test_client().post(
            "/run", headers={TICKET_HEADER: self.ticket if ticket is None else ticket, **dict(headers)}
        )
        assert response.status_code == 200
        kind, value = self.outcome
        if kind == "raised":
            raise value
        return value

    def _become(self):
        """The SDK takes the id of its app from the environment of the process."""
        google.appengine.api.full_app_id.put("s~" + self.project)
        os.environ["GOOGLE_CLOUD_PROJECT"] = self.project

    def _run(self):
        try:
            self.outcome = "returned", self.running()
        except Exception as failure:
            self.outcome = "raised", failure
        return "done"


@pytest.fixture(scope="session", autouse=True)
def process():
    """The environment of an app's process."""
    address = os.environ.get("API_HOST")
    assert address and os.environ.get("API_PORT"), "set API_HOST and API_PORT, or start these tests with clients/run"
    # With these, which clients/run sets for other clients, the SDK would look for Datastore v1.
    for name in ("DATASTORE_PROJECT_ID", "DATASTORE_APP_ID", "DATASTORE_DATASET"):
        os.environ.pop(name, None)
    os.environ.update(
        GAE_ENV="standard", GAE_SERVICE="default", GAE_VERSION="v1", GAE_INSTANCE="i1", SERVER_SOFTWARE="gunicorn"
    )


@pytest.fixture
def make_app(process):
    """Creates apps, each with its own data."""
    return lambda: App("t" + uuid.uuid4().hex[:20])


@pytest.fixture
def app(make_app):
    return make_app()
