"""Every test has its own namespace, so tests do not see each other's entities and need no cleanup."""

import os
import uuid

import pytest
from google.cloud import datastore

PROJECT = "petrichor-clients"


@pytest.fixture(scope="session", autouse=True)
def host():
    address = os.environ.get("DATASTORE_EMULATOR_HOST")
    assert address, "set DATASTORE_EMULATOR_HOST, or start these tests with clients/run"
    return address


@pytest.fixture
def namespace():
    return "n" + uuid.uuid4().hex


@pytest.fixture
def client(host, namespace):
    return datastore.Client(project=PROJECT, namespace=namespace)


@pytest.fixture
def api(client):
    """The client's generated layer, for features that its public API does not offer."""
    return client._datastore_api


@pytest.fixture
def put(client):
    """Stores one entity and returns it: put("Task", "a", done=True)."""

    def store(*path, exclude=(), **properties):
        entity = datastore.Entity(client.key(*path), exclude_from_indexes=exclude)
        entity.update(properties)
        client.put(entity)
        return entity

    return store


@pytest.fixture
def cities(put):
    """Six small cities for the query tests."""
    rows = [
        ("graz", "at", 300, 353.0, True, ["river", "hill"]),
        ("linz", "at", 200, 266.0, True, ["river"]),
        ("wien", "at", 2000, 151.0, True, ["river", "palace"]),
        ("bern", "ch", 140, 542.0, False, ["river", "old"]),
        ("zug", "ch", 30, 425.0, False, ["lake"]),
        ("vaduz", "li", 6, 455.0, False, []),
    ]
    for name, country, thousands, altitude, union, tags in rows:
        put("City", name, country=country, thousands=thousands, altitude=altitude, union=union, tags=tags)
    return [row[0] for row in rows]


def names(results):
    return [entity.key.name for entity in results]
