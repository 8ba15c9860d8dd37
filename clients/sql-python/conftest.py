"""Every test has a database of its own: databases exist as soon as they are used."""

import os
import uuid

import pytest


@pytest.fixture(scope="session")
def server():
    assert os.environ.get("PETRICHOR_TEST_SQL"), "set PETRICHOR_TEST_SQL=HOST:PORT, or use clients/run"
    return os.environ["PETRICHOR_TEST_SQL"]


@pytest.fixture
def url(server):
    return f"postgresql://guido@{server}/python-{uuid.uuid4().hex[:12]}"
