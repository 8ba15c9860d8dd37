"""A bot that keeps notes: users of chat programs add, list and delete them; a web form sends one to a user."""

import os

import flask
import google.appengine.api
from google.appengine.ext import ndb

import xmpp

PORT = int(os.environ.get("PORT", "8094"))
TEXT_LENGTH_MAX = 1_000
LISTED_MAX = 20
HELP = "add TEXT, list, or delete NUMBER"

app = flask.Flask(__name__)
app.wsgi_app = google.appengine.api.wrap_wsgi_app(app.wsgi_app)


class Note(ndb.Model):
    """A child of its user's key, so that queries see every note that was acknowledged."""

    text = ndb.StringProperty(indexed=False)
    added = ndb.DateTimeProperty(auto_now_add=True)


class Ticketed:
    """Names the app in requests that no platform has sent, as in development."""

    def __init__(self, wsgi_app, project):
        self.wsgi_app = wsgi_app
        self.ticket = f"{project}/development"

    def __call__(self, environ, start_response):
        environ.setdefault("HTTP_X_APPENGINE_API_TICKET", self.ticket)
        return self.wsgi_app(environ, start_response)


app.wsgi_app = Ticketed(app.wsgi_app, os.environ["GOOGLE_CLOUD_PROJECT"])


def notes(user):
    return Note.query(ancestor=ndb.Key("User", user)).order(Note.added).fetch(LISTED_MAX)


def answer(user, text):
    command, _, rest = text.strip().partition(" ")
    if command == "add" and rest.strip():
        Note(parent=ndb.Key("User", user), text=rest.strip()[:TEXT_LENGTH_MAX]).put()
        return f"added; you have {len(notes(user))}"
    if command == "list":
        return "\n".join(f"{number}. {note.text}" for number, note in enumerate(notes(user), 1)) or "no notes"
    if command == "delete" and rest.strip().isdigit():
        found = notes(user)[int(rest) - 1 : int(rest)] if int(rest) else []
        if found:
            found[0].key.delete()
        return "deleted" if found else f"there is no note {rest}"
    return HELP


@app.post("/_ah/xmpp/message/chat/")
def chat():
    sender = flask.request.form["from"]
    xmpp.send_message([sender], answer(sender.partition("/")[0], flask.request.form["body"]))
    return "", 204


@app.post("/_ah/xmpp/subscription/subscribe/")
def subscribed():
    """A user has added the bot to its contacts."""
    user = flask.request.form["from"].partition("/")[0]
    xmpp.send_message([user], f"Welcome! {HELP}")
    return "", 204


@app.get("/")
def form():
    return flask.render_template_string(
        """<!doctype html><title>Notes</title>
        <form method=post action=/note>
        <label>Address <input name=address placeholder=ann@apps.test></label>
        <label>Text <input name=text></label><button>Send</button></form>"""
    )


@app.post("/note")
def note():
    address = flask.request.form["address"].strip()
    text = flask.request.form["text"].strip()[:TEXT_LENGTH_MAX]
    if not text or xmpp.send_message([address], text):
        return "not sent: the address or the text is invalid\n", 400
    return "sent\n"


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, threaded=True)
