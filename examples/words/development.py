"""The part of a platform in front of an app: names the app in requests, and defines its queues when it starts."""

import os
import pathlib
import time
import urllib.error
import urllib.request

TICKET = "HTTP_X_APPENGINE_API_TICKET"
RESERVED = "HTTP_X_APPENGINE_"
QUEUES = pathlib.Path(__file__).with_name("queue.yaml")
READY_SECONDS_MAX = 300  # the first start of a server may build it
PAUSE_SECONDS = 0.2


class Ticketed:
    """Requests with a ticket are from Petrichor, and pass unchanged. Others get a ticket with the name of the app, and
    lose the header fields that only a platform may set.

    For development only: it does not check tickets.
    """

    def __init__(self, wsgi_app):
        self.wsgi_app = wsgi_app
        self.ticket = f"{os.environ['GOOGLE_CLOUD_PROJECT']}/development"

    def __call__(self, environ, start_response):
        if TICKET not in environ:
            environ = {name: value for name, value in environ.items() if not name.startswith(RESERVED)}
            environ[TICKET] = self.ticket
        return self.wsgi_app(environ, start_response)


def define_queues():
    """Sends queue.yaml to the server as soon as it is ready."""
    server = f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}"
    url = f"{server}/petrichor/v1/queues/{os.environ['GOOGLE_CLOUD_PROJECT']}"
    deadline = time.monotonic() + READY_SECONDS_MAX
    while True:
        try:
            with urllib.request.urlopen(url, QUEUES.read_bytes()):
                return
        except urllib.error.HTTPError:
            raise
        except OSError:  # the server is starting
            if time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_SECONDS)
