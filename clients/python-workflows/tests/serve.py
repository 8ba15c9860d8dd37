"""The app under test as a process of its own: serve.py PORT. It can be killed at any time.

Every task is handled twice, as if the queue had delivered it again: the second time must have no effect. While the file
of TASKS_AT_ONCE exists, this happens at the same time.
"""

import concurrent.futures
import io
import os
import pathlib
import sys

import google.appengine.api
from werkzeug.serving import make_server

from petrichor_workflows import mapreduce, wrap_wsgi_app

AT_ONCE = pathlib.Path(os.environ["TASKS_AT_ONCE"])
TURN_ITEMS = 40  # small, so that many turns can be interrupted


def no_page(environ, start_response):
    start_response("404 Not Found", [])
    return []


def twice(handler):
    def handle(environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))

        def handled(_):
            statuses = []
            content = handler({**environ, "wsgi.input": io.BytesIO(body)}, lambda *answer: statuses.append(answer))
            return statuses[-1], list(content)

        if AT_ONCE.exists():
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                answers = list(pool.map(handled, range(2)))
        else:
            answers = [handled(0)]
            if answers[0][0][0].startswith("200"):
                answers.append(handled(1))
        answer, content = max(answers, key=lambda one: one[0][0])  # a failure, if there is one
        start_response(*answer)
        return content

    return handle


if __name__ == "__main__":
    mapreduce.TURN_ITEMS = TURN_ITEMS
    app = twice(google.appengine.api.wrap_wsgi_app(wrap_wsgi_app(no_page)))
    make_server("127.0.0.1", int(sys.argv[1]), app, threaded=True).serve_forever()
