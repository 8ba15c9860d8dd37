"""Adds notes to the deployed app at APP_URL, and waits until their words are counted. Exits with 0 on success."""

import json
import os
import time

from browser import WITHIN_SECONDS, Browser

APP = os.environ["APP_URL"]
visitor = Browser()


def call(path, body=None):
    with visitor.fetch(APP + path, body, Content_Type="text/plain") as answer:
        return answer.status, answer.read()


texts = {}
for number in range(3):
    text = ("wörd " * (number + 1)).encode()
    status, answer = call("/notes", text)
    assert status == 201, answer
    texts[json.loads(answer)["id"]] = text

expected = {note: len(text.split()) for note, text in texts.items()}
deadline = time.monotonic() + WITHIN_SECONDS
while True:  # until tasks have counted the words
    found = {note["id"]: note["words"] for note in json.loads(call("/notes")[1])}
    if found == expected:
        break
    assert time.monotonic() < deadline, (found, expected)
for note, text in texts.items():
    assert call(f"/notes/{note}") == (200, text)
assert call("/notes/" + "0" * 36)[0] == 404
assert call("/notes", b"x" * ((1 << 20) + 1))[0] == 413
assert "/_ah/login" in visitor.open(APP + "/tasks/count", {"X-CloudTasks-TaskName": "t"}, id="x")[1]
print(f"notes: {len(texts)} notes of the deployed app stored as objects and entities, counted by tasks")
