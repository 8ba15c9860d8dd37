"""The protocol itself: tickets, deadlines, unknown calls, concurrency."""

import os
import threading
import urllib.error
import urllib.request

import pytest
from google.appengine.api import apiproxy_stub_map, memcache, user_service_pb2
from google.appengine.api.memcache import memcache_service_pb2
from google.appengine.runtime import apiproxy_errors


def call(service, method, request, response, deadline=None):
    rpc = apiproxy_stub_map.UserRPC(service, deadline)
    rpc.make_call(method, request, response)
    rpc.check_success()
    return response


def stats(service="memcache", method="Stats"):
    return call(
        service, method, memcache_service_pb2.MemcacheStatsRequest(), memcache_service_pb2.MemcacheStatsResponse()
    )


def test_a_call_reaches_its_service(app):
    assert app.run(stats).stats.hits == 0


def test_unknown_services_and_methods_are_not_found(app):
    with pytest.raises(apiproxy_errors.CallNotFoundError):
        app.run(stats, service="nothing")
    with pytest.raises(apiproxy_errors.CallNotFoundError):
        app.run(stats, method="Nothing")


def test_a_message_that_cannot_be_parsed_is_an_argument_error(app):
    def wrong():
        request = user_service_pb2.CreateLoginURLRequest(destination_url="/")  # a text, where a message is expected
        call("memcache", "Stats", request, memcache_service_pb2.MemcacheStatsResponse())

    with pytest.raises(apiproxy_errors.ArgumentError):
        app.run(wrong)


def test_a_deadline_that_has_passed_is_exceeded(app):
    with pytest.raises(apiproxy_errors.DeadlineExceededError):
        app.run(
            call,
            "memcache",
            "Stats",
            memcache_service_pb2.MemcacheStatsRequest(),
            memcache_service_pb2.MemcacheStatsResponse(),
            1e-9,
        )


def test_the_ticket_decides_whose_data_is_used(app, make_app):
    other = make_app()
    app.run(memcache.set, "k", "mine")
    assert other.run(memcache.get, "k") is None
    assert other.run(memcache.get, "k", ticket=app.ticket) == "mine"


def test_a_ticket_without_a_name_means_the_default_project(app):
    app.run(memcache.set, app.project, "default", ticket="7")
    assert app.run(memcache.get, app.project, ticket="8") == "default"
    assert app.run(memcache.get, app.project) is None


def test_an_expired_ticket_is_refused(app):
    with pytest.raises(apiproxy_errors.RPCFailedError):
        app.run(stats, ticket="ticket." + 32 * "0")


def test_many_calls_at_once(app):
    def many():
        rpcs = [memcache.Client().get_multi_async([str(i)]) for i in range(300)]
        return [rpc.get_result() for rpc in rpcs]

    assert app.run(many) == [{}] * 300


def test_several_requests_at_once(make_app):
    apps = [make_app() for _ in range(8)]
    counts = {}

    def count(one):
        # Without `run`, which belongs to one thread: the process has one environment.
        response = one.flask.test_client().post("/run", headers={"X-Appengine-Api-Ticket": one.ticket})
        counts[one.project] = response.status_code == 200 and one.outcome

    for one in apps:
        one.running = lambda: [memcache.incr("n", initial_value=0) for _ in range(25)][-1]
    threads = [threading.Thread(target=count, args=(one,)) for one in apps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == {one.project: ("returned", 25) for one in apps}


def test_a_body_that_is_not_a_request_is_refused():
    address = f"http://{os.environ['API_HOST']}:{os.environ['API_PORT']}/rpc_http"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(address, data=b"\x01\x02\x03", method="POST"), timeout=10)
    assert refused.value.code == 400
