"""Signs the deployed guestbook at APP_URL as users with accounts. Exits with 0 on success."""

import json
import os
import re
import time
import urllib.parse
import urllib.request
import uuid

from browser import WITHIN_SECONDS, Browser

APP = os.environ["APP_URL"]
SERVER = f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}"
PASSWORD = "correct horse"
mark = uuid.uuid4().hex[:12]


def account(action, email, **more):
    body = json.dumps({"action": action, "email": email, **more}).encode()
    request = urllib.request.Request(SERVER + "/petrichor/v1/users", body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request).close()


def sign_in(browser, page, email):
    link = re.search(r'<a href="([^"]+)">Sign in', browser.open(page)[2]).group(1)
    _, at, html = browser.open(urllib.parse.urljoin(page, link.replace("&amp;", "&")))
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html))
    return browser.open(urllib.parse.urljoin(at, "/_ah/login"), **fields, email=email, password=PASSWORD)


book = f"{APP}/test-{mark}"
ann, bob = f"ann-{mark}@example.com", f"bob-{mark}@example.com"
for email in (ann, bob):
    account("add", email, password=PASSWORD)
account("grant", bob, project=os.environ["APP_PROJECT"])

visitor = Browser()
forged = {"X-Appengine-User-Email": bob, "X-Appengine-User-Is-Admin": "1", "X-Appengine-TaskName": "t"}
assert visitor.open(book, forged, text="hello")[0] == 403
assert visitor.open(f"{APP}/tasks/count", forged, greeting="x")[0] == 403

signed_in = Browser()
assert sign_in(signed_in, book, ann)[:2] == (200, book)
for i in range(3):
    status, _, page = signed_in.open(book, text=f"greeting {i} <b>")
    assert status == 200 and f"greeting {i} &lt;b&gt;" in page, page
deadline = time.monotonic() + WITHIN_SECONDS
while f"{ann}: 3" not in visitor.open(book)[2]:  # counted by tasks
    assert time.monotonic() < deadline, f"not counted within {WITHIN_SECONDS} s"

assert signed_in.open(f"{book}/remove", greeting="x")[0] == 403
admin = Browser()
page = sign_in(admin, book, bob)[2]
assert "(administrator)" in page
key = re.search(r'name="greeting" value="([^"]+)"', page).group(1)
assert "greeting 2" not in admin.open(f"{book}/remove", greeting=key)[2]
print("guestbook: 3 greetings of a signed-in user counted by tasks of the deployed app, one removed by an administrator")
