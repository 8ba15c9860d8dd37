"""The part of an app that receives the tasks of workflows."""

import logging
import urllib.parse

from petrichor_workflows import control, engine

log = logging.getLogger(__name__)

BODY_BYTES_MAX = 1 << 20
ACTIONS = {
    "run": lambda fields: engine.run(fields["step"], int(fields["turn"])),
    "start": lambda fields: engine.start_many(**fields),
    "ended": lambda fields: engine.ended(fields["step"]),
    "resume": lambda fields: control.resume_steps(fields["workflow"]),
}


def wrap_wsgi_app(app):
    """Adds the handler of `/_ah/workflows/` to an app. Call it before `google.appengine.api.wrap_wsgi_app`."""

    def handle(environ, start_response):
        path = environ.get("PATH_INFO", "")
        if not path.startswith(engine.PATH):
            return app(environ, start_response)
        status, text = _handle(path[len(engine.PATH) :], environ)
        start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [text.encode()]

    return handle


def _handle(name, environ):
    # Only the platform sets this field; it removes it from requests of clients.
    if "HTTP_X_APPENGINE_TASKNAME" not in environ or environ["REQUEST_METHOD"] != "POST":
        return "403 Forbidden", "only for tasks\n"
    if name not in ACTIONS:
        return "404 Not Found", "there is no such task\n"
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > BODY_BYTES_MAX:
        return "413 Content Too Large", "the task is too large\n"
    body = environ["wsgi.input"].read(length).decode()
    try:
        ACTIONS[name](dict(urllib.parse.parse_qsl(body)))
    except engine.TEMPORARY as failure:
        log.warning("the queue will repeat %s: %s: %s", body, type(failure).__name__, failure)
        return "503 Service Unavailable", "temporary failure\n"
    return "200 OK", ""
