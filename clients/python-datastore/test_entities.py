"""Storing, reading and deleting entities; round trips of every property type."""

import datetime

import pytest
from google.api_core import exceptions
from google.cloud import datastore
from google.cloud.datastore.helpers import GeoPoint

UTC = datetime.timezone.utc


def test_an_entity_is_read_as_it_was_written(client, put):
    put("Task", "a", title="rain", priority=3)
    got = client.get(client.key("Task", "a"))
    assert dict(got) == {"title": "rain", "priority": 3}
    assert got.key == client.key("Task", "a")


def test_a_second_put_replaces_the_whole_entity(client, put):
    put("Task", "a", title="rain", priority=3)
    put("Task", "a", title="sun")
    assert dict(client.get(client.key("Task", "a"))) == {"title": "sun"}


def test_a_missing_entity_is_none(client):
    assert client.get(client.key("Task", "nowhere")) is None


def test_get_multi_tells_found_from_missing(client, put):
    put("Task", 1, n=1)
    put("Task", 2, n=2)
    missing = []
    found = client.get_multi([client.key("Task", i) for i in (1, 2, 3)], missing=missing)
    assert sorted(e["n"] for e in found) == [1, 2]
    assert [e.key.id for e in missing] == [3]


def test_a_deleted_entity_is_gone_and_deleting_again_is_no_error(client, put):
    put("Task", "a", n=1)
    for _ in range(2):
        client.delete(client.key("Task", "a"))
    assert client.get(client.key("Task", "a")) is None


def test_put_multi_and_delete_multi_reach_the_limit_of_500(client):
    entities = []
    for i in range(1, 501):
        entity = datastore.Entity(client.key("Bulk", i))
        entity["n"] = i
        entities.append(entity)
    client.put_multi(entities)
    query = client.query(kind="Bulk")
    assert len(list(query.fetch())) == 500
    client.delete_multi([e.key for e in entities])
    assert list(client.query(kind="Bulk").fetch()) == []


def test_an_incomplete_key_gets_an_id(client):
    entities = [datastore.Entity(client.key("Task")) for _ in range(3)]
    client.put_multi(entities)
    ids = {e.key.id for e in entities}
    assert len(ids) == 3 and all(i > 0 for i in ids)
    assert len(client.get_multi([e.key for e in entities])) == 3


def test_ids_and_names_of_one_kind_are_different_keys(client, put):
    put("Task", 7, what="id")
    put("Task", "7", what="name")
    assert client.get(client.key("Task", 7))["what"] == "id"
    assert client.get(client.key("Task", "7"))["what"] == "name"


VALUES = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "largest": 2**63 - 1,
    "smallest": -(2**63),
    "fraction": 0.1,
    "negative": -2.5e-300,
    "infinity": float("inf"),
    "text": "naïve ☔ \U0001f327 \x00 end",
    "empty text": "",
    "bytes": bytes(range(256)),
    "empty bytes": b"",
    "time": datetime.datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=UTC),
    "time before 1970": datetime.datetime(1815, 12, 10, 1, 2, 3, 456789, tzinfo=UTC),
    "place": GeoPoint(48.2082, 16.3738),
    "array": [1, "two", 3.0, None, True, b"\x00\xff"],
    "empty array": [],
}


@pytest.mark.parametrize("name", VALUES)
def test_every_type_comes_back_as_it_went_in(client, put, name):
    value = VALUES[name]
    put("Value", name, v=value)
    got = client.get(client.key("Value", name))["v"]
    assert got == value and type(got) is not type(None) or value is None
    if not isinstance(value, datetime.datetime):  # the client makes its own kind of time
        assert type(got) is type(value)


@pytest.mark.parametrize("name", [n for n in VALUES if not isinstance(VALUES[n], list)])
def test_every_indexable_type_is_found_by_its_value(client, put, name):
    put("Value", name, v=VALUES[name])
    put("Value", "another", v="another value")
    query = client.query(kind="Value")
    query.add_filter(filter=datastore.query.PropertyFilter("v", "=", VALUES[name]))
    assert [e.key.name for e in query.fetch()] == [name]


def test_not_a_number_comes_back(client, put):
    put("Value", "nan", v=float("nan"))
    got = client.get(client.key("Value", "nan"))["v"]
    assert got != got


def test_a_key_as_a_value_keeps_its_path(client, put):
    friend = client.key("Person", "ada", "Pet", 5)
    put("Person", "bob", friend=friend)
    assert client.get(client.key("Person", "bob"))["friend"] == friend


def test_an_entity_inside_an_entity(client, put):
    address = datastore.Entity(client.key("Address", 1))
    address.update({"street": "Ring", "lines": ["a", "b"]})
    inner = datastore.Entity()
    inner["deep"] = address
    put("Person", "ada", nested=inner)
    got = client.get(client.key("Person", "ada"))["nested"]
    assert got["deep"]["street"] == "Ring" and got["deep"]["lines"] == ["a", "b"]
    assert got["deep"].key == client.key("Address", 1)


