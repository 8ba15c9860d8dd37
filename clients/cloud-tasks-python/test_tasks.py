"""google-cloud-tasks: queues and tasks over gRPC and REST."""

import datetime
import http.server
import os
import queue
import threading

import pytest
from conftest import LOCATION
from google.api_core import exceptions
from google.cloud import tasks_v2
from google.protobuf import duration_pb2, field_mask_pb2

SECONDS_MAX = 60
FETCHED_ADDRESS = "127.0.0.2"  # clients/run permits requests to it
PUSHED = "pushed-tasks"


def create_queue(client, parent, name="q", **fields):
    queue = tasks_v2.Queue(name=f"{parent}/queues/{name}", **fields)
    return client.create_queue(parent=parent, queue=queue)


def in_an_hour():
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)


def waiting_task(name=None, body=b"body"):
    request = tasks_v2.AppEngineHttpRequest(relative_uri="/job", body=body)
    return tasks_v2.Task(name=name, app_engine_http_request=request, schedule_time=in_an_hour())


# --- queues ---


def test_a_queue_is_created_read_changed_and_deleted(client, parent):
    created = create_queue(client, parent, rate_limits=tasks_v2.RateLimits(max_dispatches_per_second=2.5))
    assert created.state == tasks_v2.Queue.State.RUNNING
    assert created.rate_limits.max_dispatches_per_second == 2.5
    assert created.retry_config.max_attempts == 100
    assert client.get_queue(name=created.name) == created
    created.retry_config.min_backoff = duration_pb2.Duration(seconds=3)
    mask = field_mask_pb2.FieldMask(paths=["retry_config.min_backoff"])
    changed = client.update_queue(queue=created, update_mask=mask)
    assert changed.retry_config.min_backoff.total_seconds() == 3
    client.delete_queue(name=created.name)
    with pytest.raises(exceptions.NotFound):
        client.get_queue(name=created.name)


def test_errors_of_queues(client, parent):
    create_queue(client, parent)
    with pytest.raises(exceptions.AlreadyExists if client_is_grpc(client) else exceptions.Conflict):
        create_queue(client, parent)
    with pytest.raises(exceptions.InvalidArgument if client_is_grpc(client) else exceptions.BadRequest):
        create_queue(client, parent, "not_valid")
    with pytest.raises(exceptions.NotFound):
        client.pause_queue(name=f"{parent}/queues/unknown")


def client_is_grpc(client):
    return client.transport.kind == "grpc"


def test_queues_are_listed_in_pages(client, parent):
    names = [create_queue(client, parent, f"q{i}").name for i in range(5)]
    listed = client.list_queues(request={"parent": parent, "page_size": 2})
    assert [queue.name for queue in listed] == [f"{parent}/queues/default", *names]
    client.pause_queue(name=names[2])
    assert [queue.name for queue in client.list_queues(request={"parent": parent, "filter": "state: PAUSED"})] == [names[2]]
    assert client.resume_queue(name=names[2]).state == tasks_v2.Queue.State.RUNNING


# --- tasks ---


def test_tasks_are_created_read_listed_and_deleted(client, parent):
    queue_name = create_queue(client, parent).name
    created = client.create_task(parent=queue_name, task=waiting_task())
    assert created.name.startswith(queue_name + "/tasks/")
    assert created.view == tasks_v2.Task.View.BASIC and not created.app_engine_http_request.body
    full = client.get_task(request={"name": created.name, "response_view": tasks_v2.Task.View.FULL})
    assert full.app_engine_http_request.body == b"body"
    assert full.app_engine_http_request.http_method == tasks_v2.HttpMethod.POST
    assert abs(full.schedule_time - in_an_hour()) < datetime.timedelta(seconds=SECONDS_MAX)
    more = [client.create_task(parent=queue_name, task=waiting_task()).name for _ in range(4)]
    listed = client.list_tasks(request={"parent": queue_name, "page_size": 2})
    assert sorted(task.name for task in listed) == sorted([created.name, *more])
    client.delete_task(name=created.name)
    with pytest.raises(exceptions.NotFound):
        client.get_task(name=created.name)
    client.purge_queue(name=queue_name)
    assert list(client.list_tasks(parent=queue_name)) == []


def test_a_name_is_used_once(client, parent):
    queue_name = create_queue(client, parent).name
    name = f"{queue_name}/tasks/once"
    exists = exceptions.AlreadyExists if client_is_grpc(client) else exceptions.Conflict
    assert client.create_task(parent=queue_name, task=waiting_task(name)).name == name
    with pytest.raises(exists):
        client.create_task(parent=queue_name, task=waiting_task(name))
    client.delete_task(name=name)
    with pytest.raises(exists):
        client.create_task(parent=queue_name, task=waiting_task(name))


