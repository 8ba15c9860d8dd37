"""google.appengine.api.taskqueue and google.appengine.ext.deferred.

Tasks of most apps stay in their queues, since the server has no URL for them. Those of the app `pushed-python` are
sent to a port of this process.
"""

import datetime
import os
import queue
import threading
import time

import flask
import pytest
import werkzeug.serving
from google.appengine.api import apiproxy_stub_map, memcache, taskqueue
from google.appengine.api.taskqueue import taskqueue_service_bytes_pb2 as messages
from google.appengine.ext import db, deferred, ndb

PUSHED = "pushed-python"
SECONDS_MAX = 60

arrivals = queue.Queue()


def next_arrival():
    return arrivals.get(timeout=SECONDS_MAX)


def run_later(text):
    """A deferred function. The ticket of its task allows calls."""
    arrivals.put(("deferred", text, memcache.get("k")))


class Order(ndb.Model):
    number = ndb.IntegerProperty()


class OldOrder(db.Model):
    number = db.IntegerProperty()


def call(method, request, response):
    apiproxy_stub_map.MakeSyncCall("taskqueue", method, request, response)


def define(name, mode=messages.TaskQueueMode.PUSH, rate=100.0):
    request = messages.TaskQueueUpdateQueueRequest(
        queue_name=name.encode(), bucket_refill_per_second=rate, bucket_capacity=10, mode=mode
    )
    call("UpdateQueue", request, messages.TaskQueueUpdateQueueResponse())


def define_pull(app, name="pull"):
    app.run(define, name, messages.TaskQueueMode.PULL, 0.0)
    return taskqueue.Queue(name)


def tasks(name="default"):
    request = messages.TaskQueueQueryTasksRequest(queue_name=name.encode(), max_rows=100)
    response = messages.TaskQueueQueryTasksResponse()
    call("QueryTasks", request, response)
    return list(response.task)


def pull(name=None, payload="p", tag=None):
    return taskqueue.Task(name=name, payload=payload, method="PULL", tag=tag)


# --- adding ---


def test_a_task_has_a_name_and_stays_until_it_can_be_delivered(app):
    task = app.run(taskqueue.add, url="/job", params={"a": "1"}, countdown=60)
    assert task.was_enqueued and task.name.startswith("task")
    (stored,) = app.run(tasks)
    assert stored.task_name.decode() == task.name
    assert (stored.url, stored.body) == (b"/job", b"a=1")
    assert stored.eta_usec == pytest.approx((time.time() + 60) * 1e6, abs=30e6)


def test_a_name_is_used_once(app):
    app.run(taskqueue.add, url="/job", name="once", countdown=60)
    with pytest.raises(taskqueue.TaskAlreadyExistsError):
        app.run(taskqueue.add, url="/job", name="once")
    app.run(taskqueue.Queue().delete_tasks_by_name, "once")
    with pytest.raises(taskqueue.TombstonedTaskError):
        app.run(taskqueue.add, url="/job", name="once")
    assert app.run(tasks) == []


def test_many_tasks_at_once(app):
    many = [taskqueue.Task(url="/job", name=f"t{i}", countdown=60) for i in range(100)]
    app.run(taskqueue.Queue().add, many)
    assert all(task.was_enqueued for task in many)
    more = [taskqueue.Task(url="/job", name=name, countdown=60) for name in ("t5", "new")]
    with pytest.raises(taskqueue.TaskAlreadyExistsError):
        app.run(taskqueue.Queue().add, more)
    assert [task.was_enqueued for task in more] == [False, True]
    assert app.run(taskqueue.Queue().fetch_statistics).tasks == 101


def test_what_is_refused(app):
    with pytest.raises(taskqueue.UnknownQueueError):
        app.run(taskqueue.add, url="/job", queue_name="unknown")
    with pytest.raises(taskqueue.InvalidQueueModeError):
        app.run(taskqueue.Queue().add, pull())
    with pytest.raises(taskqueue.InvalidEtaError):
        app.run(taskqueue.add, url="/job", eta=datetime.datetime.utcnow() + datetime.timedelta(days=40))
    assert app.run(tasks) == []


# --- transactions ---


def test_tasks_of_an_ndb_transaction(app):
    def order(number, fail=False):
        Order(id=number, number=number).put()
        taskqueue.add(url="/job", payload=str(number), transactional=True, countdown=60)
        assert tasks() == []
        if fail:
            raise ndb.Rollback()

    app.run(ndb.transaction, lambda: order(1, fail=True))
    assert app.run(tasks) == [] and app.run(Order.get_by_id, 1) is None
    app.run(ndb.transaction, lambda: order(2))
    assert [task.body for task in app.run(tasks)] == [b"2"]
    assert app.run(Order.get_by_id, 2).number == 2


