"""The API `system`: background threads, and statistics of an instance."""

import pytest
from google.appengine.api import apiproxy_stub_map
from google.appengine.api.system import system_service_pb2
from google.appengine.runtime import apiproxy_errors


def system(method, request, response):
    apiproxy_stub_map.MakeSyncCall("system", method, request, response)
    return response


def test_versions_that_scale_automatically_have_no_background_requests(app):
    with pytest.raises(apiproxy_errors.ApplicationError) as refused:
        app.run(
            system,
            "StartBackgroundRequest",
            system_service_pb2.StartBackgroundRequestRequest(),
            system_service_pb2.StartBackgroundRequestResponse(),
        )
    assert refused.value.application_error == system_service_pb2.SystemServiceError.BACKEND_REQUIRED


def test_statistics_are_empty(app):
    stats = app.run(
        system,
        "GetSystemStats",
        system_service_pb2.GetSystemStatsRequest(),
        system_service_pb2.GetSystemStatsResponse(),
    )
    assert stats.cpu.total == 0
