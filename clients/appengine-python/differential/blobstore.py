"""Blobstore: reading and deleting blobs. Forms have tests of their own, since only a server receives them."""

import base64
import os
import urllib.parse
import urllib.request

from google.appengine.api import api_base_pb2, apiproxy_stub_map
from google.appengine.api.blobstore import blobstore_service_pb2 as messages

from .sides import Operation, Refused

BUCKET = "compared"
BLOBS = {f"blob-{size}": bytes(n % 251 for n in range(size)) for size in (0, 1, 1000, 70_000)}
FETCH_BYTES_MAX = 1_015_808
NAMES = [*BLOBS, "missing"]
STEPS = [-1, 0, 1, 500, 999, 1000, 2000, 69_999, 70_000, 80_000]


def call(side, method, request, response):
    return side.call("blobstore", method, request, response)


def start(side):
    """Stores the blobs: in the stub, and in a bucket of the server. The Java API server has none."""
    if side.name == "testbed":
        for name, content in BLOBS.items():
            apiproxy_stub_map.apiproxy.GetStub("blobstore").CreateBlob(name, content)
            side.memory[name] = name
    if side.name == "petrichor":
        bucket = f"{BUCKET}-{base64.b32encode(os.urandom(10)).decode().lower()}"
        post(f"/storage/v1/b?project={side.project}", f'{{"name": "{bucket}"}}'.encode(), "application/json")
        for name, content in BLOBS.items():
            post(f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}", content, "text/plain")
            side.memory[name] = encoded(side, f"/gs/{bucket}/{name}").blob_key


def post(path, content, kind):
    address = f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}"
    request = urllib.request.Request(address + path, content, {"Content-Type": kind}, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.read()


def encoded(side, name):
    request = messages.CreateEncodedGoogleStorageKeyRequest(filename=name)
    return call(side, "CreateEncodedGoogleStorageKey", request, messages.CreateEncodedGoogleStorageKeyResponse())


def fetch(side, name, first, last):
    request = messages.FetchDataRequest(blob_key=side.memory.get(name, name), start_index=first, end_index=last)
    answer = call(side, "FetchData", request, messages.FetchDataResponse())
    return answer if isinstance(answer, Refused) else answer.data


def delete(side, names):
    request = messages.DeleteBlobRequest(blob_key=[side.memory.get(name, name) for name in names])
    answer = call(side, "DeleteBlob", request, api_base_pb2.VoidProto())
    return answer if isinstance(answer, Refused) else "deleted"


def upload_url(side, path):
    request = messages.CreateUploadURLRequest(success_path=path)
    answer = call(side, "CreateUploadURL", request, messages.CreateUploadURLResponse())
    if isinstance(answer, Refused):
        return answer
    return urllib.parse.urlsplit(answer.url).path.startswith("/_ah/upload/")


def operation(random):
    choice = random.random()
    if choice < 0.8:
        name, first = random.choice(NAMES), random.choice(STEPS)
        last = first + random.choice([*STEPS, FETCH_BYTES_MAX - 1, FETCH_BYTES_MAX])
        return Operation(f"FetchData {name} {first} {last}", lambda side: fetch(side, name, first, last))
    if choice < 0.9:
        return Operation("CreateUploadURL", lambda side: upload_url(side, "/uploaded"))
    if choice < 0.95:
        return Operation("CreateEncodedGoogleStorageKey", lambda side: isinstance(encoded(side, "/gs/b/o"), Refused))
    names = random.sample(NAMES, random.randrange(1, 3))
    return Operation(f"DeleteBlob {names}", lambda side: delete(side, names))


def operations(random, count, reference):
    return [Operation("start", start), *(operation(random) for _ in range(count))]
