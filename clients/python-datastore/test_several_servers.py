"""Two servers over one datastore; runs only with clients/run --store NAME."""

import json
import os
import signal
import time
import urllib.request

import pytest
from google.api_core.exceptions import Aborted, DeadlineExceeded, ServiceUnavailable
from google.cloud import datastore

from conftest import PROJECT

SECOND = os.environ.get("PETRICHOR_SECOND_SERVER")
AGAIN_SECONDS_MAX = 120

pytestmark = pytest.mark.skipif(not SECOND, reason="there is one server only")


def client_of(address, project, namespace):
    """The client has one address, which it reads from its environment when it is created."""
    before = os.environ["DATASTORE_EMULATOR_HOST"]
    os.environ["DATASTORE_EMULATOR_HOST"] = address
    try:
        return datastore.Client(project=project, namespace=namespace)
    finally:
        os.environ["DATASTORE_EMULATOR_HOST"] = before


def put(client, n):
    entity = datastore.Entity(client.key("Number", "x"))
    entity["n"] = n
    client.put(entity)


def n(client):
    return client.get(client.key("Number", "x"))["n"]


def owned_by_second():
    with urllib.request.urlopen(f"http://{SECOND}/petrichor/v1/cluster", timeout=60) as page:
        servers = json.load(page)["servers"]
    return {database["name"] for server in servers if server["self"] for database in server["databases"]}


def test_what_one_server_acknowledged_the_other_one_shows(host, namespace):
    at_first, at_second = client_of(host, PROJECT, namespace), client_of(SECOND, PROJECT, namespace)
    for i in range(20):
        put(at_first, i)
        assert n(at_second) == i
        with at_second.transaction():
            put(at_second, n(at_second) + 100)
        assert n(at_first) == i + 100
        assert [entity["n"] for entity in at_first.query(kind="Number").fetch()] == [i + 100]


def test_when_a_server_is_killed_the_program_goes_on_at_the_other(host, namespace):
    projects = [f"killed-{namespace[:8]}-{i}" for i in range(8)]
    clients = {project: client_of(SECOND, project, namespace) for project in projects}
    for client in clients.values():
        put(client, 1)
    lost = next(project for project in projects if project in owned_by_second())
    # its session: the launcher has become the server
    os.killpg(int(os.environ["PETRICHOR_SECOND_PID"]), signal.SIGKILL)
    client = client_of(host, lost, namespace)
    assert n_again(client) == 1
    put(client, 2)
    assert n(client) == 2
    for project in projects:
        assert n(client_of(host, project, namespace)) == (2 if project == lost else 1)


def n_again(client):
    """Retries requests that are refused during the takeover, as a program would."""
    deadline = time.monotonic() + AGAIN_SECONDS_MAX
    while True:
        try:
            return n(client)
        except (ServiceUnavailable, DeadlineExceeded, Aborted):
            if time.monotonic() > deadline:
                raise
