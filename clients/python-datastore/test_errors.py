"""Requests that must be refused, and the class of their errors. No message may be empty."""

import datetime

import pytest
from google.api_core import exceptions
from google.cloud import datastore
from google.cloud.datastore.query import And, PropertyFilter
from google.cloud.datastore_v1.types import Key, PartitionId


@pytest.fixture
def refused(client, api):
    """refused("lookup", keys=[…]) : the call must fail as an invalid argument, with a text."""

    def call(method, error=exceptions.InvalidArgument, **request):
        with pytest.raises(error) as failure:
            getattr(api, method)(request={"project_id": client.project, **request})
        assert len(failure.value.message) > 10
        return failure.value

    return call


@pytest.fixture
def key(client, namespace):
    def make(*path, project=None, **elements):
        partition = PartitionId(project_id=project or client.project, namespace_id=namespace)
        return Key(partition_id=partition, path=path or [elements])

    return make


def upsert(key, **properties):
    return {"mode": "NON_TRANSACTIONAL", "mutations": [{"upsert": {"key": key, "properties": properties}}]}


def test_a_lookup_needs_complete_keys(refused, key):
    refused("lookup", keys=[key(kind="Task")])


@pytest.mark.parametrize(
    "path",
    [
        [],
        [{"kind": "", "name": "a"}],
        [{"kind": "Task", "name": ""}],
        [{"kind": "Task", "id": 0, "name": None}, {"kind": "Task", "name": "a"}],
        [{"kind": "__Task__", "name": "a"}],
        [{"kind": "Task", "name": "__a__"}],
        [{"kind": "Task", "name": "x" * 1501}],
        [{"kind": "x" * 1501, "name": "a"}],
        [{"kind": "Task", "name": "a"}] * 101,
    ],
    ids=[
        "empty path",
        "empty kind",
        "empty name",
        "incomplete parent",
        "reserved kind",
        "reserved name",
        "long name",
        "long kind",
        "deep path",
    ],
)
def test_bad_keys_are_refused(refused, client, namespace, path):
    bad = Key(partition_id={"project_id": client.project, "namespace_id": namespace}, path=path)
    refused("commit", **upsert(bad, n={"integer_value": 1}))


def test_bad_namespaces_are_refused(refused, client):
    for bad in ("has space", "x" * 101, "__reserved__"):
        key = Key(partition_id={"project_id": client.project, "namespace_id": bad}, path=[{"kind": "T", "id": 1}])
        refused("commit", **upsert(key, n={"integer_value": 1}))


def test_a_key_of_another_project_is_refused(refused, key):
    refused("lookup", keys=[key(kind="Task", name="a", project="another-project")])


def test_an_entity_over_one_mebibyte_is_refused(client, put):
    with pytest.raises(exceptions.InvalidArgument):
        put("Big", 1, text="x" * (1024 * 1024), exclude=("text",))
    assert client.get(client.key("Big", 1)) is None
    put("Big", 2, text="x" * (1024 * 1024 - 1000), exclude=("text",))
    assert len(client.get(client.key("Big", 2))["text"]) == 1024 * 1024 - 1000


def test_an_indexed_value_over_1500_bytes_is_refused(put):
    with pytest.raises(exceptions.InvalidArgument):
        put("Long", 1, text="x" * 1501)
    with pytest.raises(exceptions.InvalidArgument):
        put("Long", 1, data=b"x" * 1501)
    put("Long", 1, text="x" * 1500)


@pytest.mark.parametrize("name", ["", "__reserved__", "x" * 1501])
def test_bad_property_names_are_refused(refused, key, name):
    refused("commit", **upsert(key(kind="Task", name="a"), **{name: {"integer_value": 1}}))


def test_an_array_in_an_array_is_refused(refused, key):
    inner = {"array_value": {"values": [{"integer_value": 1}]}}
    refused("commit", **upsert(key(kind="Task", name="a"), v={"array_value": {"values": [inner]}}))


@pytest.mark.parametrize("place", [(91, 0), (-91, 0), (0, 181), (0, -181), (float("nan"), 0)])
def test_places_outside_the_world_are_refused(refused, key, place):
    value = {"geo_point_value": {"latitude": place[0], "longitude": place[1]}}
    refused("commit", **upsert(key(kind="Task", name="a"), v=value))


def test_a_commit_of_nothing_known_is_refused(refused, key):
    refused("commit", mode="NON_TRANSACTIONAL", mutations=[{}])


def test_the_same_entity_twice_outside_a_transaction_is_refused(refused, key):
    entity = {"key": key(kind="Task", name="a"), "properties": {}}
    refused("commit", mode="NON_TRANSACTIONAL", mutations=[{"upsert": entity}, {"upsert": entity}])


def test_a_transactional_commit_needs_its_transaction(refused, key):
    refused("commit", mode="TRANSACTIONAL", mutations=[{"delete": key(kind="Task", name="a")}])


def test_transactions_that_do_not_exist_are_refused(refused, key):
    nothing = b"no such transaction"
    refused("commit", mode="TRANSACTIONAL", transaction=nothing, mutations=[{"delete": key(kind="T", name="a")}])
    refused("lookup", keys=[key(kind="T", name="a")], read_options={"transaction": nothing})
    refused("run_query", query={"kind": [{"name": "T"}]}, read_options={"transaction": nothing})
    refused("rollback", transaction=nothing)


