"""Visits pages of the deployed app at APP_URL, several at the same time. Exits with 0 on success."""

import concurrent.futures
import os
import uuid

from browser import Browser

APP = os.environ["APP_URL"]
VISITS = 40
page = f"{APP}/page/{uuid.uuid4().hex}"

assert Browser().open(page)[::2] == (200, "0\n")
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    statuses = list(pool.map(lambda _: Browser().open(page, visit="1")[0], range(VISITS)))
assert set(statuses) <= {204, 503}, statuses
counted = statuses.count(204)
assert counted >= VISITS // 2, statuses
assert Browser().open(page)[::2] == (200, f"{counted}\n"), counted
assert Browser().open(f"{APP}/about.txt")[::2] == (200, "counts visits\n")
assert Browser().open(f"{APP}/WEB-INF/web.xml")[0] == 404
print(f"visits: {counted} of {VISITS} visits at the same time, each counted once")
