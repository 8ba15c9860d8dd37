"""A guestbook with App Engine's bundled services: ndb, users, memcache and a push queue."""

import os

import flask
import google.appengine.api
from google.appengine.api import memcache, taskqueue, users
from google.appengine.ext import ndb

import development

PORT = int(os.environ.get("PORT", "8093"))
GREETINGS_SHOWN = 20
TEXT_LENGTH_MAX = 2_000
CACHE_SECONDS = 60
LOCK_SECONDS = 5  # after a change, pages that were read before it are not cached

app = flask.Flask(__name__)
app.wsgi_app = google.appengine.api.wrap_wsgi_app(app.wsgi_app)
if "GAE_DEPLOYMENT_ID" not in os.environ:  # a deployed app gets tickets and users from the router
    app.wsgi_app = development.Platform(app.wsgi_app)


class Greeting(ndb.Model):
    """A child of its book."""

    author = ndb.StringProperty(required=True)
    text = ndb.TextProperty(required=True)
    written = ndb.DateTimeProperty(auto_now_add=True)
    counted = ndb.BooleanProperty(default=False, indexed=False)


class Author(ndb.Model):
    """The number of greetings by the user with this address."""

    greetings = ndb.IntegerProperty(default=0)


def book_key(book):
    return ndb.Key("Book", book)


def newest(book):
    """The newest greetings, from the cache if it has them."""
    cached = memcache.get(book, namespace="newest")
    if cached is None:
        query = Greeting.query(ancestor=book_key(book)).order(-Greeting.written)
        cached = [
            {"key": one.key.urlsafe().decode(), "author": one.author, "text": one.text, "written": one.written}
            for one in query.fetch(GREETINGS_SHOWN)
        ]
        memcache.add(book, cached, time=CACHE_SECONDS, namespace="newest")
    return cached


def forget(book):
    """Removes the cached greetings; a request that has read the former ones cannot cache them any more."""
    memcache.delete(book, seconds=LOCK_SECONDS, namespace="newest")


@app.get("/")
def home():
    return flask.redirect("/welcome")


@app.get("/<book>")
def show(book):
    user = users.get_current_user()
    here = flask.request.url
    return flask.render_template(
        "guestbook.html",
        book=book,
        greetings=newest(book),
        authors=Author.query().order(-Author.greetings).fetch(5),
        user=user,
        admin=bool(user) and users.is_current_user_admin(),
        link=users.create_logout_url(here) if user else users.create_login_url(here),
    )


@app.post("/<book>")
def sign(book):
    user = users.get_current_user()
    if not user:
        return "sign in first\n", 403
    text = flask.request.form.get("text", "").strip()[:TEXT_LENGTH_MAX]
    if text:
        add(book, user.email(), text)
        forget(book)
    return flask.redirect(flask.url_for("show", book=book))


@ndb.transactional(retries=10)
def add(book, author, text):
    """Stores the greeting together with the task that counts it."""
    key = Greeting(parent=book_key(book), author=author, text=text).put()
    taskqueue.add(url="/tasks/count", params={"greeting": key.urlsafe().decode()}, transactional=True)


@app.post("/tasks/count")
def count():
    if "X-AppEngine-TaskName" not in flask.request.headers:
        return "only for the queue\n", 403
    count_once(ndb.Key(urlsafe=flask.request.form["greeting"].encode()))
    return "", 204


@ndb.transactional(xg=True, retries=10)
def count_once(key):
    """A task can arrive twice; the greeting records that it was counted."""
    greeting = key.get()
    if greeting and not greeting.counted:
        author = Author.get_by_id(greeting.author) or Author(id=greeting.author)
        author.greetings += 1
        greeting.counted = True
        ndb.put_multi([author, greeting])


@app.post("/<book>/remove")
def remove(book):
    if not users.is_current_user_admin():
        return "only for administrators\n", 403
    ndb.Key(urlsafe=flask.request.form["greeting"].encode()).delete()
    forget(book)
    return flask.redirect(flask.url_for("show", book=book))


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, threaded=True)
