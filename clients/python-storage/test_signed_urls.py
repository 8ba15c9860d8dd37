"""URLs with signatures of version 4."""

import datetime
import uuid

import pytest
from google.oauth2 import service_account

from conftest import PROJECT


@pytest.fixture
def make_key(http, host):
    made = []

    def create(project=PROJECT):
        answer = http.post(
            f"{host}/petrichor/v1/projects/{project}/storage-keys", json={"name": "k" + uuid.uuid4().hex[:12]}
        )
        assert answer.status_code == 200, answer.text
        info = answer.json()
        made.append((project, info["client_email"]))
        return service_account.Credentials.from_service_account_info(info)

    yield create
    for project, email in made:
        http.delete(f"{host}/petrichor/v1/projects/{project}/storage-keys/{email}")


@pytest.fixture
def sign(host, make_key):
    credentials = make_key()

    def signed(blob, **options):
        options = {"version": "v4", "expiration": 60, "credentials": credentials, **options}
        return blob.generate_signed_url(api_access_endpoint=host, **options)

    return signed


def test_a_signed_download(http, bucket, put, sign):
    blob = put("dir/ä b+c.txt", "text", content_type="text/plain")
    answer = http.get(sign(blob))
    assert (answer.status_code, answer.text, answer.headers["Content-Type"]) == (200, "text", "text/plain")
    assert answer.headers["Content-Security-Policy"] == "sandbox"
    answer = http.get(sign(blob, response_disposition="attachment; filename=x", response_type="text/y"))
    assert answer.headers["Content-Disposition"] == "attachment; filename=x"
    assert answer.headers["Content-Type"] == "text/y"
    assert http.get(sign(blob), headers={"Range": "bytes=1-2"}).text == "ex"
    assert http.head(sign(blob, method="HEAD")).headers["Content-Length"] == "4"
    assert http.get(sign(blob, query_parameters={"a-b": "1", "a": "2"})).status_code == 200


def test_a_signed_upload_and_deletion(http, bucket, sign):
    blob = bucket.blob("a")
    url = sign(blob, method="PUT", content_type="text/x", headers={"x-goog-meta-color": "blue"})
    answer = http.put(url, data=b"text", headers={"Content-Type": "text/x", "x-goog-meta-color": "blue"})
    assert answer.status_code == 200 and answer.headers["x-goog-generation"]
    blob.reload()
    assert (blob.content_type, blob.metadata, blob.download_as_bytes()) == ("text/x", {"color": "blue"}, b"text")
    assert http.put(url, data=b"text", headers={"Content-Type": "text/z"}).status_code == 403
    assert http.delete(sign(blob, method="DELETE")).status_code == 204
    assert not blob.exists()


def test_a_signed_resumable_upload(http, bucket, sign):
    url = sign(bucket.blob("a/b"), method="RESUMABLE")
    answer = http.post(url, headers={"x-goog-resumable": "start"})
    assert answer.status_code == 201, answer.text
    assert http.put(answer.headers["Location"], data=b"text").status_code == 200
    assert bucket.blob("a/b").download_as_bytes() == b"text"


def test_other_requests_are_refused(http, host, bucket, put, sign, make_key):
    blob = put("a", "text")
    other = put("b", "text")
    url = sign(blob)
    for wrong, why in (
        (url.replace("/a?", "/b?"), "does not match"),
        (url + "&x=1", "does not match"),
        (url[:-2] + ("00" if url[-2:] != "00" else "11"), "does not match"),
        (sign(blob, expiration=datetime.timedelta(seconds=1), credentials=make_key("another-project")), "no such key"),
        (url.replace("X-Goog-Expires=60", "X-Goog-Expires=99"), "does not match"),
        (url.replace("X-Goog-Expires=60", "X-Goog-Expires=999999"), "604800"),
    ):
        answer = http.get(wrong)
        assert answer.status_code == 403, wrong
        assert "<Code>AccessDenied</Code>" in answer.text and why in answer.text
    assert http.put(url, data=b"x").status_code == 403
    assert other.download_as_bytes() == b"text"
    past = url.replace("X-Goog-Date=20", "X-Goog-Date=19")
    assert "expired" in http.get(past).text
    assert http.get(sign(bucket.blob("no"))).status_code == 404


def test_a_deleted_key_signs_nothing(http, host, put, make_key):
    credentials = make_key()
    url = put("a").generate_signed_url(60, version="v4", api_access_endpoint=host, credentials=credentials)
    assert http.get(url).status_code == 200
    keys = f"{host}/petrichor/v1/projects/{PROJECT}/storage-keys"
    assert credentials.service_account_email in http.get(keys).json()["keys"]
    assert http.delete(f"{keys}/{credentials.service_account_email}").status_code == 204
    assert http.get(url).status_code == 403
    assert http.delete(f"{keys}/{credentials.service_account_email}").status_code == 404
