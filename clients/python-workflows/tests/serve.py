"""The app under test as a process of its own: serve.py PORT. It can be killed at any time.

Every task is handled twice, as if the queue had delivered it again: the second time must have no effect.
"""

import io
import sys

import google.appengine.api
from werkzeug.serving import make_server

from petrichor_workflows import mapreduce, wrap_wsgi_app

TURN_ITEMS = 40  # small, so that many turns can be interrupted


def no_page(environ, start_response):
    start_response("404 Not Found", [])
    return []


def twice(handler):
    def handle(environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        statuses = []

        def handled():
            return handler({**environ, "wsgi.input": io.BytesIO(body)}, lambda *answer: statuses.append(answer))

        answer = handled()
        if statuses[0][0].startswith("200"):
            answer = handled()
        start_response(*statuses[-1])
        return answer

    return handle


if __name__ == "__main__":
    mapreduce.TURN_ITEMS = TURN_ITEMS
    app = google.appengine.api.wrap_wsgi_app(twice(wrap_wsgi_app(no_page)))
    make_server("127.0.0.1", int(sys.argv[1]), app, threaded=True).serve_forever()
