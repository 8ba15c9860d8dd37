"""A pytest plugin: tests written for the SDK's testbed use the datastore of a server.

    API_HOST=127.0.0.1 API_PORT=8081 python -m pytest -p sdk_testbed FOLDER/tests/google/appengine/ext/ndb/query_test.py

FOLDER is a checkout of the SDK's sources, whose tests are not part of its packages.
"""

from google.appengine.api import apiproxy_stub, datastore_file_stub
from google.appengine.datastore import datastore_pb
from remote_stub import RemoteStub


class TestbedStub(RemoteStub, apiproxy_stub.APIProxyStub):
    """Takes the place of the stub that keeps entities in memory."""

    __test__ = False

    def __init__(self, app_id, *_, **__):
        apiproxy_stub.APIProxyStub.__init__(self, "datastore_v3")
        RemoteStub.__init__(self, app_id.split("~")[-1])

    def MakeSyncCall(self, service, method, request, response, request_id=None):
        if method == "Put":
            request.auto_id_policy = datastore_pb.PutRequest.SEQUENTIAL  # as the other stub does by default
        super().MakeSyncCall(service, method, request, response, request_id)

    def Clear(self):
        self.renew()

    def Write(self):
        """The server stores what it acknowledges."""

    def SetConsistencyPolicy(self, policy):
        """The server is always consistent."""

    def SetAutoIdPolicy(self, policy):
        """The server allocates ids in its own way."""

    def SetTrusted(self, trusted):
        """An app never reads another one's data."""


datastore_file_stub.DatastoreFileStub = TestbedStub
