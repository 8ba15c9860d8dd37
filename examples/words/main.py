"""Counts the words of uploaded books in the background."""

import io
import os

import flask
import google.appengine.api
import petrichor_workflows
from google.appengine.ext import blobstore

import development
from books import Book, Count, add_book, remove

PORT = int(os.environ.get("PORT", "8095"))
BOOK_BYTES_MAX = 100 << 20
BOOKS_SHOWN = 50
WORDS_SHOWN = 40
TITLE_LENGTH_MAX = 100

app = flask.Flask(__name__)
app.wsgi_app = petrichor_workflows.wrap_wsgi_app(app.wsgi_app)  # receives the tasks of workflows
app.wsgi_app = google.appengine.api.wrap_wsgi_app(app.wsgi_app)
app.wsgi_app = development.Ticketed(app.wsgi_app)


@app.get("/")
def books():
    return flask.render_template(
        "books.html",
        books=Book.query().order(-Book.added).fetch(BOOKS_SHOWN),
        upload_url=blobstore.create_upload_url("/uploaded", max_bytes_per_blob=BOOK_BYTES_MAX),
    )


@app.post("/uploaded")
def uploaded():
    """Petrichor has stored the file of the form; its browser receives this response."""
    body = io.BytesIO(flask.request.get_data())  # read by the SDK, and by Flask for the other fields
    blobs = blobstore.BlobstoreUploadHandler().get_uploads({**flask.request.environ, "wsgi.input": body})
    title = flask.request.form.get("title", "").strip()[:TITLE_LENGTH_MAX]
    for blob in blobs:
        add_book(blob, title)
    return flask.redirect("/")


@app.get("/books/<blob_key>")
def book(blob_key):
    found = Book.get_by_id(blob_key) or flask.abort(404)
    return flask.render_template(
        "book.html",
        book=found,
        counts=Count.query(ancestor=found.key).order(-Count.times).fetch(WORDS_SHOWN) if found.words is not None else [],
        status=petrichor_workflows.status(found.workflow),
    )


@app.post("/books/<blob_key>/<action>")
def change(blob_key, action):
    found = Book.get_by_id(blob_key) or flask.abort(404)
    if action == "resume":
        petrichor_workflows.resume(found.workflow)
        return flask.redirect(flask.url_for("book", blob_key=blob_key))
    if action == "remove":
        petrichor_workflows.abort(found.workflow)
        petrichor_workflows.delete(found.workflow)
        remove(found)
        return flask.redirect("/")
    return flask.abort(404)


if __name__ == "__main__":
    development.define_queues()
    app.run(host="127.0.0.1", port=PORT, threaded=True)
