"""Google's client of the Admin API, datastore_admin_v1: indexes, exports, imports and their operations."""

import os
import pathlib
import uuid

import grpc
import pytest
from google.api_core import exceptions
from google.cloud import datastore, datastore_admin_v1
from google.cloud.datastore_admin_v1.services.datastore_admin.transports import DatastoreAdminGrpcTransport

PROJECT = "petrichor-clients"
DONE_SECONDS_MAX = 120


@pytest.fixture
def admin(host):
    transport = DatastoreAdminGrpcTransport(channel=grpc.insecure_channel(host))
    return datastore_admin_v1.DatastoreAdminClient(transport=transport)


@pytest.fixture
def exports():
    folder = os.environ.get("PETRICHOR_TEST_EXPORTS")
    if not folder:
        pytest.skip("the server was not started by clients/run, so its folder of exports is unknown")
    return pathlib.Path(folder)


def index_of(kind, *properties):
    ascending = datastore_admin_v1.Index.Direction.ASCENDING
    return datastore_admin_v1.Index(
        kind=kind,
        ancestor=datastore_admin_v1.Index.AncestorMode.NONE,
        properties=[
            datastore_admin_v1.Index.IndexedProperty(name=name, direction=ascending) for name in properties
        ],
    )


def test_an_index_is_created_listed_and_deleted(admin):
    kind = "Admin" + uuid.uuid4().hex
    created = admin.create_index(request={"project_id": PROJECT, "index": index_of(kind, "a", "b")})
    index = created.result(timeout=DONE_SECONDS_MAX)
    assert index.kind == kind
    assert index.state == datastore_admin_v1.Index.State.READY
    assert created.metadata.common.state == datastore_admin_v1.CommonMetadata.State.SUCCESSFUL

    got = admin.get_index(request={"project_id": PROJECT, "index_id": index.index_id})
    assert [one.name for one in got.properties] == ["a", "b"]
    listed = admin.list_indexes(request={"project_id": PROJECT, "filter": "state=READY"})
    assert index.index_id in [one.index_id for one in listed]

    admin.delete_index(request={"project_id": PROJECT, "index_id": index.index_id}).result(timeout=DONE_SECONDS_MAX)
    with pytest.raises(exceptions.NotFound):
        admin.get_index(request={"project_id": PROJECT, "index_id": index.index_id})


def test_lists_of_indexes_have_pages(admin):
    kind = "Admin" + uuid.uuid4().hex
    for name in ("b", "c", "d"):
        admin.create_index(request={"project_id": PROJECT, "index": index_of(kind, "a", name)}).result(
            timeout=DONE_SECONDS_MAX
        )
    found = [one for one in admin.list_indexes(request={"project_id": PROJECT, "page_size": 2}) if one.kind == kind]
    assert len(found) == 3


def test_an_export_is_imported_again(admin, client, put, exports, namespace):
    put("Exported", "kept", number=7)
    put("Other", "left out", number=8)
    exported = admin.export_entities(
        request={
            "project_id": PROJECT,
            "output_url_prefix": (exports / "nightly").as_uri(),
            "entity_filter": {"kinds": ["Exported"], "namespace_ids": [namespace]},
        }
    )
    result = exported.result(timeout=DONE_SECONDS_MAX)
    assert exported.metadata.progress_entities.work_completed == 1

    client.delete_multi([client.key("Exported", "kept"), client.key("Other", "left out")])
    imported = admin.import_entities(request={"project_id": PROJECT, "input_url": result.output_url})
    imported.result(timeout=DONE_SECONDS_MAX)
    assert client.get(client.key("Exported", "kept"))["number"] == 7
    assert client.get(client.key("Other", "left out")) is None


def test_a_place_outside_of_the_folder_is_refused(admin):
    with pytest.raises(exceptions.InvalidArgument):
        admin.export_entities(request={"project_id": PROJECT, "output_url_prefix": "gs://bucket/nightly"})


def test_an_unknown_index_is_not_found(admin):
    with pytest.raises(exceptions.NotFound):
        admin.get_index(request={"project_id": PROJECT, "index_id": "987654321"})


def test_the_datastore_client_uses_the_index(admin, client, put):
    kind = "Admin" + uuid.uuid4().hex
    admin.create_index(request={"project_id": PROJECT, "index": index_of(kind, "a", "b")}).result(
        timeout=DONE_SECONDS_MAX
    )
    put(kind, "x", a=1, b=2)
    query = client.query(kind=kind, order=["a", "b"])
    query.add_filter(filter=datastore.query.PropertyFilter("a", ">", 0))
    assert [entity.key.name for entity in query.fetch()] == ["x"]
