"""Lets two visitors talk, and one leave. The server must send the app's requests to PORT. Exits with 0 on success."""

import http.client
import json
import os
import queue
import re
import threading
import urllib.parse

from werkzeug.serving import make_server

import main

WITHIN_SECONDS = 60


class Page:
    """A visitor's page: its token, and the messages that arrive for it."""

    def __init__(self, name):
        html = request("GET", "/?" + urllib.parse.urlencode({"name": name}))[1]
        self.client = re.search(r"append\('client', \"(\w+)\"", html).group(1)
        token = re.search(r"Channel\(\"([\w.\-]+)\"\)", html).group(1)
        self.messages = queue.Queue()
        self.connection = http.client.HTTPConnection(os.environ["API_HOST"], int(os.environ["API_PORT"]))
        self.connection.request("GET", f"/_ah/channel/connect?token={token}", headers={"Accept": "text/event-stream"})
        self.socket = self.connection.sock  # the response takes it over
        self.events = self.connection.getresponse()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        event = None
        try:
            for line in self.events:
                field, _, value = line.decode().strip().partition(": ")
                if field == "event":
                    event = value
                elif field == "data" and event is None:
                    self.messages.put(json.loads(json.loads(value)))
                elif not field:
                    event = None
        except (OSError, AttributeError, ValueError):
            pass  # left

    def says(self, text):
        status, answer = request("POST", "/say", urllib.parse.urlencode({"client": self.client, "text": text}))
        assert status == 204, answer

    def next(self):
        return self.messages.get(timeout=WITHIN_SECONDS)

    def leaves(self):
        self.socket.shutdown(2)
        self.connection.close()


def request(method, path, form=None):
    connection = http.client.HTTPConnection("127.0.0.1", main.PORT, timeout=WITHIN_SECONDS)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
    connection.request(method, path, body=form, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


server = make_server("127.0.0.1", main.PORT, main.app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()

ann = Page("Ann")
assert ann.next() == {"name": "Ann", "event": "enters"}
bob = Page("Bob <b>")
assert ann.next() == {"name": "Bob <b>", "event": "enters"}
assert bob.next() == {"name": "Bob <b>", "event": "enters"}

for i in range(20):
    speaker = (ann, bob)[i % 2]
    speaker.says(f"line {i}\nüé")
    expected = {"name": ("Ann", "Bob <b>")[i % 2], "text": f"line {i}\nüé"}
    assert ann.next() == expected
    assert bob.next() == expected

bob.leaves()
assert ann.next() == {"name": "Bob <b>", "event": "leaves"}
assert request("POST", "/say", urllib.parse.urlencode({"client": bob.client, "text": "gone"}))[0] == 403
ann.says("alone")
assert ann.next() == {"name": "Ann", "text": "alone"}
assert ann.messages.empty()
print("chat: 21 messages to two visitors, who were seen entering and leaving")
