"""Blobs: forms uploaded by a browser, the callback to the app, and the calls of the SDK."""

import hashlib
import os
import threading
import urllib.parse

import flask
import pytest
import requests
import werkzeug.serving
from conftest import App
from google.appengine.api import images
from google.appengine.ext import blobstore
from google.appengine.ext import ndb
from google.appengine.runtime import apiproxy_errors

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


@pytest.fixture
def uploads(process):
    """An app at the address where the server expects it, which answers with a description of each upload."""
    target = os.environ.get("PETRICHOR_TEST_APP")
    if not target:
        pytest.skip("the server was not started by these tests, so it does not know where the app is")
    project, url = target.split("=", 1)
    app = App(project)

    def uploaded():
        environ = flask.request.environ
        assert environ["HTTP_X_APPENGINE_BLOBUPLOAD"] == "true"
        infos = blobstore.BlobstoreUploadHandler().get_uploads(environ)
        app.seen = infos
        return flask.redirect("/view/" + (str(infos[0].key()) if infos else "nothing"))

    app.flask.add_url_rule("/uploaded", view_func=uploaded, methods=["POST"])
    app.flask.add_url_rule("/refused", view_func=lambda: ("no", 418), methods=["POST"])
    server = werkzeug.serving.make_server("127.0.0.1", urllib.parse.urlsplit(url).port, app.flask, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    app.url = url
    yield app
    server.shutdown()
    thread.join()
    server.server_close()


def upload(app, *files, path="/uploaded", data=None, **options):
    url = app.run(blobstore.create_upload_url, path, **options)
    return requests.post(
        url, files=list(files) or [("none", (None, "x"))], data=data, allow_redirects=False, timeout=60
    )


def test_a_form_becomes_blobs_and_the_app_is_called(uploads):
    answer = upload(uploads, ("file", ("ä.txt", b"text", "text/plain")), data={"title": "hello"})
    assert answer.status_code == 302, answer.text
    (info,) = uploads.seen
    assert answer.headers["Location"] == f"{uploads.url}/view/{info.key()}"
    assert (info.filename, info.content_type, info.size) == ("ä.txt", "text/plain", 4)
    stored = uploads.run(blobstore.get, info.key())
    assert stored.size == 4
    assert stored.content_type == "text/plain"
    assert stored.filename == "ä.txt"
    assert stored.md5_hash == hashlib.md5(b"text").hexdigest()
    assert stored.creation == info.creation
    assert uploads.run(blobstore.fetch_data, info.key(), 1, 2) == b"ex"
    assert uploads.run(lambda: blobstore.BlobReader(info.key()).read()) == b"text"


def test_the_info_of_a_blob_is_queried(uploads):
    upload(uploads, ("file", ("a", os.urandom(10))))
    key = uploads.seen[0].key()
    found = uploads.run(lambda: [i.key() for i in blobstore.BlobInfo.all().filter("size =", 10).fetch(100)])
    assert key in found
    with pytest.raises(Exception, match="reserved|read-only"):
        uploads.run(lambda: ndb.Model(key=ndb.Key("__BlobInfo__", "x")).put())


def test_several_files_and_large_ones(uploads):
    large = os.urandom(5 << 20)
    upload(uploads, ("one", ("a", b"a")), ("two", ("b", large)), ("two", ("empty", b"")))
    assert sorted(i.size for i in uploads.seen) == [0, 1, len(large)]
    key = next(i.key() for i in uploads.seen if i.size == len(large))
    assert uploads.run(lambda: blobstore.BlobReader(key, buffer_size=900_000).read()) == large


def test_a_url_is_used_once(uploads):
    url = uploads.run(blobstore.create_upload_url, "/uploaded")
    assert requests.post(url, files={"f": ("a", b"a")}, allow_redirects=False, timeout=60).status_code == 302
    assert requests.post(url, files={"f": ("a", b"a")}, timeout=60).status_code == 404
    assert requests.post(url[:-3] + "zzz", files={"f": ("a", b"a")}, timeout=60).status_code == 404


def test_limits_of_an_upload(uploads):
    uploads.seen = None
    assert upload(uploads, ("f", ("a", b"12345")), max_bytes_per_blob=4).status_code == 413
    files = [("f", ("a", b"123")), ("f", ("b", b"456"))]
    assert upload(uploads, *files, max_bytes_total=5).status_code == 413
    assert uploads.seen is None
    assert upload(uploads, *files, max_bytes_total=6, max_bytes_per_blob=3).status_code == 302
    url = uploads.run(blobstore.create_upload_url, "/uploaded")
    assert requests.post(url, data={"a": "b"}, timeout=60).status_code == 400


def test_the_answer_of_the_app_is_that_of_the_upload(uploads):
    answer = upload(uploads, ("f", ("a", b"a")), path="/refused")
    assert (answer.status_code, answer.text) == (418, "no")


def test_deletion(uploads, make_app):
    upload(uploads, ("f", ("a", b"a")))
    key = uploads.seen[0].key()
    other = make_app()
    other.run(blobstore.delete, key)  # of another app: no effect
    with pytest.raises(blobstore.BlobNotFoundError):
        other.run(blobstore.fetch_data, key, 0, 0)
    assert uploads.run(blobstore.fetch_data, key, 0, 0) == b"a"
    uploads.run(blobstore.delete, [key])
    assert uploads.run(blobstore.get, key) is None
    with pytest.raises(blobstore.BlobNotFoundError):
        uploads.run(blobstore.fetch_data, key, 0, 0)
    uploads.run(blobstore.delete, key)


def test_ranges(uploads):
    upload(uploads, ("f", ("a", b"0123456789")))
    key = uploads.seen[0].key()
    assert uploads.run(blobstore.fetch_data, key, 8, 20) == b"89"
    assert uploads.run(blobstore.fetch_data, key, 20, 30) == b""
    with pytest.raises(blobstore.DataIndexOutOfRangeError):
        uploads.run(blobstore.fetch_data, key, -1, 5)
    with pytest.raises(blobstore.BlobFetchSizeTooLargeError):
        uploads.run(blobstore.fetch_data, key, 0, blobstore.MAX_BLOB_FETCH_SIZE)


def test_a_blob_as_an_image(uploads):
    upload(uploads, ("f", ("a.png", PNG, "image/png")))
    key = uploads.seen[0].key()

    def resized():
        image = images.Image(blob_key=key)
        image.resize(width=3, height=3, allow_stretch=True)
        return images.Image(image.execute_transforms())

    assert uploads.run(lambda: resized().width) == 3


def test_an_image_is_served_in_several_sizes(uploads):
    upload(uploads, ("f", ("a.png", uploads.run(large_png), "image/png")))
    key = uploads.seen[0].key()
    assert uploads.run(images.get_serving_url, key) == uploads.run(images.get_serving_url, key)

    def served(**options):
        answer = requests.get(uploads.run(images.get_serving_url, key, **options), timeout=60)
        image = images.Image(answer.content)
        return answer.headers["content-type"], image.width, image.height

    assert served() == ("image/png", 512, 256)
    assert served(size=100) == ("image/png", 100, 50)
    assert served(size=100, crop=True) == ("image/png", 100, 100)
    url = uploads.run(images.get_serving_url, key)
    uploads.run(images.delete_serving_url, key)
    assert requests.get(url, timeout=60).status_code == 404
    with pytest.raises(images.BlobKeyRequiredError):
        uploads.run(images.get_serving_url, "")
    with pytest.raises(images.Error):
        uploads.run(images.get_serving_url, "missing")


def large_png():
    image = images.Image(PNG)
    image.resize(width=1000, height=500, allow_stretch=True)
    return image.execute_transforms()


def test_objects_of_cloud_storage_as_blobs(app):
    host = os.environ.get("STORAGE_EMULATOR_HOST") or f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}"
    name = f"{app.project}.appspot.com"
    answer = requests.post(f"{host}/storage/v1/b?project={app.project}", json={"name": name}, timeout=60)
    assert answer.status_code == 200, answer.text
    url = f"{host}/upload/storage/v1/b/{name}/o?uploadType=media&name=dir/x"
    assert requests.post(url, data=b"content", timeout=60).status_code == 200
    key = app.run(blobstore.create_gs_key, f"/gs/{name}/dir/x")
    assert app.run(blobstore.fetch_data, key, 0, 6) == b"content"
    app.run(blobstore.delete, key)
    assert requests.get(f"{host}/storage/v1/b/{name}/o/dir%2Fx", timeout=60).status_code == 404


def test_arguments_are_checked(app):
    with pytest.raises(apiproxy_errors.ApplicationError, match="a path of the app"):
        app.run(blobstore.create_upload_url, "http://elsewhere/")
