"""URL fetch: requests to a server of this process, with redirects, failures and refused requests."""

import contextlib
import http.server
import threading

from google.appengine.api import urlfetch_service_pb2 as messages

from .sides import Operation, Refused

ADDRESS = "127.0.0.2"  # the server permits fetches from it
METHODS = ["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH"]
PATHS = ["/", "/a?b=c", "/%C3%A4", "/redirect?/there", "/redirect?/redirect?/twice", "/loop", "/missing", "/fails"]
UNENCODED = "/ä"  # the testbed cannot send it
WITH_BODY = ("POST", "PUT", "PATCH")
SECONDS_MAX = 20.0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/loop":
            self.reply(302, b"", Location="/loop")
        elif self.path.startswith("/redirect"):
            self.reply(302, b"", Location=self.path.partition("?")[2])
        elif self.path == "/missing":
            self.reply(404, b"not here")
        elif self.path == "/fails":
            self.reply(500, b"failed")
        else:
            own = self.headers.get("X-Own", "")
            self.reply(200, f"{self.command} {self.path} {own}\n".encode() + body, **{"X-Answer": "1"})

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def surroundings(address=ADDRESS):
    """The URL of the server."""
    server = http.server.ThreadingHTTPServer((address, 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://{address}:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def fetch(side, request):
    answer = side.call("urlfetch", "Fetch", request, messages.URLFetchResponse())
    if isinstance(answer, Refused):
        return answer
    own = [header.Value for header in answer.header if header.Key.lower() == "x-answer"]
    return answer.StatusCode, answer.Content, own, answer.ContentWasTruncated


def operation(random, base, paths):
    if random.random() < 0.1:
        url = random.choice(["ftp://example.com/", "nonsense", "http://", "http:///path"])
        wrong = messages.URLFetchRequest(Method=messages.URLFetchRequest.GET, Url=url)
        return Operation(f"Fetch {url}", lambda side: fetch(side, wrong))
    method, path = random.choice(METHODS), random.choice(paths)
    request = messages.URLFetchRequest(
        Method=getattr(messages.URLFetchRequest, method), Url=base + path, Deadline=SECONDS_MAX
    )
    request.FollowRedirects = random.random() < 0.6
    if method in WITH_BODY:
        request.Payload = random.choice([b"", b"text", bytes(range(256))])
    if random.random() < 0.5:
        request.header.add(Key="X-Own", Value=random.choice(["1", "a b"]))
    return Operation(f"Fetch {request}", lambda side: fetch(side, request))


def operations(random, count, reference, base):
    paths = PATHS if reference == "testbed" else [*PATHS, UNENCODED]
    return [operation(random, base, paths) for _ in range(count)]
