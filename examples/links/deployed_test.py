"""Shortens a URL with the deployed app at APP_URL, and follows the link. Exits with 0 on success."""

import os
import time
import urllib.error
import urllib.request

from browser import WITHIN_SECONDS, Browser, LocalHosts

APP = os.environ["APP_URL"]
VISITS = 5
visitor = Browser()


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def target(path):
    """Where a link leads to."""
    try:
        urllib.request.build_opener(LocalHosts(), Stay()).open(APP + path, timeout=WITHIN_SECONDS)
    except urllib.error.HTTPError as redirect:
        return redirect.status, redirect.headers["Location"]
    raise AssertionError("no redirect")


assert "<form" in visitor.open(APP)[2]
assert visitor.open(APP + "/links", target="javascript:alert(1)")[0] == 400
status, _, link = visitor.open(APP + "/links", target="https://example.com/a?b=c")
assert status == 201, link
link = link.strip()
for _ in range(VISITS):
    assert target(link) == (302, "https://example.com/a?b=c")
deadline = time.monotonic() + WITHIN_SECONDS
while visitor.open(f"{APP}{link}/visits")[2] != f"{VISITS}\n":  # counted by tasks
    assert time.monotonic() < deadline, "the visits were not counted"
assert visitor.open(APP + "/l/missing/visits")[0] == 404

# Only the queue reaches the path of its tasks: others are asked to sign in.
_, at, _ = visitor.open(APP + "/tasks/visit", {"X-AppEngine-TaskName": "t", "X-AppEngine-QueueName": "q"}, name=link[3:])
assert "/_ah/login" in at, at
assert visitor.open(f"{APP}{link}/visits")[2] == f"{VISITS}\n"
print(f"links: {VISITS} visits of a short link counted by tasks of the deployed app")
