"""Requests to deployed apps as from a browser: keeps cookies, follows redirects, and finds hosts below localhost."""

import http.client
import http.cookiejar
import socket
import urllib.error
import urllib.parse
import urllib.request

WITHIN_SECONDS = 120


class Connection(http.client.HTTPConnection):
    """Hosts such as guestbook.localhost are this machine, which not all resolvers know."""

    def connect(self):
        host = "127.0.0.1" if self.host.endswith(".localhost") else self.host
        self.sock = socket.create_connection((host, self.port), self.timeout)


class LocalHosts(urllib.request.HTTPHandler):
    def http_open(self, request):
        return self.do_open(Connection, request)


class Browser:
    """Does not run the scripts of pages."""

    def __init__(self):
        self.opener = urllib.request.build_opener(
            LocalHosts(), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )

    def fetch(self, url, body=None, method=None, **headers):
        """The response, open, also if it is an error."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(url, body, headers, method=method)
        try:
            return self.opener.open(request, timeout=WITHIN_SECONDS)
        except urllib.error.HTTPError as error:
            return error

    def open(self, url, headers=(), **form):
        """Status, final URL and text of a page; posts the form if there is one."""
        body = urllib.parse.urlencode(form).encode() if form else None
        with self.fetch(url, body, **dict(headers)) as answer:
            return answer.status, answer.url, answer.read().decode()
