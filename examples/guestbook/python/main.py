"""A guestbook with google-cloud-ndb, written as for App Engine.

The code does not refer to Petrichor: DATASTORE_EMULATOR_HOST directs the client to it.
"""

import os

from flask import Flask, redirect, render_template, request, url_for
from google.cloud import ndb

GREETINGS_PER_PAGE = 10


class Guestbook(ndb.Model):
    """The parent entity of its greetings, with their number."""

    greetings = ndb.IntegerProperty(default=0)


class Greeting(ndb.Model):
    author = ndb.StringProperty(required=True)
    text = ndb.TextProperty(required=True)
    written = ndb.DateTimeProperty(auto_now_add=True)


app = Flask(__name__)
client = ndb.Client(project=os.environ.get("GOOGLE_CLOUD_PROJECT", "demo"))


@app.before_request
def open_context():
    """Every request has its own context, as ndb requires."""
    request.ndb = client.context()
    request.ndb.__enter__()


@app.teardown_request
def close_context(failure):
    opened = getattr(request, "ndb", None)
    if opened is not None:
        opened.__exit__(None, None, None)


@app.get("/")
def home():
    return redirect(url_for("show", book="welcome"))


@app.get("/<book>")
def show(book):
    key = ndb.Key(Guestbook, book)
    cursor = request.args.get("after")
    page, following, more = (
        Greeting.query(ancestor=key)
        .order(-Greeting.written)
        .fetch_page(
            GREETINGS_PER_PAGE,
            start_cursor=ndb.Cursor(urlsafe=cursor.encode()) if cursor else None,
        )
    )
    guestbook = key.get()
    return render_template(
        "guestbook.html",
        book=book,
        count=guestbook.greetings if guestbook else 0,
        greetings=page,
        after=following.urlsafe().decode() if more and following else None,
    )


@app.post("/<book>")
def sign(book):
    author = request.form.get("author", "").strip()[:100] or "somebody"
    text = request.form.get("text", "").strip()[:2000]
    if text:
        add(book, author, text)
    return redirect(url_for("show", book=book))


@ndb.transactional(retries=10)
def add(book, author, text):
    """Updates the greeting and the count in one transaction."""
    key = ndb.Key(Guestbook, book)
    guestbook = key.get() or Guestbook(key=key)
    guestbook.greetings += 1
    ndb.put_multi([guestbook, Greeting(parent=key, author=author, text=text)])


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ.get("PORT", "8090")))
