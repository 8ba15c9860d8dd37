"""The datastore stub of Google's Python SDK behind HTTP, as App Engine's remote API: a peer to measure against.

Usage: sdk_stub_server.py PORT
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

APP_ID = "dev~bench-app"
os.environ.setdefault("APPLICATION_ID", APP_ID)
os.environ.setdefault("GAE_APPLICATION", APP_ID)

from google.appengine.api import apiproxy_stub_map  # noqa: E402
from google.appengine.ext import testbed  # noqa: E402
from google.appengine.ext.remote_api import remote_api_bytes_pb2  # noqa: E402
from google.appengine.runtime import apiproxy_errors  # noqa: E402


class RemoteApi(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = remote_api_bytes_pb2.Request.FromString(body)
        answer = remote_api_bytes_pb2.Response()
        stub = apiproxy_stub_map.apiproxy.GetStub(request.service_name)
        try:
            response_class = RESPONSES[request.method]
            call = REQUESTS[request.method].FromString(request.request)
            response = response_class()
            stub.MakeSyncCall(request.service_name, request.method, call, response)
            answer.response = response.SerializeToString()
        except apiproxy_errors.ApplicationError as error:
            answer.application_error.code = error.application_error
            answer.application_error.detail = error.error_detail
        payload = answer.SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        pass


from google.appengine.api import api_base_pb2  # noqa: E402
from google.appengine.datastore import datastore_pb  # noqa: E402

REQUESTS = {
    "Get": datastore_pb.GetRequest,
    "Put": datastore_pb.PutRequest,
    "RunQuery": datastore_pb.Query,
    "Next": datastore_pb.NextRequest,
    "BeginTransaction": datastore_pb.BeginTransactionRequest,
    "Commit": datastore_pb.Transaction,
}
RESPONSES = {
    "Get": datastore_pb.GetResponse,
    "Put": datastore_pb.PutResponse,
    "RunQuery": datastore_pb.QueryResult,
    "Next": datastore_pb.QueryResult,
    "BeginTransaction": datastore_pb.Transaction,
    "Commit": datastore_pb.CommitResponse,
}

if __name__ == "__main__":
    bed = testbed.Testbed()
    bed.setup_env(app_id=APP_ID, overwrite=True)
    bed.activate()
    bed.init_datastore_v3_stub(use_sqlite=False)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), RemoteApi).serve_forever()
