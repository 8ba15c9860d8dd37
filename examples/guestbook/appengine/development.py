"""The part of a platform in front of an app: names the app, and the user who is signed in at Petrichor."""

import http.client
import os
import urllib.parse

TICKET = "HTTP_X_APPENGINE_API_TICKET"
RESERVED = "HTTP_X_APPENGINE_"
SIGN_IN = ("/_ah/login", "/_ah/logout")
TIMEOUT_SECONDS = 10


class Platform:
    """Requests with a ticket are from Petrichor, and pass unchanged. For development only: it does not check tickets."""

    def __init__(self, wsgi_app):
        self.wsgi_app = wsgi_app
        self.project = os.environ["GOOGLE_CLOUD_PROJECT"]
        self.host = os.environ["API_HOST"]
        self.port = int(os.environ["API_PORT"])

    def __call__(self, environ, start_response):
        if TICKET in environ:
            return self.wsgi_app(environ, start_response)
        if environ["PATH_INFO"] in SIGN_IN:
            start_response("302 Found", [("Location", self.sign_in_page(environ))])
            return []
        own = {name: value for name, value in environ.items() if not name.startswith(RESERVED)}
        own[TICKET] = f"{self.project}/development"
        own.update(self.user(environ.get("HTTP_COOKIE", "")))
        return self.wsgi_app(own, start_response)

    def sign_in_page(self, environ):
        """Petrichor's page, under the name of this host, so that the browser sends its cookie here, too."""
        name = environ["HTTP_HOST"].partition(":")[0]
        return f"http://{name}:{self.port}{environ['PATH_INFO']}?{environ['QUERY_STRING']}"

    def user(self, cookie):
        """The header fields that describe the user of a request with this cookie."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_SECONDS)
        try:
            path = "/_ah/login/user?" + urllib.parse.urlencode({"app": self.project})
            connection.request("GET", path, headers={"Cookie": cookie})
            response = connection.getresponse()
            response.read()
            fields = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in response.getheaders()}
        finally:
            connection.close()
        return {name: value for name, value in fields.items() if name.startswith(RESERVED)}
