"""Signs a guestbook from several threads concurrently, and checks the count. Exits with 0 on success."""

import concurrent.futures
import sys
import uuid

import main

THREADS = 8
EACH = 5
book = "test-" + uuid.uuid4().hex


def sign(thread):
    web = main.app.test_client()
    for i in range(EACH):
        answer = web.post(f"/{book}", data={"author": f"t{thread}", "text": f"greeting {thread}.{i}"})
        assert answer.status_code == 302, (answer.status_code, answer.text)


with concurrent.futures.ThreadPoolExecutor(THREADS) as threads:
    list(threads.map(sign, range(THREADS)))

web = main.app.test_client()
page = web.get(f"/{book}").text
assert f"{THREADS * EACH} greetings" in page, page

seen = []
path = f"/{book}"
while path:
    page = web.get(path).text
    seen += [line.split("<p>greeting ")[1].split("<")[0] for line in page.splitlines() if "<p>greeting " in line]
    path = f"/{book}?after=" + page.split('?after=')[1].split('"')[0] if "?after=" in page else None
expected = sorted(f"{t}.{i}" for t in range(THREADS) for i in range(EACH))
assert sorted(seen) == expected, (len(seen), seen)

assert "&lt;b&gt;" in (web.post(f"/{book}", data={"text": "<b>"}), web.get(f"/{book}").text)[1]
print(f"guestbook/python: {len(seen)} greetings from {THREADS} threads, none lost, none counted twice")
sys.exit(0)
