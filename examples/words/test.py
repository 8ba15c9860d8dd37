"""Uploads a book, and compares the counted words with those of a plain program. Exits with 0 on success.

The server must send the app's requests to PORT.
"""

import collections
import html
import http.client
import random
import re
import threading
import time
import urllib.parse
import uuid

from werkzeug.serving import make_server

import development
import main
from books import WORD

WITHIN_SECONDS = 120
SENTENCES = 12_000


def book():
    """A text with words of Zipf's frequencies."""
    chance = random.Random(14)
    vocabulary = ["the", "don't", "été", "Straße"] + [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    lines = []
    for number in range(SENTENCES):
        sentence = chance.choices(vocabulary, weights, k=chance.randrange(1, 16))
        lines.append(" ".join(sentence).capitalize() + (".\r\n" if number % 5 else ".\n\n"))
    return "".join(lines)


def request(method, url, body=None, **headers):
    """The status, the header fields and the text."""
    parts = urllib.parse.urlsplit(urllib.parse.urljoin(f"http://127.0.0.1:{main.PORT}", url))
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=WITHIN_SECONDS)
    try:
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, parts.path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def upload(title, text):
    boundary = uuid.uuid4().hex
    parts = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="title"\r\n\r\n{title}\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="book"; filename="book.txt"\r\nContent-Type: text/plain\r\n\r\n'
        f"{text}\r\n--{boundary}--\r\n"
    )
    action = html.unescape(re.search(r'action="(http[^"]+)"', request("GET", "/")[2]).group(1))
    status, _, answer = request(
        "POST", action, parts.encode(), Content_Type=f"multipart/form-data; boundary={boundary}"
    )
    assert status == 302, (status, answer)


def counted(page):
    """The page of the book when its words are counted."""
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        text = request("GET", page)[2]
        assert 'role="alert"' not in text, text
        if "different ones" in text:
            return text
        assert time.monotonic() < deadline, f"not counted within {WITHIN_SECONDS} s"
        time.sleep(0.1)


development.define_queues()
server = make_server("127.0.0.1", main.PORT, main.app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()

assert request("POST", "/_ah/workflows/run", b"step=x&turn=0", X_AppEngine_TaskName="forged")[0] == 403

text, title = book(), f"A book {uuid.uuid4().hex}"
upload(title, text)
page = re.search(rf'<a href="(/books/[^"]+)">{title}</a>', request("GET", "/")[2]).group(1)
started = time.monotonic()
shown = counted(page)
expected = collections.Counter(word.lower() for word in WORD.findall(text))
assert f"{expected.total():,} words, {len(expected):,} different ones" in shown, shown
rows = re.findall(r'<td>(.*?)</td><td class="number">(.*?)</td>', shown)
counts = {html.unescape(word): int(times.replace(",", "")) for word, times in rows}
assert len(counts) == main.WORDS_SHOWN and min(counts.values()) >= sorted(expected.values())[-main.WORDS_SHOWN]
assert all(expected[word] == times for word, times in counts.items())
seconds = time.monotonic() - started

assert request("POST", page + "/remove")[0] == 302
assert request("GET", page)[0] == 404
print(f"words: {expected.total():,} words of a book counted by tasks in {seconds:.1f} s")
