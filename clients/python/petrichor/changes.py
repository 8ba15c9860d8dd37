"""The change feed of a database on a Petrichor server. Needs the standard library only.

    feed = ChangeFeed("localhost:8081", project="demo")
    for commit in feed.commits(consumer="search-index", start="oldest"):
        for entity in commit.entities:
            print(commit.position, entity["change"], entity["key"])
"""

import http.client
import json
import os
import time
import urllib.parse
from typing import Iterator, NamedTuple, Optional

TIMEOUT_SECONDS = 60
RETRY_SECONDS_MIN = 0.1
RETRY_SECONDS_MAX = 5
STORE_SECONDS = 1


class ChangesError(Exception):
    """The server refused a request; `status` is a canonical code such as FAILED_PRECONDITION."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Commit(NamedTuple):
    """A committed transaction. `entities` have `change`, `key`, `before` and `after`, as in the REST API."""

    position: int
    time: str
    entities: list


class ChangeFeed:
    """The feed of a database. Use one object per thread; a connection is opened when it is needed."""

    def __init__(self, server=None, project=None, database="", token=None, tls=None):
        """tls: an ssl.SSLContext, to connect with TLS."""
        self.server = server or os.environ.get("DATASTORE_EMULATOR_HOST", "localhost:8081")
        self.project = project or os.environ.get("GOOGLE_CLOUD_PROJECT", "demo")
        self.database = database
        self.token = token if token is not None else os.environ.get("PETRICHOR_TOKEN", "")
        self.tls = tls

    def commits(
        self,
        start="newest",
        consumer: Optional[str] = None,
        kind: Optional[str] = None,
        namespace: Optional[str] = None,
        follow=True,
        retry_seconds=float("inf"),
    ) -> Iterator[Commit]:
        """Commits after a position, in order and each once; reconnects after the last one when the connection ends.

        start: a position, a time such as 2026-11-28T05:00:00Z, "oldest" or "newest".
        consumer: continues after its stored position, and is created at `start`. A commit counts as processed when the
            next one is asked for; the position after it is stored about once a second, and when the iterator is closed.
        follow: whether to wait for further commits.
        retry_seconds: seconds without an answer after which the failure is raised.
        """
        position = str(start)
        if consumer is not None:
            found = [one for one in self.consumers() if one["name"] == consumer]
            position = str(found[0]["position"] if found else self.move(consumer, start))
        elif position == "newest":
            # So that a reconnection continues from there.
            position = str(self._call("GET", "/consumers")["newest"])
        stored = position
        stored_at = time.monotonic()
        failed_at = None
        pause = RETRY_SECONDS_MIN
        done = False
        try:
            while not done:
                try:
                    for event, identity, data in self._events(position, kind, namespace, follow):
                        failed_at, pause = None, RETRY_SECONDS_MIN
                        if event == "error":
                            raise ChangesError(data["code"], data["error"])
                        if event == "commit":
                            yield Commit(int(data["position"]), data["time"], data["entities"])
                        if identity:
                            position = identity
                        now = time.monotonic()
                        if consumer is not None and position != stored and now - stored_at > STORE_SECONDS:
                            self.move(consumer, position)
                            stored, stored_at = position, now
                    done = not follow
                except (OSError, http.client.HTTPException, ChangesError) as failure:
                    if isinstance(failure, ChangesError) and failure.status != "UNAVAILABLE":
                        raise
                    failed_at = failed_at or time.monotonic()
                    if time.monotonic() - failed_at > retry_seconds:
                        raise
                    time.sleep(pause)
                    pause = min(RETRY_SECONDS_MAX, pause * 2)
        finally:
            if consumer is not None and position != stored:
                self.move(consumer, position)

    def consumers(self) -> list:
        """Name, position and more of each consumer."""
        return self._call("GET", "/consumers")["consumers"]

    def move(self, consumer, position) -> int:
        """Creates or moves a consumer; returns its position."""
        body = json.dumps({"position": str(position)})
        moved = self._call("POST", "/consumers/" + urllib.parse.quote(consumer, safe=""), body)
        return int(moved["consumers"][0]["position"])

    def delete(self, consumer):
        self._call("DELETE", "/consumers/" + urllib.parse.quote(consumer, safe=""))

    def _open(self, method, path, body=None, parameters=()):
        kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        options = {"context": self.tls} if self.tls else {}
        connection = kind(self.server, timeout=TIMEOUT_SECONDS, **options)
        query = urllib.parse.urlencode([("project", self.project), ("database", self.database), *parameters])
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        try:
            connection.request(method, f"/petrichor/v1/changes{path}?{query}", body, headers)
            answer = connection.getresponse()
            if answer.status != 200:
                raise _refusal(answer)
            return connection, answer
        except BaseException:
            connection.close()
            raise

    def _call(self, method, path, body=None):
        connection, answer = self._open(method, path, body)
        try:
            return json.loads(answer.read())
        finally:
            connection.close()

    def _events(self, position, kind, namespace, follow):
        """Server-sent events: name, id and data; a comment has neither."""
        parameters = [("from", position), ("follow", "true" if follow else "false")]
        parameters += [("kind", kind)] if kind is not None else []
        parameters += [("namespace", namespace)] if namespace is not None else []
        connection, answer = self._open("GET", "", None, parameters)
        try:
            event, identity, data = "", "", None
            for raw in answer:
                line = raw.decode().rstrip("\r\n")
                name, _, value = line.partition(": ")
                if name == "event":
                    event = value
                elif name == "id":
                    identity = value
                elif name == "data":
                    data = json.loads(value)
                elif not line:
                    yield event, identity, data
                    event, identity, data = "", "", None
            if follow:
                raise ChangesError("UNAVAILABLE", f"{self.server} ended the stream")
        finally:
            connection.close()


def _refusal(answer):
    text = answer.read().decode(errors="replace")
    try:
        error = json.loads(text)
        return ChangesError(error["code"], error["error"])
    except (ValueError, KeyError, TypeError):
        status = "UNAVAILABLE" if answer.status == 503 else "FAILED_PRECONDITION"
        return ChangesError(status, f"HTTP {answer.status}: {text.strip()}")