def test_errors_of_tasks(client, parent):
    invalid = exceptions.InvalidArgument if client_is_grpc(client) else exceptions.BadRequest
    with pytest.raises(exceptions.NotFound):
        client.create_task(parent=f"{parent}/queues/unknown", task=waiting_task())
    queue_name = create_queue(client, parent).name
    with pytest.raises(invalid):
        client.create_task(parent=queue_name, task=tasks_v2.Task())
    with pytest.raises(invalid):
        client.create_task(parent=queue_name, task=waiting_task(body=bytes(200_000)))
    with pytest.raises(exceptions.NotFound):
        client.run_task(name=f"{queue_name}/tasks/unknown")


# --- delivery ---


class Receiver:
    """A server that records requests; the first ones fail as often as their path says."""

    def __init__(self, address, port=0):
        self.arrivals = queue.Queue()
        self.failed = set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.arrivals.put((self.command, self.path, headers, body))
                fails = self.path.startswith("/fails") and self.path not in receiver.failed
                receiver.failed.add(self.path)
                self.send_response(503 if fails else 200)
                self.end_headers()

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((address, port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        host, port = self.server.server_address
        return f"http://{host}:{port}{path}"

    def next(self):
        return self.arrivals.get(timeout=SECONDS_MAX)


@pytest.fixture
def receiver():
    started = Receiver(FETCHED_ADDRESS)
    yield started
    started.server.shutdown()


def test_http_tasks_arrive_with_headers_and_are_repeated(client, parent, receiver):
    queue_name = create_queue(client, parent).name
    request = tasks_v2.HttpRequest(
        url=receiver.url("/fails?a=1"), http_method=tasks_v2.HttpMethod.PUT, headers={"X-Own": "1"}, body=b"\x00\xff"
    )
    task = client.create_task(parent=queue_name, task=tasks_v2.Task(http_request=request))
    method, path, headers, body = receiver.next()
    assert (method, path, body) == ("PUT", "/fails?a=1", b"\x00\xff")
    assert headers["x-own"] == "1" and headers["content-type"] == "application/octet-stream"
    assert headers["x-cloudtasks-queuename"] == "q"
    assert headers["x-cloudtasks-taskname"] == task.name.rpartition("/")[2]
    assert headers["x-cloudtasks-taskretrycount"] == "0"
    assert headers["user-agent"].startswith("Google-Cloud-Tasks")
    _, _, headers, _ = receiver.next()
    assert headers["x-cloudtasks-taskretrycount"] == "1"
    assert headers["x-cloudtasks-taskpreviousresponse"] == "503"


def test_a_task_runs_on_request(client, parent, receiver):
    queue_name = create_queue(client, parent).name
    request = tasks_v2.HttpRequest(url=receiver.url("/now"))
    task = tasks_v2.Task(http_request=request, schedule_time=in_an_hour())
    name = client.create_task(parent=queue_name, task=task).name
    client.pause_queue(name=queue_name)
    assert client.run_task(name=name).name == name
    assert receiver.next()[1] == "/now"


def test_private_addresses_are_refused(client, parent):
    """The task is tried, and its failure can be read."""
    queue_name = create_queue(client, parent, retry_config=tasks_v2.RetryConfig(max_attempts=-1)).name
    refused = Receiver("127.0.0.1")
    name = client.create_task(
        parent=queue_name, task=tasks_v2.Task(http_request=tasks_v2.HttpRequest(url=refused.url("/")))
    ).name
    tried = client.get_task(name=name)
    while not tried.dispatch_count:
        tried = client.get_task(name=name)
    assert tried.response_count == 0 and tried.last_attempt.response_status.code
    assert refused.arrivals.empty()
    refused.server.shutdown()
    client.delete_queue(name=queue_name)


def test_tasks_of_the_app_arrive(clients):
    port = os.environ.get("PETRICHOR_TEST_PUSH_TASKS")
    assert port, "set apps.targets of the server and PETRICHOR_TEST_PUSH_TASKS, or start these tests with clients/run"
    app = Receiver("127.0.0.1", int(port))
    queue_name = f"projects/{PUSHED}/locations/{LOCATION}/queues/default"
    clients["grpc"].purge_queue(name=queue_name)
    request = tasks_v2.AppEngineHttpRequest(relative_uri="/job", body=b"body")
    for client in clients.values():
        client.create_task(parent=queue_name, task=tasks_v2.Task(app_engine_http_request=request))
        method, path, headers, body = app.next()
        assert (method, path, body) == ("POST", "/job", b"body")
        assert headers["x-appengine-queuename"] == "default"
    app.server.shutdown()
