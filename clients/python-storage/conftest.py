"""Every test has its own buckets, so tests do not see each other's objects; they are removed afterwards."""

import os
import uuid

import pytest
import requests
from google.cloud import storage

PROJECT = "petrichor-clients"


@pytest.fixture(scope="session", autouse=True)
def host():
    address = os.environ.get("STORAGE_EMULATOR_HOST")
    assert address, "set STORAGE_EMULATOR_HOST=http://HOST:PORT, or start these tests with clients/run"
    return address


@pytest.fixture
def client(host):
    return storage.Client(project=PROJECT)


@pytest.fixture
def make_bucket(client):
    """Creates buckets with unused names."""
    made = []

    def create(**settings):
        bucket = client.bucket("b-" + uuid.uuid4().hex[:20])
        for name, value in settings.items():
            setattr(bucket, name, value)
        made.append(bucket)
        return client.create_bucket(bucket)

    yield create
    for bucket in made:
        if bucket.exists():
            for blob in client.list_blobs(bucket, versions=True):
                blob.delete()
            bucket.delete()


@pytest.fixture
def bucket(make_bucket):
    return make_bucket()


@pytest.fixture
def put(bucket):
    """Uploads a text: put("name", "text")."""

    def upload(name, text="", **options):
        blob = bucket.blob(name)
        blob.upload_from_string(text, **options)
        return blob

    return upload


@pytest.fixture
def http():
    with requests.Session() as session:
        yield session
