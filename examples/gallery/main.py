"""A gallery: pictures are blobs that browsers upload to Petrichor, and thumbnails are made from them."""

import io
import os
import re

import flask
import google.appengine.api
from google.appengine.api import images
from google.appengine.ext import blobstore, ndb

PORT = int(os.environ.get("PORT", "8094"))
PICTURE_BYTES_MAX = 20 << 20
PICTURES_SHOWN = 60
TITLE_LENGTH_MAX = 100
THUMBNAIL_PIXELS = 320
PIECE_BYTES = blobstore.MAX_BLOB_FETCH_SIZE
DEPLOYED = "GAE_DEPLOYMENT_ID" in os.environ
SHOWN_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")

app = flask.Flask(__name__)
app.wsgi_app = google.appengine.api.wrap_wsgi_app(app.wsgi_app)


class Picture(ndb.Model):
    """Its id is the key of the blob."""

    title = ndb.StringProperty(indexed=False)
    content_type = ndb.StringProperty(indexed=False)
    size = ndb.IntegerProperty(indexed=False)
    width = ndb.IntegerProperty(indexed=False)
    height = ndb.IntegerProperty(indexed=False)
    thumbnail = ndb.BlobProperty()
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


@app.get("/")
def gallery():
    return flask.render_template(
        "gallery.html",
        pictures=Picture.query().order(-Picture.added).fetch(PICTURES_SHOWN),
        upload_url=blobstore.create_upload_url("/uploaded", max_bytes_per_blob=PICTURE_BYTES_MAX),
        problem=flask.request.args.get("problem"),
    )


@app.post("/uploaded")
def uploaded():
    """Petrichor has stored the files of the form; its browser receives this response."""
    refused = []
    blobs = uploads()
    title = flask.request.form.get("title", "").strip()[:TITLE_LENGTH_MAX]
    for blob in blobs:
        try:
            add(blob, title or blob.filename)
        except images.Error:
            blobstore.delete(blob.key())
            refused.append(blob.filename)
    problem = f"not a picture: {', '.join(refused)}" if refused else None
    return flask.redirect(flask.url_for("gallery", problem=problem))


def uploads():
    """The blobs of the form. The SDK reads the body, which is small, and Flask reads it for the other fields."""
    body = io.BytesIO(flask.request.get_data())
    return blobstore.BlobstoreUploadHandler().get_uploads({**flask.request.environ, "wsgi.input": body})


def add(blob, title):
    if blob.content_type not in SHOWN_TYPES:
        raise images.NotImageError()
    picture = images.Image(blob_key=blob.key())
    picture.resize(width=THUMBNAIL_PIXELS, height=THUMBNAIL_PIXELS)
    thumbnail = picture.execute_transforms(output_encoding=images.JPEG, quality=85, parse_source_metadata=True)
    facts = picture.get_original_metadata()
    Picture(
        id=str(blob.key()),
        title=title,
        content_type=blob.content_type,
        size=blob.size,
        width=facts["ImageWidth"],
        height=facts["ImageLength"],
        thumbnail=thumbnail,
    ).put()


@app.get("/thumbnails/<blob_key>")
def thumbnail(blob_key):
    picture = Picture.get_by_id(blob_key) or flask.abort(404)
    return flask.Response(picture.thumbnail, mimetype="image/jpeg", headers={"Cache-Control": "max-age=86400"})


@app.get("/pictures/<blob_key>")
def picture(blob_key):
    """The picture, or the part that the header Range names."""
    found = Picture.get_by_id(blob_key) or flask.abort(404)
    safe = {"Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff"}
    if DEPLOYED:  # the router replaces the body by the blob
        named = blobstore.BlobstoreDownloadHandler().send_blob(flask.request.environ, blob_key)
        return "", 200, {**named, **safe, "Content-Type": found.content_type}
    first, last = requested(flask.request.headers.get("Range", ""), found.size)
    if first > last:
        return "", 416, {"Content-Range": f"bytes */{found.size}"}
    headers = {
        "Accept-Ranges": "bytes",
        "Content-Length": str(last - first + 1),
        **safe,
    }
    partial = "Range" in flask.request.headers
    if partial:
        headers["Content-Range"] = f"bytes {first}-{last}/{found.size}"
    return flask.Response(pieces(blob_key, first, last), 206 if partial else 200, headers, found.content_type)


def requested(header, size):
    """The first and last byte of a single range; the whole picture for any other header."""
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", header)
    if not match or match.groups() == ("", ""):
        return 0, size - 1
    first, last = match.groups()
    if not first:
        return max(0, size - int(last)), size - 1
    return int(first), min(int(last or size), size - 1)


def pieces(blob_key, first, last):
    """Reads the blob; one call fetches about a megabyte."""
    while first <= last:
        end = min(first + PIECE_BYTES - 1, last)
        yield blobstore.fetch_data(blob_key, first, end)
        first = end + 1


@app.post("/pictures/<blob_key>/remove")
def remove(blob_key):
    ndb.Key(Picture, blob_key).delete()
    blobstore.delete(blob_key)
    return flask.redirect("/")


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, threaded=True)
