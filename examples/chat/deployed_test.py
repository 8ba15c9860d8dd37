"""Lets two visitors of the deployed chat at APP_URL talk; a third one is a real browser. Exits with 0 on success."""

import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

from browser import WITHIN_SECONDS, Browser

APP = os.environ["APP_URL"]


class Page:
    """A visitor's page: its token, and the messages that arrive for it."""

    def __init__(self, name):
        self.browser = Browser()
        html = self.browser.open(APP + "/?" + urllib.parse.urlencode({"name": name}))[2]
        assert '<script src="/_ah/channel/jsapi">' in html, html
        self.client = re.search(r"append\('client', \"(\w+)\"", html).group(1)
        token = re.search(r"Channel\(\"([\w.\-]+)\"\)", html).group(1)
        self.messages = queue.Queue()
        self.events = self.browser.fetch(f"{APP}/_ah/channel/connect?token={token}", Accept="text/event-stream")
        assert self.events.status == 200, self.events.read()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        event = None
        for line in self.events:
            field, _, value = line.decode().strip().partition(": ")
            if field == "event":
                event = value
            elif field == "data" and event is None:
                self.messages.put(json.loads(json.loads(value)))
            elif not field:
                event = None

    def says(self, text):
        status, _, answer = self.browser.open(APP + "/say", client=self.client, text=text)
        assert status == 204, answer

    def next(self):
        return self.messages.get(timeout=WITHIN_SECONDS)


ann = Page("Ann")
assert ann.next() == {"name": "Ann", "event": "enters"}
bob = Page("Bob <b>")
assert ann.next() == {"name": "Bob <b>", "event": "enters"}
assert bob.next() == {"name": "Bob <b>", "event": "enters"}
for i in range(10):
    (ann, bob)[i % 2].says(f"line {i}\nüé")
    expected = {"name": ("Ann", "Bob <b>")[i % 2], "text": f"line {i}\nüé"}
    assert ann.next() == expected
    assert bob.next() == expected
assert Browser().open(APP + "/_ah/channel/connected/", **{"from": ann.client})[0] in (403, 404, 405)

chromium = shutil.which("chromium")
assert chromium or not os.environ.get("CI"), "install chromium"
if chromium:  # its page opens a WebSocket through the router
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        shown = subprocess.Popen(
            [chromium, *flags, APP + "/?name=Eve"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            assert ann.next() == {"name": "Eve", "event": "enters"}
        finally:
            shown.terminate()
            shown.wait()
        assert ann.next() == {"name": "Eve", "event": "leaves"}
print(f"chat: 10 messages through the router to two visitors{', and a browser that entered and left' if chromium else ''}")
