"""An app that receives uploads and serves them, with App Engine's API over plain HTTP."""

import http.server
import os
import urllib.request


def field(number, value):
    """A field of a protocol buffer."""
    return bytes([number << 3 | 2, *length(len(value))]) + value


def length(value):
    while value > 127:
        yield value & 127 | 128
        value >>= 7
    yield value


def text(message):
    """The value of the first field, shorter than 128 bytes or longer."""
    at, size, shift = 1, 0, 0
    while True:
        size |= (message[at] & 127) << shift
        shift += 7
        at += 1
        if message[at - 1] < 128:
            return message[at : at + size]


def call(ticket, service, method, request):
    envelope = field(2, service) + field(3, method) + field(4, request) + field(5, ticket.encode())
    url = f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}/rpc_http"
    with urllib.request.urlopen(urllib.request.Request(url, envelope)) as answer:
        return text(answer.read())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        shown = "%s %s upload=%s user=%s" % (
            self.path,
            self.headers["Host"],
            self.headers["X-AppEngine-BlobUpload"],
            self.headers["X-AppEngine-User-Email"],
        )
        print("post", self.path, body[:2000], flush=True)
        uploaded = "X-AppEngine-BlobUpload" in self.headers
        self.answer(302 if uploaded else 200, shown.encode() + b"\n" + body, {"Location": "/done"})

    def do_GET(self):
        path, _, argument = self.path.partition("?")
        if path == "/url":
            ticket = self.headers["X-AppEngine-API-Ticket"]
            response = call(ticket, b"blobstore", b"CreateUploadURL", field(1, argument.encode()))
            self.answer(200, text(response), {})
        elif path == "/blob":
            key, _, part = argument.partition("&")
            headers = {"X-AppEngine-BlobKey": key, "X-App": "kept"}
            if part:
                headers["X-AppEngine-BlobRange"] = part
            self.answer(200, b"replaced by the blob", headers)
        else:
            self.answer(200, b"", {})

    do_HEAD = do_GET

    def answer(self, status, body, headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