def test_a_property_of_an_embedded_entity_is_found_by_its_dotted_name(client, put):
    for name, street in (("ada", "Ring"), ("bob", "Park")):
        inner = datastore.Entity()
        inner["street"] = street
        put("Person", name, address=inner)
    query = client.query(kind="Person")
    query.add_filter(filter=datastore.query.PropertyFilter("address.street", "=", "Park"))
    assert [e.key.name for e in query.fetch()] == ["bob"]


def test_exclude_from_indexes_is_kept_and_obeyed(client, put):
    put("Note", "a", exclude=("text",), text="x" * 5000, tag="t")
    got = client.get(client.key("Note", "a"))
    assert got["text"] == "x" * 5000 and got.exclude_from_indexes == {"text"}
    query = client.query(kind="Note")
    query.add_filter(filter=datastore.query.PropertyFilter("text", "=", "x"))
    assert list(query.fetch()) == []
    query = client.query(kind="Note")
    query.order = ["text"]
    assert list(query.fetch()) == [], "an entity without an index entry is in no order"


def test_a_batch_writes_all_or_nothing(client, put):
    put("Task", "kept", n=1)
    with pytest.raises(exceptions.GoogleAPICallError):
        with client.batch() as batch:
            first = datastore.Entity(client.key("Task", "new"))
            first["n"] = 1
            batch.put(first)
            second = datastore.Entity(client.key("Task", "too big"))
            second["text"] = "x" * 1501  # indexed
            batch.put(second)
    assert client.get(client.key("Task", "new")) is None


def test_named_databases_do_not_see_each_other(host, namespace):
    plain = datastore.Client(project="petrichor-clients", namespace=namespace)
    named = datastore.Client(project="petrichor-clients", namespace=namespace, database="ledger")
    entity = datastore.Entity(named.key("Task", 1))
    entity["where"] = "ledger"
    named.put(entity)
    assert plain.get(plain.key("Task", 1)) is None
    assert named.get(named.key("Task", 1))["where"] == "ledger"
    assert named.get(named.key("Task", 1)).key.database == "ledger"
    assert list(plain.query(kind="Task").fetch()) == []
    assert [e["where"] for e in named.query(kind="Task").fetch()] == ["ledger"]
    named.delete(named.key("Task", 1))


def test_projects_do_not_see_each_other(host, namespace):
    one = datastore.Client(project="petrichor-one", namespace=namespace)
    two = datastore.Client(project="petrichor-two", namespace=namespace)
    entity = datastore.Entity(one.key("Task", 1))
    entity["n"] = 1
    one.put(entity)
    assert two.get(two.key("Task", 1)) is None


def test_namespaces_do_not_see_each_other(client, put, host, namespace):
    put("Task", 1, n=1)
    other = datastore.Client(project="petrichor-clients", namespace=namespace + "x")
    assert other.get(other.key("Task", 1)) is None
    assert list(other.query(kind="Task").fetch()) == []


def test_allocated_ids_are_complete_distinct_and_unused(client):
    keys = client.allocate_ids(client.key("Parent", "p", "Task"), 100)
    ids = {k.id for k in keys}
    assert len(ids) == 100 and min(ids) > 0
    assert all(k.parent == client.key("Parent", "p") for k in keys)
    entities = [datastore.Entity(client.key("Parent", "p", "Task")) for _ in range(100)]
    client.put_multi(entities)
    assert ids.isdisjoint(e.key.id for e in entities)


def test_reserved_ids_are_not_given_out(client):
    first = client.allocate_ids(client.key("Task"), 1)[0].id
    reserved = [client.key("Task", first + i) for i in range(1, 50)]
    client.reserve_ids_multi(reserved)
    client.reserve_ids_sequential(client.key("Task", first + 50), 10)
    given = {k.id for k in client.allocate_ids(client.key("Task"), 100)}
    assert given.isdisjoint(range(first, first + 60))


def test_read_time_shows_the_past(client, put, api, namespace):
    put("Task", "a", n=1)
    response = api.run_query(
        request={
            "project_id": client.project,
            "partition_id": {"project_id": client.project, "namespace_id": namespace},
            "query": {"kind": [{"name": "Task"}]},
        }
    )
    then = response.batch.read_time
    assert then is not None and then.timestamp() > 0
    put("Task", "a", n=2)
    put("Task", "b", n=3)
    assert client.get(client.key("Task", "a"))["n"] == 2
    assert client.get(client.key("Task", "a"), read_time=then)["n"] == 1
    assert client.get(client.key("Task", "b"), read_time=then) is None
    query = client.query(kind="Task")
    assert [e["n"] for e in query.fetch(read_time=then)] == [1]
    query = client.query(kind="Task")
    query.add_filter(filter=datastore.query.PropertyFilter("n", "=", 2))
    assert list(query.fetch(read_time=then)) == []
    count = client.aggregation_query(client.query(kind="Task")).count(alias="all")
    assert [r.value for page in count.fetch(read_time=then) for r in page] == [1]