def test_a_conflict_adds_the_task_of_the_winner_only(app):
    app.run(lambda: Order(id=1, number=0).put())
    attempts = []

    def increment():
        order = Order.get_by_id(1)
        taskqueue.add(url="/job", payload=str(len(attempts)), transactional=True, countdown=60)
        if not attempts:
            other = threading.Thread(target=lambda: app_of_other.run(change))
            other.start()
            other.join()
        attempts.append(order.number)
        order.number += 1
        order.put()

    def change():
        order = Order.get_by_id(1)
        order.number = 10
        order.put()

    app_of_other = type(app)(app.project)
    app.run(ndb.transaction, increment)
    assert attempts == [0, 10]
    assert [task.body for task in app.run(tasks)] == [b"1"]


def test_tasks_of_a_db_transaction(app):
    def order(fail):
        OldOrder(key_name="o", number=1).put()
        taskqueue.Queue().add([taskqueue.Task(url="/a", countdown=60), taskqueue.Task(url="/b", countdown=60)], transactional=True)
        if fail:
            raise db.Rollback()

    app.run(db.run_in_transaction, order, True)
    assert app.run(tasks) == []
    app.run(db.run_in_transaction, order, False)
    assert sorted(task.url for task in app.run(tasks)) == [b"/a", b"/b"]


def test_a_transaction_has_at_most_five_tasks_without_names(app):
    def order(count, **options):
        for _ in range(count):
            taskqueue.add(url="/job", transactional=True, countdown=60, **options)

    with pytest.raises(taskqueue.DatastoreError):
        app.run(ndb.transaction, lambda: order(6))
    with pytest.raises(taskqueue.InvalidTaskNameError):
        app.run(ndb.transaction, lambda: order(1, name="a"))
    assert app.run(tasks) == []
    app.run(ndb.transaction, lambda: order(5))
    assert len(app.run(tasks)) == 5


# --- pull queues ---


def test_leases(app):
    pulled = define_pull(app)
    app.run(pulled.add, [pull("a"), pull("b")])
    (first,) = app.run(pulled.lease_tasks, 60, 1)
    (second,) = app.run(pulled.lease_tasks, 60, 10)
    assert {first.name, second.name} == {"a", "b"} and first.payload == b"p"
    assert app.run(pulled.lease_tasks, 60, 10) == []
    app.run(pulled.modify_task_lease, first, 0)
    (again,) = app.run(pulled.lease_tasks, 60, 10)
    assert (again.name, again.retry_count) == (first.name, 2)
    with pytest.raises(taskqueue.TaskLeaseExpiredError):
        app.run(pulled.modify_task_lease, first, 60)
    app.run(pulled.delete_tasks, again)
    assert again.was_deleted
    assert app.run(pulled.fetch_statistics).tasks == 1


def test_leases_by_tag(app):
    pulled = define_pull(app)
    app.run(pulled.add, [pull("a", tag="x"), pull("b", tag="y"), pull("c", tag="x"), pull("d", tag="ü")])
    assert [task.name for task in app.run(pulled.lease_tasks_by_tag, 60, 10, "y")] == ["b"]
    oldest = app.run(pulled.lease_tasks_by_tag, 60, 10)
    assert {task.name for task in oldest} == {"a", "c"} and oldest[0].tag == "x"
    (last,) = app.run(pulled.lease_tasks_by_tag, 60, 10)
    assert (last.name, last.tag) == ("d", "ü")


def test_a_push_queue_has_no_leases(app):
    with pytest.raises(taskqueue.InvalidQueueModeError):
        app.run(taskqueue.Queue().lease_tasks, 60, 1)


def test_transactional_pull_tasks(app):
    pulled = define_pull(app)

    def order():
        Order(id=1).put()
        pulled.add(pull(tag="x"), transactional=True)
        assert pulled.lease_tasks(60, 1) == []

    app.run(ndb.transaction, order)
    assert len(app.run(pulled.lease_tasks_by_tag, 60, 10, "x")) == 1


# --- queues ---


def test_purge_and_statistics(app):
    app.run(define, "other")
    app.run(taskqueue.add, url="/job", queue_name="other", countdown=60)
    both = app.run(taskqueue.QueueStatistics.fetch, ["default", "other"])
    assert [(one.queue.name, one.tasks) for one in both] == [("default", 0), ("other", 1)]
    assert both[0].oldest_eta_usec is None and both[1].oldest_eta_usec > 0
    assert both[1].enforced_rate == 100 and both[1].in_flight == 0
    app.run(taskqueue.Queue("other").purge)
    assert app.run(taskqueue.Queue("other").fetch_statistics).tasks == 0


