"""Clients of Cloud Tasks, over gRPC and REST, for a server at API_HOST and API_PORT. Every test has its own project."""

import os
import uuid

import grpc
import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import tasks_v2
from google.cloud.tasks_v2.services.cloud_tasks import transports

LOCATION = "europe-west1"


def address():
    host, port = os.environ.get("API_HOST"), os.environ.get("API_PORT")
    assert host and port, "set API_HOST and API_PORT, or start these tests with clients/run"
    return f"{host}:{port}"


@pytest.fixture(scope="session")
def clients():
    over_grpc = transports.CloudTasksGrpcTransport(channel=grpc.insecure_channel(address()))
    over_rest = transports.CloudTasksRestTransport(
        host=address(), url_scheme="http", credentials=AnonymousCredentials()
    )
    yield {"grpc": tasks_v2.CloudTasksClient(transport=over_grpc), "rest": tasks_v2.CloudTasksClient(transport=over_rest)}
    over_grpc.close()
    over_rest.close()


@pytest.fixture(params=["grpc", "rest"])
def client(request, clients):
    return clients[request.param]


@pytest.fixture
def parent():
    return f"projects/t{uuid.uuid4().hex[:20]}/locations/{LOCATION}"
