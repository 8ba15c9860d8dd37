"""Uploads pictures to the deployed gallery at APP_URL, as its page does. Exits with 0 on success."""

import html
import os
import re
import struct
import urllib.parse
import uuid

from browser import Browser
from png import png

APP = os.environ["APP_URL"]
visitor = Browser()


def read(path, **headers):
    """The status, the header fields and the content."""
    with visitor.fetch(urllib.parse.urljoin(APP, path), **headers) as answer:
        return answer.status, answer.headers, answer.read()


def upload(title, *files):
    """Posts the form of the page; returns the page that follows."""
    boundary = uuid.uuid4().hex
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="title"\r\n\r\n{title}\r\n'.encode()]
    for name, kind, content in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="pictures"; filename="{name}"\r\n'
        parts += [f"{head}Content-Type: {kind}\r\n\r\n".encode(), content, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    action = html.unescape(re.search(r'action="([^"]+/_ah/upload/[^"]+)"', read("/")[2].decode()).group(1))
    assert action.startswith(APP), (action, APP)
    with visitor.fetch(action, b"".join(parts), Content_Type=f"multipart/form-data; boundary={boundary}") as answer:
        text = answer.read().decode()
        assert answer.status == 200 and answer.url.startswith(APP), (answer.status, answer.url, text)
        return text


def shown(text, title):
    """The URLs of the picture with this title and of its thumbnail."""
    match = re.search(rf'<a href="([^"]+)"><img src="([^"]+)" alt="{re.escape(title)}"', text)
    return match and match.groups()


mark = uuid.uuid4().hex
wide = png(640, 320)
text = upload(f"wide {mark}", ("wide.png", "image/png", wide))
assert "640 × 320" in text
picture, thumbnail = shown(text, f"wide {mark}")

status, headers, content = read(thumbnail)
assert (status, headers["Content-Type"]) == (200, "image/jpeg") and content.startswith(b"\xff\xd8\xff")
assert b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 160, 320) in content, "the thumbnail is not 320 × 160"

# The app names the blob, and the router sends it.
status, headers, content = read(picture)
assert (status, headers["Content-Type"], content == wide) == (200, "image/png", True)
assert headers["Content-Security-Policy"] == "sandbox" and "X-AppEngine-BlobKey" not in headers
status, headers, content = read(picture, Range="bytes=1000000-1500000")
assert status == 206 and content == wide[1_000_000:1_500_001]
assert headers["Content-Range"] == f"bytes 1000000-1500000/{len(wide)}"
assert read(picture, Range=f"bytes={len(wide)}-")[0] == 416

text = upload("", (f"b-{mark}.txt", "text/plain", b"no picture"), (f"c-{mark}.png", "image/png", b"nor this"))
assert f"not a picture: b-{mark}.txt, c-{mark}.png" in text
assert not shown(text, f"b-{mark}.txt") and not shown(text, f"c-{mark}.png")

visitor.open(urllib.parse.urljoin(APP, picture + "/remove"), remove="1")
assert [read(url)[0] for url in (picture, thumbnail)] == [404, 404]
print("gallery: a picture uploaded to the deployed app and served by the router, two other files refused")
