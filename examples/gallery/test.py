"""Uploads pictures through the form, and reads them and their thumbnails. Exits with 0 on success.

The server must send the app's uploads to PORT.
"""

import html
import http.client
import re
import struct
import threading
import urllib.parse
import uuid

from werkzeug.serving import make_server

import main
from png import png

WITHIN_SECONDS = 60


def request(method, url, body=None, **headers):
    """The status, the header fields and the content."""
    parts = urllib.parse.urlsplit(urllib.parse.urljoin(f"http://127.0.0.1:{main.PORT}", url))
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=WITHIN_SECONDS)
    try:
        path = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, path, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def page():
    return request("GET", "/")[2].decode()


def upload(title, *files):
    """Posts the form of the page as a browser does; returns the page that follows."""
    boundary = uuid.uuid4().hex
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="title"\r\n\r\n{title}\r\n'.encode()]
    for name, kind, content in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="pictures"; filename="{name}"\r\n'
        parts += [f"{head}Content-Type: {kind}\r\n\r\n".encode(), content, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    action = html.unescape(re.search(r'action="(http[^"]+)"', page()).group(1))
    status, headers, answer = request(
        "POST", action, b"".join(parts), Content_Type=f"multipart/form-data; boundary={boundary}"
    )
    assert status == 302, (status, answer)
    return request("GET", headers["Location"])[2].decode()


def shown(text, title):
    """The URLs of the picture with this title and of its thumbnail."""
    match = re.search(rf'<a href="([^"]+)"><img src="([^"]+)" alt="{re.escape(title)}"', text)
    return match and match.groups()


server = make_server("127.0.0.1", main.PORT, main.app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()

mark = uuid.uuid4().hex
wide = png(640, 320)
text = upload(f"wide {mark}", ("wide.png", "image/png", wide))
assert "640 × 320" in text
picture, thumbnail = shown(text, f"wide {mark}")

status, headers, content = request("GET", thumbnail)
assert (status, headers["Content-Type"]) == (200, "image/jpeg") and content.startswith(b"\xff\xd8\xff")
assert b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 160, 320) in content, "the thumbnail is not 320 × 160"
assert len(content) < 50_000

status, headers, content = request("GET", picture)
assert (status, headers["Content-Type"], content == wide) == (200, "image/png", True)
status, headers, content = request("GET", picture, Range="bytes=1000000-1500000")
assert status == 206 and content == wide[1_000_000:1_500_001]
assert headers["Content-Range"] == f"bytes 1000000-1500000/{len(wide)}"
assert request("GET", picture, Range=f"bytes={len(wide)}-")[0] == 416

text = upload(
    "",
    (f"a-{mark}.png", "image/png", png(10, 20)),
    (f"b-{mark}.txt", "text/plain", b"no picture"),
    (f"c-{mark}.png", "image/png", b"nor this"),
)
assert shown(text, f"a-{mark}.png") and "10 × 20" in text
assert f"not a picture: b-{mark}.txt, c-{mark}.png" in text
assert not shown(text, f"b-{mark}.txt") and not shown(text, f"c-{mark}.png")

assert request("POST", picture + "/remove")[0] == 302
assert not shown(page(), f"wide {mark}")
assert [request("GET", url)[0] for url in (picture, thumbnail)] == [404, 404]
print("gallery: 2 pictures uploaded with thumbnails, 2 other files refused, one picture removed")
