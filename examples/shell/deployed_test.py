"""Executes statements in two sessions of the deployed app at APP_URL. Exits with 0 on success."""

import concurrent.futures
import os
import re
import urllib.parse

from browser import Browser

APP = os.environ["APP_URL"]
COUNTS = 40
visitor = Browser()


def session():
    return re.search(r"append\('session', \"(\w+)\"", visitor.open(APP)[2]).group(1)


def run(name, statements):
    status, _, text = Browser().open(urllib.parse.urljoin(APP, "/run"), session=name, statements=statements)
    return status, text


ann, bob = session(), session()
assert run(ann, "a = 5; b = 2; a + b;") == (200, "7\n")
assert run(ann, "a * b; 'x' + 'y'; a > b; None") == (200, "10\n'xy'\nTrue\n")
assert run(bob, "a") == (422, "NameError: name 'a' is not defined\n")
assert run("../x", "1")[0] == 400

# Nothing of the refused statements takes effect, and nothing leads out of the shell.
for refused, reason in {
    "a = 1; a / 0": "ZeroDivisionError",
    "a = 1; b = ": "SyntaxError",
    "a = 1; __import__('os')": "Call is not available",
    "a = 1; a.__class__": "Attribute is not available",
    "a = 1; 10 ** 10 ** 10": "bits",
    "a = 1; 'x' * 1000000000": "Mult is not available",
    "a = 1; '%1000000000d' % 1": "Mod is not available",
    "a = 1; " + "(" * 300 + "1" + ")" * 300: "parentheses",
    "a = 1; " + "-" * 1900 + "1": "",
    "while True: pass": "While is not available",
}.items():
    status, text = run(ann, refused)
    assert status == 422 and reason in text, (refused, status, text)
assert run(ann, "a") == (200, "5\n")

# Requests at the same time: each reads and writes the variables in a transaction.
assert run(ann, "n = 0") == (200, "")
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    statuses = [status for status, _ in pool.map(lambda _: run(ann, "n += 1"), range(COUNTS))]
assert run(ann, "n") == (200, f"{statuses.count(200)}\n"), statuses
assert statuses.count(200) >= COUNTS // 2, statuses
print(f"shell: {statuses.count(200)} of {COUNTS} additions at the same time, each counted once")
