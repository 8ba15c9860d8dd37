"""Uploads and downloads, whole and in parts."""

import base64
import gzip
import hashlib
import io
import json
import os

import pytest
from google.api_core import exceptions
from google.cloud.storage import transfer_manager

MIB = 1 << 20
CHUNK = 256 << 10


@pytest.fixture(scope="module")
def large():
    """More than the client sends in one request."""
    return os.urandom(9 * MIB + 12345)


def test_an_upload_in_one_request_and_downloads(bucket):
    blob = bucket.blob("a")
    blob.upload_from_string(b"0123456789", content_type="text/plain")
    assert blob.download_as_bytes() == b"0123456789"
    assert blob.download_as_bytes(start=2, end=4) == b"234"
    assert blob.download_as_bytes(start=7) == b"789"
    assert blob.download_as_bytes(start=-3) == b"789"
    assert blob.download_as_text() == "0123456789"
    assert blob.download_as_bytes(raw_download=True) == b"0123456789"
    with pytest.raises(exceptions.RequestRangeNotSatisfiable):
        blob.download_as_bytes(start=10)


def test_an_empty_object(bucket):
    blob = bucket.blob("empty")
    blob.upload_from_string(b"")
    assert blob.download_as_bytes() == b""
    assert bucket.get_blob("empty").size == 0
    assert bucket.get_blob("empty").crc32c == "AAAAAA=="


def test_a_large_object_in_one_resumable_request(bucket, large):
    blob = bucket.blob("large")
    blob.upload_from_file(io.BytesIO(large), size=len(large))
    assert blob.size == len(large)
    found = bucket.get_blob("large")
    assert hashlib.md5(blob.download_as_bytes()).digest() == hashlib.md5(large).digest()
    assert found.md5_hash == base64.b64encode(hashlib.md5(large).digest()).decode()


@pytest.mark.parametrize("checksum", ["md5", "crc32c", None])
def test_a_resumable_upload_in_chunks(bucket, large, checksum):
    blob = bucket.blob("chunks", chunk_size=MIB)
    blob.upload_from_file(io.BytesIO(large), size=len(large), checksum=checksum)
    assert bucket.blob("chunks").download_as_bytes() == large


def test_a_resumable_upload_of_unknown_size(bucket, large):
    blob = bucket.blob("unknown", chunk_size=CHUNK)
    with blob.open("wb") as out:
        for at in range(0, len(large), 100_000):
            out.write(large[at : at + 100_000])
    assert bucket.blob("unknown").download_as_bytes() == large
    with bucket.blob("exact", chunk_size=CHUNK).open("wb") as out:
        out.write(large[: 2 * CHUNK])
    assert bucket.blob("exact").download_as_bytes() == large[: 2 * CHUNK]


def test_a_download_in_chunks(bucket, large):
    bucket.blob("large").upload_from_string(large)
    blob = bucket.blob("large", chunk_size=MIB)
    assert blob.download_as_bytes() == large
    with bucket.blob("large").open("rb", chunk_size=MIB) as stream:
        stream.seek(5)
        assert stream.read(10) == large[5:15]
        stream.seek(8 * MIB)
        assert stream.read() == large[8 * MIB :]


def test_parallel_transfers_of_one_object(bucket, large, tmp_path):
    source = tmp_path / "source"
    source.write_bytes(large)
    blob = bucket.blob("large")
    blob.upload_from_filename(str(source))
    transfer_manager.download_chunks_concurrently(
        blob, str(tmp_path / "copy"), chunk_size=MIB, max_workers=4, worker_type=transfer_manager.THREAD
    )
    assert (tmp_path / "copy").read_bytes() == large


def test_an_object_with_a_content_encoding_is_decoded_by_the_client(bucket):
    packed = gzip.compress(b"text" * 1000)
    blob = bucket.blob("packed")
    blob.content_encoding = "gzip"
    blob.upload_from_string(packed, content_type="text/plain")
    assert bucket.blob("packed").download_as_bytes() == b"text" * 1000
    assert bucket.blob("packed").download_as_bytes(raw_download=True) == packed


def test_a_wrong_checksum_is_refused(bucket):
    blob = bucket.blob("wrong")
    blob.md5_hash = "AAAAAAAAAAAAAAAAAAAAAA=="
    with pytest.raises(exceptions.BadRequest, match="MD5"):
        blob.upload_from_string("text", checksum=None)
    assert not bucket.blob("wrong").exists()


class Session:
    """A resumable upload without the client, to interrupt it."""

    def __init__(self, http, host, bucket, name, **headers):
        response = http.post(
            f"{host}/upload/storage/v1/b/{bucket}/o?uploadType=resumable",
            data=json.dumps({"name": name, "contentType": "text/plain"}),
            headers={"Content-Type": "application/json", **headers},
        )
        assert response.status_code == 200, response.text
        self.url = response.headers["Location"]
        self.http = http

    def put(self, data, range, **headers):
        return self.http.put(self.url, data=data, headers={"Content-Range": range, **headers})


