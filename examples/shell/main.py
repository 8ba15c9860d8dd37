"""A shell in the browser: executes a visitor's statements, and keeps their variables in the datastore."""

import re
import uuid

import flask
import google.appengine.api
from google.appengine.ext import ndb

import statements

VARIABLES_MAX = 50
SESSION = re.compile(r"[0-9a-f]{32}")

app = flask.Flask(__name__)
app.wsgi_app = google.appengine.api.wrap_wsgi_app(app.wsgi_app)


class Session(ndb.Model):
    """The variables of a visitor; its id is known to the visitor's page only."""

    variables = ndb.JsonProperty(default={})
    used = ndb.DateTimeProperty(auto_now=True)


@app.get("/")
def page():
    return flask.render_template("shell.html", session=uuid.uuid4().hex)


@app.post("/run")
def run():
    """Executes the statements of a form, such as "a = 5; b = 2; a + b;"; answers with the values, a line each."""
    session = flask.request.form.get("session", "")
    if not SESSION.fullmatch(session):
        return "session: 32 hexadecimal digits\n", 400
    try:
        shown = executed(session, flask.request.form.get("statements", ""))
    except statements.Refused as refused:
        return flask.Response(f"{refused}\n", 422, mimetype="text/plain")
    return flask.Response("".join(f"{line}\n" for line in shown), mimetype="text/plain")


@ndb.transactional(retries=5)
def executed(session, source):
    """Either all statements take effect, or none."""
    stored = Session.get_by_id(session) or Session(id=session)
    variables = dict(stored.variables)
    shown = statements.run(source, variables)
    if len(variables) > VARIABLES_MAX:
        raise statements.Refused(f"a session has at most {VARIABLES_MAX} variables")
    stored.variables = variables
    stored.put()
    return shown
