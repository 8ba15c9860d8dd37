"""Signs the guestbook as users with accounts, through its pages. Exits with 0 on success.

The server must send the app's tasks to PORT.
"""

import http.cookiejar
import json
import os
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from werkzeug.serving import make_server

import main

WITHIN_SECONDS = 60
SERVER = f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}"
APP = f"http://127.0.0.1:{main.PORT}"
PASSWORD = "correct horse"
mark = uuid.uuid4().hex[:12]


class Browser:
    """Keeps cookies, and follows redirects."""

    def __init__(self):
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def open(self, url, headers=(), **form):
        request = urllib.request.Request(
            url, urllib.parse.urlencode(form).encode() if form else None, headers=dict(headers)
        )
        try:
            with self.opener.open(request, timeout=WITHIN_SECONDS) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as other:
            return other.code, other.url, other.read().decode()

    def sign_in(self, page, email):
        link = re.search(r'<a href="([^"]+)">Sign in', self.open(page)[2]).group(1)
        _, at, html = self.open(urllib.parse.urljoin(page, link.replace("&amp;", "&")))
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html))
        return self.open(urllib.parse.urljoin(at, "/_ah/login"), **fields, email=email, password=PASSWORD)


def account(action, email, **more):
    body = json.dumps({"action": action, "email": email, **more}).encode()
    request = urllib.request.Request(SERVER + "/petrichor/v1/users", body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request).close()


def until(found):
    deadline = time.monotonic() + WITHIN_SECONDS
    while not found():
        assert time.monotonic() < deadline, f"not within {WITHIN_SECONDS} s"
        time.sleep(0.05)


server = make_server("127.0.0.1", main.PORT, main.app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
book = f"{APP}/test-{mark}"
ann, bob = f"ann-{mark}@example.com", f"bob-{mark}@example.com"
for email in (ann, bob):
    account("add", email, password=PASSWORD)
account("grant", bob, project=os.environ["GOOGLE_CLOUD_PROJECT"])

visitor = Browser()
assert visitor.open(book, text="hello")[0] == 403
forged = {"X-Appengine-User-Email": bob, "X-Appengine-User-Is-Admin": "1", "X-Appengine-TaskName": "t"}
assert visitor.open(book, forged, text="hello")[0] == 403
assert visitor.open(f"{APP}/tasks/count", forged, greeting="x")[0] == 403

signed_in = Browser()
assert signed_in.sign_in(book, ann)[:2] == (200, book)
for i in range(3):
    status, _, page = signed_in.open(book, text=f"greeting {i} <b>")
    assert status == 200 and f"greeting {i} &lt;b&gt;" in page, page
assert "greeting 2" in visitor.open(book)[2]
until(lambda: f"{ann}: 3" in visitor.open(book)[2])

assert "Remove" not in page
assert signed_in.open(f"{book}/remove", greeting="x")[0] == 403
admin = Browser()
page = admin.sign_in(book, bob)[2]
assert "(administrator)" in page
key = re.search(r'name="greeting" value="([^"]+)"', page).group(1)
assert "greeting 2" not in admin.open(f"{book}/remove", greeting=key)[2]
assert "greeting 1" in visitor.open(book)[2]

link = re.search(r'<a href="([^"]+)">Sign out', signed_in.open(book)[2]).group(1)
assert "Sign in" in signed_in.open(urllib.parse.urljoin(book, link.replace("&amp;", "&")))[2]
assert signed_in.open(book, text="hello")[0] == 403
print("guestbook/appengine: 3 greetings of a signed-in user counted by tasks, one removed by an administrator")
