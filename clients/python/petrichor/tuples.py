"""Collections of tuples with tags, on a Petrichor server. Needs the standard library only.

    collections = Collections("localhost:8081", project="demo")
    tweets = collections.create("tweets", tagged("user", "day"))
    tweets.put("ann/1", b"first", tags=["user=ann", "day=01"])
    for tweet in tweets.find(all=["user=ann", "day=01..07"]):
        print(tweet.key, tweet.value)
"""

import base64
import http.client
import json
import os
import urllib.parse
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

PAGE_TUPLES = 500
TIMEOUT_SECONDS = 60


class TupleError(Exception):
    """A call failed; `status` is a canonical code such as NOT_FOUND."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class ConditionNotMet(TupleError):
    """The tuple is not what the write requires; nothing was written."""


class Tuple(NamedTuple):
    key: str
    value: bytes
    tags: frozenset
    revision: int


def by_hash(buckets=0):
    return {"random": {"buckets": buckets}}


def ordered():
    return {"ordered": {}}


def tagged(*dimensions, bits=0):
    return {"tagged": {"dimensions": list(dimensions), "bits": bits}}


def affinity(separator="/", groups=0):
    return {"affinity": {"separator": separator, "groups": groups}}


def colocated(collection, separator="/"):
    return {"colocated": {"collection": collection, "separator": separator}}


def put(key, value=b"", tags=(), collection="", condition=None):
    """A write, for `write`."""
    encoded = base64.b64encode(value).decode()
    write = {"collection": collection, "put": {"key": key, "value": encoded, "tags": sorted(tags)}}
    return {**write, **({"condition": condition} if condition else {})}


def delete(key, collection="", condition=None):
    """A write, for `write`."""
    write = {"collection": collection, "delete": key}
    return {**write, **({"condition": condition} if condition else {})}


def condition(text):
    """Reads "dimension=value", "dimension=pat*ern" or "dimension=first..last"; the dimension may be absent."""
    if not isinstance(text, str):
        return text
    dimension, equals, value = text.partition("=") if "=" in text else ("", "", text)
    first, dots, last = value.partition("..")
    if first and dots and last:
        match = {"range": {"first": first, "last": last}}
    else:
        match = {"pattern" if "*" in value else "value": value}
    return {"dimension": dimension if equals else "", **match}


class Collections:
    """The collections of a database. A connection is opened when it is needed; use one object per thread."""

    def __init__(self, server=None, project=None, database="", token=None, tls=None):
        """tls: an ssl.SSLContext, to connect with TLS."""
        self.server = server or os.environ.get("DATASTORE_EMULATOR_HOST", "localhost:8081")
        project = project or os.environ.get("GOOGLE_CLOUD_PROJECT", "demo")
        self.token = token if token is not None else os.environ.get("PETRICHOR_TOKEN", "")
        self.tls = tls
        name = urllib.parse.quote(database or "(default)", safe="()")
        self.path = f"/petrichor/v1/projects/{urllib.parse.quote(project)}/databases/{name}/collections"
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def list(self):
        return self.call("GET", "").get("collections", [])

    def create(self, name, placement=None, tag_index=True):
        body = {"name": name, "withoutTagIndex": not tag_index}
        if placement:
            body["placement"] = placement
        self.call("POST", "", body)
        return self.collection(name)

    def collection(self, name):
        return Collection(self, name)

    def write(self, writes: Sequence[dict], atomic=True):
        """Writes tuples of any collections in one commit; returns the outcomes.

        If a condition is not met, an atomic batch raises ConditionNotMet, and others skip the write."""
        return self.checked(self.call("POST", ":write", {"writes": list(writes), "atomic": atomic}), writes)

    @staticmethod
    def checked(answer, writes):
        outcomes = answer.get("outcomes", [])
        if not answer.get("applied", False):
            at = next(k for k, outcome in enumerate(outcomes) if outcome["state"] == "CONDITION_NOT_MET")
            key = writes[at].get("delete") or writes[at]["put"]["key"]
            raise ConditionNotMet("ABORTED", f"the tuple {key} does not meet its condition: {outcomes[at]}")
        return outcomes

    def call(self, method, below, body=None):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        content = None
        if body is not None:
            content = json.dumps(body)
            headers["Content-Type"] = "application/json"
        answer, status = self.exchange(method, self.path + below, content, headers)
        try:
            document = json.loads(answer)
        except ValueError:
            raise TupleError("UNKNOWN", f"HTTP {status}: {answer[:200]!r}") from None
        if status != 200:
            error = document.get("error", {})
            raise TupleError(error.get("status", "UNKNOWN"), error.get("message", f"HTTP {status}"))
        return document

    def exchange(self, method, path, content, headers):
        reused = self.connection is not None
        if not reused:
            kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
            options = {"context": self.tls} if self.tls else {}
            self.connection = kind(self.server, timeout=TIMEOUT_SECONDS, **options)
        try:
            self.connection.request(method, path, content, headers)
            response = self.connection.getresponse()
            return response.read(), response.status
        except http.client.RemoteDisconnected:
            self.close()
            if not reused:
                raise
            # The server closed the idle connection before it read the request.
            return self.exchange(method, path, content, headers)
        except BaseException:
            self.close()
            raise


class Collection:
    """The tuples of a collection."""

    def __init__(self, collections, name):
        self.collections = collections
        self.name = name
        self.path = "/" + urllib.parse.quote(name)

    def call(self, verb, body):
        return self.collections.call("POST", f"{self.path}:{verb}", body)

    def describe(self):
        return self.collections.call("GET", self.path)

    def drop(self):
        self.collections.call("DELETE", self.path)

    def place(self, placement):
        """Starts to change the placement; `describe` has nextPlacement until it is complete."""
        return self.call("place", {"placement": placement})

    def assign(self, groups: dict):
        """Assigns groups to affinity keys."""
        self.call("assignGroups", {"groups": groups})

    def write(self, writes: Sequence[dict], atomic=True):
        return self.collections.checked(self.call("write", {"writes": list(writes), "atomic": atomic}), writes)

    def put(self, key, value=b"", tags=(), *, absent=False, present=False, revision=None) -> int:
        """Creates or replaces a tuple, and returns its revision. ConditionNotMet if it is not as required."""
        [outcome] = self.write([put(key, value, tags, condition=self.required(absent, present, revision))])
        return int(outcome["revision"])

    def delete(self, key, *, present=False, revision=None) -> bool:
        """Deletes a tuple; returns whether it existed."""
        [outcome] = self.write([delete(key, condition=self.required(False, present, revision))])
        return outcome["state"] == "DELETED"

    @staticmethod
    def required(absent, present, revision):
        if absent:
            return {"absent": True}
        if revision is not None:
            return {"revision": str(revision)}
        return {"present": True} if present else None

    def get(self, key, version=0) -> Optional[Tuple]:
        found = self.get_all([key], version)
        return found[0] if found else None

    def get_all(self, keys: Iterable[str], version=0) -> list:
        """The tuples that exist, in the order of the keys, all of one version."""
        found, rest = [], list(keys)
        while rest:
            answer = self.call("get", {"keys": rest[:PAGE_TUPLES], "version": str(version)})
            found.extend(map(self.tuple, answer.get("tuples", [])))
            version = answer["version"]
            rest = answer.get("unread", []) + rest[PAGE_TUPLES:]
        return found

    def scan(self, first="", end="", prefix="", page_size=0, version=0) -> Iterator[Tuple]:
        """Tuples in the order of their keys, all of one version."""
        return self.pages("range", {"from": first, "to": end, "prefix": prefix}, page_size, version)

    def find(self, all=(), any=(), page_size=0, version=0) -> Iterator[Tuple]:
        """Tuples that meet each condition of `all`, and at least one of `any`, if it has any."""
        return self.pages("find", self.filter(all, any), page_size, version)

    def delete_by_tags(self, all=(), any=()) -> int:
        body, deleted = self.filter(all, any), 0
        while True:
            answer = self.call("deleteByTags", body)
            deleted += answer.get("deleted", 0)
            if not answer.get("nextPageToken"):
                return deleted
            body["pageToken"] = answer["nextPageToken"]

    @staticmethod
    def filter(all, any):
        return {"all": [condition(one) for one in all], "any": [condition(one) for one in any]}

    def pages(self, verb, body, page_size, version):
        body = {**body, "pageSize": page_size, "version": str(version)}
        while True:
            page = self.call(verb, body)
            yield from map(self.tuple, page.get("tuples", []))
            if not page.get("nextPageToken"):
                return
            body["pageToken"] = page["nextPageToken"]

    @staticmethod
    def tuple(json_tuple):
        value = base64.b64decode(json_tuple.get("value", ""))
        return Tuple(json_tuple["key"], value, frozenset(json_tuple.get("tags", [])), int(json_tuple["revision"]))
