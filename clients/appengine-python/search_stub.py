"""Google's stub of the Search API, in this process, and its Java API server: the references of the differential tests."""

from google.appengine.api import apiproxy_rpc, apiproxy_stub_map
from google.appengine.api.search import simple_search_stub
from google.appengine.datastore import document_pb2


class Sender:
    """The calls of another side, as the SDK makes them of a stub."""

    def __init__(self, side):
        self.MakeSyncCall = lambda service, method, request, response, _=None: side.send(
            service, method, request, response
        )

    def CreateRPC(self):
        return apiproxy_rpc.RPC(stub=self)


class Stub:
    """Sends the calls of the SDK to a stub instead of the server while `run` calls a function."""

    def __init__(self, stub=None):
        self.proxy = apiproxy_stub_map.APIProxyStubMap()
        self.proxy.RegisterStub("search", stub or simple_search_stub.SearchServiceStub())

    def run(self, function, *arguments, **options):
        outside = apiproxy_stub_map.apiproxy
        apiproxy_stub_map.apiproxy = self.proxy
        try:
            return function(*arguments, **options)
        finally:
            apiproxy_stub_map.apiproxy = outside


def size_of_message():
    """The stub calls a method that messages of today's protobuf do not have."""
    if not hasattr(document_pb2.Field, "ByteSize"):
        document_pb2.Field.ByteSize = lambda self: len(self.SerializeToString())
