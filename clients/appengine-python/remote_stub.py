"""A stub for the SDK's testbed that sends datastore calls to the server at API_HOST and API_PORT.

It takes the place of the stub that keeps entities in memory, so that tests written for the testbed (Google's own
ones among them, see README.md) run against a server. Each stub is a new app: the id of the app under test is
replaced, in every message, by another one of the same length.
"""

import http.client
import itertools
import os
import time

from google.appengine.ext.remote_api import remote_api_bytes_pb2 as remote_api_pb2
from google.appengine.runtime import apiproxy_errors

HEADERS = {
    "Content-Type": "application/octet-stream",
    "X-Google-RPC-Service-Endpoint": "app-engine-apis",
    "X-Google-RPC-Service-Method": "/VMRemoteAPI.CallRemoteAPI",
    "X-Google-RPC-Service-Deadline": "60",
}
SECONDS_MAX = 60

_numbers = itertools.count(int(time.time() * 1000) % 10**9)


class RemoteStub:
    """The calls of one app. `app_id` has at least 10 characters and no prefix; `address` names another server."""

    def __init__(self, app_id, service="datastore_v3", address=None):
        self.app_id = app_id.encode()
        self.service = service
        self.address = address or (os.environ["API_HOST"], int(os.environ["API_PORT"]))
        self.connection = None
        self.renew()

    def renew(self):
        """Continues as a new app, without data."""
        digits = len(self.app_id) - 1
        self.own = f"t{next(_numbers) % 10**digits:0{digits}d}".encode()

    def MakeSyncCall(self, service, method, request, response, request_id=None):
        response.ParseFromString(self.call(method, request.SerializePartialToString()))

    def call(self, method, request):
        """Sends a serialized request; returns the serialized response."""
        envelope = remote_api_pb2.Request(
            service_name=self.service,
            method=method,
            request=request.replace(self.app_id, self.own),
            request_id=self.own.decode() + "/t",
        )
        answer = remote_api_pb2.Response.FromString(self._post(envelope.SerializeToString()))
        if answer.HasField("application_error"):
            error = answer.application_error
            raise apiproxy_errors.ApplicationError(
                error.code, error.detail.replace(self.own.decode(), self.app_id.decode())
            )
        if answer.HasField("rpc_error"):
            raise apiproxy_errors.RPCFailedError(f"{answer.rpc_error.code}: {answer.rpc_error.detail}")
        return answer.response.replace(self.own, self.app_id)

    def _post(self, body):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(*self.address, timeout=SECONDS_MAX)
        try:
            self.connection.request("POST", "/rpc_http", body, HEADERS)
            answer = self.connection.getresponse()
            content = answer.read()
        except (http.client.HTTPException, OSError):
            self.connection.close()
            self.connection = None
            raise
        assert answer.status == 200, content
        return content