def test_an_interrupted_upload_continues_where_it_stopped(http, host, bucket, large):
    session = Session(http, host, bucket.name, "parts")
    size = len(large)
    answer = session.put(b"", f"bytes */{size}")
    assert answer.status_code == 308 and "Range" not in answer.headers
    answer = session.put(large[: 4 * CHUNK], f"bytes 0-{4 * CHUNK - 1}/{size}")
    assert (answer.status_code, answer.headers["Range"]) == (308, f"bytes=0-{4 * CHUNK - 1}")
    # Bytes that are there already are skipped; a part beyond a multiple of CHUNK is sent again.
    answer = session.put(large[2 * CHUNK : 6 * CHUNK + 7], f"bytes {2 * CHUNK}-{6 * CHUNK + 6}/{size}")
    assert (answer.status_code, answer.headers["Range"]) == (308, f"bytes=0-{6 * CHUNK - 1}")
    answer = session.put(b"", "bytes */*")
    assert (answer.status_code, answer.headers["Range"]) == (308, f"bytes=0-{6 * CHUNK - 1}")
    assert session.put(large[8 * CHUNK :], f"bytes {8 * CHUNK}-{size - 1}/{size}").status_code == 400
    assert not bucket.blob("parts").exists()
    answer = session.put(large[6 * CHUNK :], f"bytes {6 * CHUNK}-{size - 1}/{size}")
    assert answer.status_code == 200 and answer.json()["size"] == str(size)
    assert session.put(b"", f"bytes */{size}").json()["generation"] == answer.json()["generation"]
    assert bucket.blob("parts").download_as_bytes() == large


def test_a_client_that_cannot_see_308(http, host, bucket):
    session = Session(http, host, bucket.name, "a")
    answer = session.put(b"x" * CHUNK, f"bytes 0-{CHUNK - 1}/*", **{"X-GUploader-No-308": "yes"})
    assert answer.status_code == 200
    assert answer.headers["X-Http-Status-Code-Override"] == "308"
    assert answer.headers["Range"] == f"bytes=0-{CHUNK - 1}"


def test_a_cancelled_upload(http, host, bucket):
    session = Session(http, host, bucket.name, "a")
    assert http.delete(session.url).status_code == 499
    assert session.put(b"x", "bytes 0-0/1").status_code == 404
    assert not bucket.blob("a").exists()


def test_the_announced_size_counts(http, host, bucket):
    session = Session(http, host, bucket.name, "a", **{"X-Upload-Content-Length": "5"})
    assert session.put(b"xyz", "bytes 0-2/3").status_code == 400
    assert session.put(b"12345", "bytes 0-4/5").status_code == 200


def test_a_wrong_checksum_of_the_last_part_is_refused(http, host, bucket):
    session = Session(http, host, bucket.name, "a")
    answer = session.put(b"x", "bytes 0-0/1", **{"X-Goog-Hash": "crc32c=AAAAAA=="})
    assert answer.status_code == 400 and "CRC32C" in answer.json()["error"]["message"]
    assert session.put(b"x", "bytes 0-0/1").status_code == 200


def test_a_simple_upload(http, host, bucket):
    answer = http.post(
        f"{host}/upload/storage/v1/b/{bucket.name}/o?uploadType=media&name=a%2Fb",
        data=b"text",
        headers={"Content-Type": "text/x"},
    )
    assert answer.status_code == 200, answer.text
    blob = bucket.get_blob("a/b")
    assert (blob.content_type, blob.download_as_bytes()) == ("text/x", b"text")


def test_errors_have_googles_format(http, host, bucket):
    answer = http.get(f"{host}/storage/v1/b/{bucket.name}/o/no")
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["code"] == 404
    assert error["errors"] == [{"message": error["message"], "domain": "global", "reason": "notFound"}]
    for query in ("", "?uploadType=what&name=a"):
        answer = http.post(f"{host}/upload/storage/v1/b/{bucket.name}/o{query}", data=b"x")
        assert answer.status_code == 400 and "uploadType" in answer.json()["error"]["message"]
    answer = http.post(f"{host}/upload/storage/v1/b/{bucket.name}/o?uploadType=multipart", data=b"x")
    assert answer.status_code == 400
    assert http.get(f"{host}/storage/v1/b/{bucket.name}/acl").status_code == 501
    assert http.post(f"{host}/storage/v1/b?project=petrichor-clients", data=b"{").status_code == 400
    assert http.post(f"{host}/storage/v1/b", data=b'{"name": "abc"}').status_code == 400
