"""google.appengine.api.urlfetch. The server permits fetches from 127.0.0.2, and refuses the rest of this machine."""

import gzip
import http.server
import os
import threading

import pytest
from google.appengine.api import urlfetch
from google.appengine.runtime import apiproxy_errors

ADDRESS = "127.0.0.2"
RESPONSE_BYTES_MAX = 32 << 20


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = self.path
        if path.startswith("/redirect"):
            self.reply(302, b"", Location=path.partition("?")[2])
        elif path == "/loop":
            self.reply(302, b"", Location="/loop")
        elif path == "/large":
            self.reply(200, bytes(RESPONSE_BYTES_MAX + 1))
        elif path == "/gzip":
            self.reply(200, gzip.compress(b"compressed"), **{"Content-Encoding": "gzip"})
        elif path == "/silent":
            self.server.closed.wait()
        elif path == "/broken":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            self.close_connection = True
        else:
            headers = "".join(f"{name.lower()}: {value}\n" for name, value in self.headers.items())
            self.reply(200, f"{self.command} {path}\n{headers}\n".encode() + body)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            try:
                self.wfile.write(body)
            except OSError:
                pass  # the rest of a response that is too large

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    server = http.server.ThreadingHTTPServer((ADDRESS, 0), Handler)
    server.daemon_threads = True
    server.closed = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://{ADDRESS}:{server.server_address[1]}"
    server.closed.set()
    server.shutdown()


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"])
def test_every_method(app, site, method):
    payload = b"hello" if method in ("POST", "PUT", "PATCH") else None
    result = app.run(urlfetch.fetch, site + "/a?b=c", payload=payload, method=method, deadline=60)
    assert result.status_code == 200
    if method != "HEAD":
        assert result.content.startswith(f"{method} /a?b=c\n".encode())
        assert result.content.endswith(b"\n\n" + (payload or b""))


def test_header_fields(app, site):
    headers = {"X-Own": "yes", "X-Appengine-User-Is-Admin": "1", "X-Forwarded-For": "1.2.3.4"}
    content = app.run(lambda: urlfetch.fetch(site + "/", headers=headers, deadline=60)).content.decode()
    assert "x-own: yes\n" in content
    assert "x-appengine" not in content and "1.2.3.4" not in content
    assert f"user-agent: AppEngine-Google; (+http://code.google.com/appengine; appid: s~{app.project})\n" in content


def test_redirects(app, site):
    result = app.run(urlfetch.fetch, site + "/redirect?/there", deadline=60)
    assert result.content.startswith(b"GET /there\n")
    assert result.final_url == site + "/there"
    declined = app.run(urlfetch.fetch, site + "/redirect?/there", follow_redirects=False, deadline=60)
    assert declined.status_code == 302 and declined.headers["Location"] == "/there"
    with pytest.raises(urlfetch.TooManyRedirectsError):
        app.run(urlfetch.fetch, site + "/loop", deadline=60)


def test_compressed_responses(app, site):
    assert app.run(urlfetch.fetch, site + "/gzip", deadline=60).content == b"compressed"


def test_a_response_that_is_too_large(app, site):
    with pytest.raises(urlfetch.ResponseTooLargeError):
        app.run(urlfetch.fetch, site + "/large", deadline=60)
    result = app.run(urlfetch.fetch, site + "/large", allow_truncated=True, deadline=60)
    assert result.content_was_truncated and len(result.content) < RESPONSE_BYTES_MAX + 1


def test_the_deadline(app, site):
    # The fetch and the call that carries it have the same deadline; either may notice it first.
    with pytest.raises((urlfetch.DeadlineExceededError, apiproxy_errors.DeadlineExceededError)):
        app.run(urlfetch.fetch, site + "/silent", deadline=0.2)


def test_a_connection_that_is_closed_early(app, site):
    with pytest.raises(urlfetch.ConnectionClosedError):
        app.run(urlfetch.fetch, site + "/broken", deadline=60)


def test_many_at_once(app, site):
    def fetch_all():
        rpcs = [urlfetch.create_rpc(deadline=60) for _ in range(20)]
        for number, rpc in enumerate(rpcs):
            urlfetch.make_fetch_call(rpc, f"{site}/{number}")
        return [rpc.get_result().content.split()[1] for rpc in rpcs]

    assert app.run(fetch_all) == [f"/{number}".encode() for number in range(20)]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0"])
def test_the_platform_is_out_of_reach(app, site, host):
    with pytest.raises(urlfetch.DownloadError):
        app.run(urlfetch.fetch, f"http://{host}:{os.environ['API_PORT']}/", deadline=60)


def test_a_redirect_to_the_platform(app, site):
    with pytest.raises(urlfetch.DownloadError):
        app.run(urlfetch.fetch, f"{site}/redirect?http://127.0.0.1:{os.environ['API_PORT']}/", deadline=60)


@pytest.mark.parametrize("address", ["169.254.169.254", "10.0.0.1", "192.168.0.1", "[fd00:ec2::254]", "[fe80::1]"])
def test_private_addresses_are_out_of_reach(app, address):
    with pytest.raises(urlfetch.DownloadError):
        app.run(urlfetch.fetch, f"http://{address}/", deadline=60)


@pytest.mark.parametrize("url", ["ftp://example.com/", "http://", "http://example.com:22/", "http://a:b@example.com/"])
def test_urls_that_are_not_fetched(app, url):
    with pytest.raises(urlfetch.InvalidURLError):
        app.run(urlfetch.fetch, url, deadline=60)
