"""A chat room: each visitor has a channel, and the app sends every message to all visitors present."""

import json
import os
import uuid

import flask
import google.appengine.api
from google.appengine.ext import ndb

import channel

PORT = int(os.environ.get("PORT", "8092"))
NAME_LENGTH_MAX = 40
TEXT_LENGTH_MAX = 2_000

app = flask.Flask(__name__)
app.wsgi_app = google.appengine.api.wrap_wsgi_app(app.wsgi_app)


class Visitor(ndb.Model):
    """A visitor whose page is open or being opened; the id of the entity is that of the channel."""

    name = ndb.StringProperty(indexed=False)
    present = ndb.BooleanProperty(default=False)


class Ticketed:
    """Names the app in requests that no platform has sent, as in development."""

    def __init__(self, wsgi_app, project):
        self.wsgi_app = wsgi_app
        self.ticket = f"{project}/development"

    def __call__(self, environ, start_response):
        environ.setdefault("HTTP_X_APPENGINE_API_TICKET", self.ticket)
        return self.wsgi_app(environ, start_response)


app.wsgi_app = Ticketed(app.wsgi_app, os.environ["GOOGLE_CLOUD_PROJECT"])


def tell_all(**message):
    text = json.dumps(message)
    for visitor in Visitor.query(Visitor.present == True):  # noqa: E712
        channel.send_message(visitor.key.id(), text)


@app.get("/")
def room():
    name = flask.request.args.get("name", "").strip()[:NAME_LENGTH_MAX]
    if not name:
        return flask.render_template("enter.html")
    client = uuid.uuid4().hex
    Visitor(id=client, name=name).put()
    # On the app's own host if it is deployed: the router passes requests of channels on.
    deployed = "GAE_DEPLOYMENT_ID" in os.environ
    petrichor = "" if deployed else f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}"
    return flask.render_template(
        "room.html", client=client, token=channel.create_channel(client), petrichor=petrichor
    )


@app.post("/say")
def say():
    visitor = Visitor.get_by_id(flask.request.form["client"])
    text = flask.request.form["text"].strip()[:TEXT_LENGTH_MAX]
    if not visitor or not visitor.present:
        return "open the page again\n", 403
    if text:
        tell_all(name=visitor.name, text=text)
    return "", 204


@app.post("/_ah/channel/connected/")
def connected():
    visitor = Visitor.get_by_id(flask.request.form["from"])
    if visitor:
        visitor.present = True
        visitor.put()
        tell_all(name=visitor.name, event="enters")
    return "", 204


@app.post("/_ah/channel/disconnected/")
def disconnected():
    visitor = Visitor.get_by_id(flask.request.form["from"])
    if visitor:
        visitor.key.delete()
        tell_all(name=visitor.name, event="leaves")
    return "", 204


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, threaded=True)
