"""Every test runs in its own context: a unique namespace, and no cache between test and server."""

import os
import uuid

import pytest
from google.cloud import ndb

PROJECT = "petrichor-clients"


@pytest.fixture(scope="session")
def client():
    assert os.environ.get("DATASTORE_EMULATOR_HOST"), "set DATASTORE_EMULATOR_HOST, or use clients/run"
    return ndb.Client(project=PROJECT)


@pytest.fixture
def namespace():
    return "n" + uuid.uuid4().hex


@pytest.fixture(autouse=True)
def context(client, namespace):
    with client.context(namespace=namespace, cache_policy=False, global_cache_policy=False) as context:
        yield context
