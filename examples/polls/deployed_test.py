"""Votes in a poll of the deployed app at APP_URL, several at the same time. Exits with 0 on success."""

import concurrent.futures
import os
import uuid

from browser import Browser

APP = os.environ["APP_URL"]
VOTES = 40
poll = f"{APP}/{uuid.uuid4().hex}"


def vote(number):
    return Browser().open(poll, choice=("soup", "crêpe")[number % 2])[0]


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    statuses = list(pool.map(vote, range(VOTES)))
assert set(statuses) <= {200, 503}, statuses
accepted = [statuses[number::2].count(200) for number in range(2)]
assert sum(accepted) >= VOTES // 2, statuses
status, _, text = Browser().open(poll)
assert (status, text) == (200, f"crêpe: {accepted[1]}\nsoup: {accepted[0]}\n"), (accepted, text)
assert Browser().open(poll, choice=" ")[0] == 400
assert Browser().open(APP + "/not/a/poll")[0] == 404
print(f"polls: {sum(accepted)} of {VOTES} votes at the same time, each counted once")