def test_a_committed_transaction_is_over(refused, api, client, key):
    transaction = api.begin_transaction(request={"project_id": client.project}).transaction
    api.commit(request={"project_id": client.project, "mode": "TRANSACTIONAL", "transaction": transaction})
    refused("lookup", keys=[key(kind="T", name="a")], read_options={"transaction": transaction})


def test_a_transaction_of_another_database_is_refused(refused, api, client, key):
    transaction = api.begin_transaction(
        request={"project_id": client.project, "database_id": "ledger"}
    ).transaction
    refused("lookup", keys=[key(kind="T", name="a")], read_options={"transaction": transaction})


def test_a_time_that_has_not_come_or_is_long_gone_is_refused(refused, key):
    now = datetime.datetime.now(datetime.timezone.utc)
    either = (exceptions.InvalidArgument, exceptions.FailedPrecondition)
    for hours in (+1, -24 * 30):
        when = now + datetime.timedelta(hours=hours)
        refused("lookup", either, keys=[key(kind="T", name="a")], read_options={"read_time": when})


@pytest.mark.parametrize(
    "query",
    [
        {"kind": [{"name": "T"}], "limit": -1},
        {"kind": [{"name": "T"}], "offset": -1},
        {"kind": [{"name": "T"}], "start_cursor": b"not a cursor"},
        {"kind": [{"name": "T"}, {"name": "U"}]},
        {"kind": [{"name": ""}]},
        {"kind": [{"name": "T"}], "projection": [{"property": {"name": "a"}}, {"property": {"name": "a"}}]},
        {"kind": [{"name": "T"}], "filter": {"composite_filter": {"op": "AND", "filters": []}}},
        {"kind": [{"name": "T"}], "filter": {"property_filter": {"property": {"name": "a"}}}},
        {"filter": {"property_filter": {"property": {"name": "a"}, "op": "EQUAL", "value": {"integer_value": 1}}}},
        {
            "kind": [{"name": "T"}],
            "filter": {
                "property_filter": {"property": {"name": "a"}, "op": "IN", "value": {"array_value": {"values": []}}}
            },
        },
        {
            "kind": [{"name": "T"}],
            "filter": {"property_filter": {"property": {"name": "a"}, "op": "IN", "value": {"integer_value": 1}}},
        },
    ],
    ids=[
        "negative limit",
        "negative offset",
        "bad cursor",
        "two kinds",
        "kind without a name",
        "projection twice",
        "empty and",
        "no operator",
        "kindless filter",
        "in nothing",
        "in no list",
    ],
)
def test_bad_queries_are_refused(refused, query):
    refused("run_query", query=query)


def test_a_cursor_of_another_query_is_refused(client, cities):
    iterator = client.query(kind="City", order=["thousands"]).fetch(limit=2)
    next(iterator.pages)
    with pytest.raises(exceptions.InvalidArgument):
        list(client.query(kind="City", order=["altitude"]).fetch(start_cursor=iterator.next_page_token))


def test_projecting_what_is_fixed_by_equality_is_refused(client, cities):
    query = client.query(kind="City", projection=["country"])
    query.add_filter(filter=PropertyFilter("country", "=", "at"))
    with pytest.raises(exceptions.InvalidArgument):
        list(query.fetch())


def test_more_than_thirty_alternatives_are_refused(client):
    def query(count):
        query = client.query(kind="T")
        query.add_filter(filter=PropertyFilter("a", "IN", list(range(count))))
        return list(query.fetch())

    assert query(30) == []
    with pytest.raises(exceptions.InvalidArgument):
        query(31)
    product = client.query(kind="T")
    product.add_filter(
        filter=And([PropertyFilter("a", "IN", list(range(6))), PropertyFilter("b", "IN", list(range(6)))])
    )
    with pytest.raises(exceptions.InvalidArgument):
        list(product.fetch())


@pytest.mark.parametrize(
    "aggregations",
    [
        [],
        [{"alias": "a", "count": {}}, {"alias": "a", "sum": {"property": {"name": "x"}}}],
        [{"alias": "a", "sum": {}}],
        [{"alias": f"a{i}", "count": {}} for i in range(6)],
    ],
    ids=["none", "alias twice", "sum of nothing", "six"],
)
def test_bad_aggregations_are_refused(refused, aggregations):
    query = {"nested_query": {"kind": [{"name": "T"}]}, "aggregations": aggregations}
    refused("run_aggregation_query", aggregation_query=query)


def test_ids_are_allocated_for_incomplete_keys_and_reserved_for_complete_ones(refused, key):
    refused("allocate_ids", keys=[key(kind="T", id=5)])
    refused("reserve_ids", keys=[key(kind="T")])


def test_vector_search_says_that_it_is_not_there(client, api, namespace):
    with pytest.raises((exceptions.MethodNotImplemented, exceptions.InvalidArgument)) as failure:
        api.run_query(
            request={
                "project_id": client.project,
                "partition_id": {"project_id": client.project, "namespace_id": namespace},
                "query": {
                    "kind": [{"name": "T"}],
                    "find_nearest": {
                        "vector_property": {"name": "v"},
                        "query_vector": {"array_value": {"values": [{"double_value": 1.0}]}},
                        "distance_measure": "EUCLIDEAN",
                        "limit": 3,
                    },
                },
            }
        )
    assert "nearest" in failure.value.message.lower() or "vector" in failure.value.message.lower()
