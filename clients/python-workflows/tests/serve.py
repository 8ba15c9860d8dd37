"""The app under test as a process of its own: serve.py PORT. It can be killed at any time."""

import sys

import google.appengine.api
from werkzeug.serving import make_server

from petrichor_workflows import mapreduce, wrap_wsgi_app

TURN_ITEMS = 40  # small, so that many turns can be interrupted


def no_page(environ, start_response):
    start_response("404 Not Found", [])
    return []


if __name__ == "__main__":
    mapreduce.TURN_ITEMS = TURN_ITEMS
    app = google.appengine.api.wrap_wsgi_app(wrap_wsgi_app(no_page))
    make_server("127.0.0.1", int(sys.argv[1]), app, threaded=True).serve_forever()