def test_queues_are_listed(app):
    app.run(define, "other", rate=3.0)
    response = messages.TaskQueueFetchQueuesResponse()
    app.run(call, "FetchQueues", messages.TaskQueueFetchQueuesRequest(max_rows=10), response)
    assert [(one.queue_name, one.bucket_refill_per_second) for one in response.queue] == [(b"default", 5), (b"other", 3)]


def test_apps_have_their_own_queues(app, make_app):
    app.run(taskqueue.add, url="/job", name="mine", countdown=60)
    other = make_app()
    assert other.run(tasks) == []
    other.run(taskqueue.add, url="/job", name="mine", countdown=60)
    other.run(taskqueue.Queue().purge)
    assert len(app.run(tasks)) == 1


# --- delivery ---


@pytest.fixture(scope="module")
def pushed(process):
    """The app whose tasks the server sends here."""
    from conftest import App

    port = os.environ.get("PETRICHOR_TEST_PUSH_PYTHON")
    assert port, "set apps.targets of the server and PETRICHOR_TEST_PUSH_PYTHON, or start these tests with clients/run"
    app = App(PUSHED)
    failures = {}

    def job():
        request = flask.request
        remaining = failures.setdefault(request.args.get("id"), int(request.args.get("failures", 0)))
        failures[request.args.get("id")] = max(0, remaining - 1)
        arrivals.put(("job", request.method, dict(request.headers), request.get_data(), request.remote_addr))
        return "", 500 if remaining else 200

    app.flask.add_url_rule("/job", view_func=job, methods=["GET", "POST", "PUT", "DELETE"])
    server = werkzeug.serving.make_server("127.0.0.1", int(port), app.flask, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    app.run(define, "default")
    app.run(define, "fast")
    app.run(taskqueue.Queue().purge)
    app.run(taskqueue.Queue("fast").purge)
    yield app
    server.shutdown()


def test_a_push_task_arrives_with_headers_and_parameters(pushed):
    task = pushed.run(lambda: taskqueue.add(url="/job", params={"a": "ü"}, headers={"X-Own": "1"}, queue_name="fast"))
    _, method, headers, body, remote = next_arrival()
    assert (method, body) == ("POST", b"a=%C3%BC")
    assert headers["X-Own"] == "1" and headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert headers["X-Appengine-Queuename"] == "fast" and headers["X-Appengine-Taskname"] == task.name
    assert headers["X-Appengine-Taskretrycount"] == "0"
    assert float(headers["X-Appengine-Tasketa"]) == pytest.approx(time.time(), abs=SECONDS_MAX)
    assert remote == "0.1.0.2"


def test_a_failed_task_is_repeated(pushed):
    options = taskqueue.TaskRetryOptions(min_backoff_seconds=0.1, task_retry_limit=5)
    pushed.run(taskqueue.add, url="/job?id=repeat&failures=2", method="GET", retry_options=options)
    counts = [next_arrival()[2]["X-Appengine-Taskretrycount"] for _ in range(3)]
    assert counts == ["0", "1", "2"]


def test_deferred_functions(pushed):
    pushed.run(memcache.set, "k", "v")
    pushed.run(deferred.defer, run_later, "now")
    assert next_arrival() == ("deferred", "now", "v")


def test_a_large_deferred_function_is_stored_as_an_entity(pushed):
    text = "x" * 200_000
    pushed.run(deferred.defer, run_later, text)
    assert next_arrival() == ("deferred", text, "v")


def test_transactional_deferred_functions(pushed):
    def order(fail):
        deferred.defer(run_later, f"fail={fail}", _transactional=True)
        if fail:
            raise ndb.Rollback()

    pushed.run(ndb.transaction, lambda: order(True))
    pushed.run(ndb.transaction, lambda: order(False))
    assert next_arrival()[1] == "fail=False"


def test_a_task_is_run_on_request(pushed):
    pushed.run(taskqueue.add, url="/job", name=f"forced-{time.time_ns()}", countdown=3600, method="PUT", payload="forced")
    (waiting,) = [task for task in pushed.run(tasks) if task.body == b"forced"]
    request = messages.TaskQueueForceRunRequest(queue_name=b"default", task_name=waiting.task_name)
    response = messages.TaskQueueForceRunResponse()
    pushed.run(call, "ForceRun", request, response)
    assert response.result == messages.TaskQueueServiceError.OK
    assert next_arrival()[3] == b"forced"
