"""Features that only the generated layer of the client supports: mutations by their names, transforms, masks, versions, GQL."""

import pytest
from google.api_core import exceptions
from google.cloud.datastore.query import PropertyFilter
from google.cloud.datastore_v1.types import Key, PartitionId, Value


@pytest.fixture
def raw(client, api, namespace):
    return Raw(client.project, namespace, api)


class Raw:
    def __init__(self, project, namespace, api):
        self.project, self.namespace, self.api = project, namespace, api
        self.partition = PartitionId(project_id=project, namespace_id=namespace)

    def key(self, kind, name):
        return Key(partition_id=self.partition, path=[{"kind": kind, "name": name}])

    def entity(self, kind, name, **properties):
        return {"key": self.key(kind, name), "properties": properties}

    def commit(self, *mutations, **more):
        request = {"project_id": self.project, "mode": "NON_TRANSACTIONAL", "mutations": list(mutations)}
        return self.api.commit(request={**request, **more})

    def lookup(self, kind, name, **more):
        response = self.api.lookup(request={"project_id": self.project, "keys": [self.key(kind, name)], **more})
        return response.found[0] if response.found else None

    def properties(self, kind, name, **more):
        return {k: v for k, v in self.lookup(kind, name, **more).entity.properties.items()}

    def gql(self, text, allow_literals=True, positional=(), **named):
        return self.api.run_query(
            request={
                "project_id": self.project,
                "partition_id": self.partition,
                "gql_query": {
                    "query_string": text,
                    "allow_literals": allow_literals,
                    "positional_bindings": [{"value": value} for value in positional],
                    "named_bindings": {name: {"value": value} for name, value in named.items()},
                },
            }
        )


def number(n):
    return {"integer_value": n}


def text(s):
    return {"string_value": s}


def array(*values):
    return {"array_value": {"values": list(values)}}


def test_insert_of_an_existing_entity_is_already_exists(raw):
    raw.commit({"insert": raw.entity("Task", "a", n=number(1))})
    with pytest.raises(exceptions.AlreadyExists):
        raw.commit({"insert": raw.entity("Task", "a", n=number(2))})
    assert raw.properties("Task", "a")["n"].integer_value == 1


def test_update_of_a_missing_entity_is_not_found(raw):
    with pytest.raises(exceptions.NotFound):
        raw.commit({"update": raw.entity("Task", "nowhere", n=number(1))})
    raw.commit({"upsert": raw.entity("Task", "a", n=number(1))})
    raw.commit({"update": raw.entity("Task", "a", n=number(2))})
    assert raw.properties("Task", "a")["n"].integer_value == 2


def test_versions_rise_and_times_tell_creation_from_update(raw):
    first = raw.commit({"upsert": raw.entity("Task", "a", n=number(1))})
    second = raw.commit({"upsert": raw.entity("Task", "a", n=number(2))})
    one, two = first.mutation_results[0], second.mutation_results[0]
    assert 0 < one.version < two.version
    assert one.create_time == one.update_time
    assert two.create_time == one.create_time and two.update_time > one.update_time
    assert first.commit_time is None, "documented: only transactional commits have one"
    found = raw.lookup("Task", "a")
    assert (found.version, found.create_time, found.update_time) == (two.version, two.create_time, two.update_time)


def test_a_write_on_a_stale_version_is_a_conflict_that_the_server_value_wins(raw):
    version = raw.commit({"upsert": raw.entity("Task", "a", n=number(1))}).mutation_results[0].version
    raw.commit({"upsert": raw.entity("Task", "a", n=number(2))})
    result = raw.commit(
        {
            "upsert": raw.entity("Task", "a", n=number(3)),
            "base_version": version,
            "conflict_resolution_strategy": "SERVER_VALUE",
        }
    ).mutation_results[0]
    assert result.conflict_detected
    assert raw.properties("Task", "a")["n"].integer_value == 2


def test_a_stale_version_with_the_strategy_fail_is_aborted(raw):
    version = raw.commit({"upsert": raw.entity("Task", "a", n=number(1))}).mutation_results[0].version
    raw.commit({"upsert": raw.entity("Task", "a", n=number(2))})
    with pytest.raises((exceptions.Aborted, exceptions.FailedPrecondition)):
        raw.commit(
            {
                "upsert": raw.entity("Task", "a", n=number(3)),
                "base_version": version,
                "conflict_resolution_strategy": "FAIL",
            }
        )
    assert raw.properties("Task", "a")["n"].integer_value == 2


def test_a_write_on_the_present_update_time_goes_through(raw):
    now = raw.commit({"upsert": raw.entity("Task", "a", n=number(1))}).mutation_results[0].update_time
    result = raw.commit({"upsert": raw.entity("Task", "a", n=number(3)), "update_time": now})
    assert not result.mutation_results[0].conflict_detected
    assert raw.properties("Task", "a")["n"].integer_value == 3


def test_a_mutation_with_a_mask_touches_only_the_named_properties(raw):
    raw.commit({"upsert": raw.entity("Task", "a", keep=number(1), change=number(1), drop=number(1))})
    raw.commit(
        {
            "upsert": raw.entity("Task", "a", change=number(2), ignored=number(9)),
            "property_mask": {"paths": ["change", "drop"]},
        }
    )
    assert {k: v.integer_value for k, v in raw.properties("Task", "a").items()} == {"keep": 1, "change": 2}


def test_a_lookup_with_a_mask_answers_only_the_named_properties(raw):
    raw.commit({"upsert": raw.entity("Task", "a", x=number(1), y=number(2))})
    assert list(raw.properties("Task", "a", property_mask={"paths": ["y", "z"]})) == ["y"]


def test_a_query_with_a_mask_answers_only_the_named_properties(raw):
    raw.commit({"upsert": raw.entity("Task", "a", x=number(1), y=number(2))})
    response = raw.api.run_query(
        request={
            "project_id": raw.project,
            "partition_id": raw.partition,
            "query": {"kind": [{"name": "Task"}]},
            "property_mask": {"paths": ["x"]},
        }
    )
    assert [list(r.entity.properties) for r in response.batch.entity_results] == [["x"]]


def transform(raw, *transforms):
    mutation = {
        "upsert": raw.entity("T", "a"),
        "property_mask": {"paths": []},
        "property_transforms": list(transforms),
    }
    mutation["property_mask"] = {"paths": ["none"]}  # touch no property but through the transforms
    return raw.commit(mutation).mutation_results[0].transform_results


def test_increment_maximum_and_minimum(raw):
    raw.commit({"upsert": raw.entity("T", "a", n=number(5), hi=number(5), lo=number(5), s=text("x"))})
    results = transform(
        raw,
        {"property": "n", "increment": number(3)},
        {"property": "hi", "maximum": number(9)},
        {"property": "lo", "minimum": number(2)},
        {"property": "new", "increment": number(4)},
        {"property": "s", "increment": number(1)},
    )
    values = {k: v.integer_value for k, v in raw.properties("T", "a").items()}
    assert values == {"n": 8, "hi": 9, "lo": 2, "new": 4, "s": 1}, "what is no number becomes the operand"
    assert [r.integer_value for r in results] == [8, 9, 2, 4, 1]


def test_an_increment_by_a_fraction_makes_a_fraction_and_large_sums_stop_at_the_end(raw):
    raw.commit({"upsert": raw.entity("T", "a", n=number(5), full=number(2**63 - 1))})
    transform(
        raw,
        {"property": "n", "increment": {"double_value": 0.5}},
        {"property": "full", "increment": number(10)},
    )
    properties = raw.properties("T", "a")
    assert properties["n"].double_value == 5.5
    assert properties["full"].integer_value == 2**63 - 1


def test_the_time_of_the_request_as_a_value(raw):
    raw.commit({"upsert": raw.entity("T", "a", n=number(1))})
    results = transform(raw, {"property": "at", "set_to_server_value": "REQUEST_TIME"})
    at = raw.properties("T", "a")["at"].timestamp_value
    assert at == results[0].timestamp_value and at.timestamp() > 1_600_000_000
    assert at.microsecond % 1000 == 0, "documented: to the millisecond"


def test_array_transforms(raw):
    raw.commit({"upsert": raw.entity("T", "a", tags=array(text("a"), text("b"), text("a"), text("c")))})
    transform(raw, {"property": "tags", "append_missing_elements": {"values": [text("b"), text("d")]}})
    assert [v.string_value for v in raw.properties("T", "a")["tags"].array_value.values] == ["a", "b", "a", "c", "d"]
    transform(raw, {"property": "tags", "remove_all_from_array": {"values": [text("a"), text("z")]}})
    assert [v.string_value for v in raw.properties("T", "a")["tags"].array_value.values] == ["b", "c", "d"]


def test_a_transformed_value_is_found_by_queries(raw):
    raw.commit({"upsert": raw.entity("T", "a", n=number(5))})
    transform(raw, {"property": "n", "increment": number(3)})
    assert len(raw.gql("SELECT * FROM T WHERE n = 8").batch.entity_results) == 1
    assert len(raw.gql("SELECT * FROM T WHERE n = 5").batch.entity_results) == 0


def test_a_single_use_transaction(raw):
    both = raw.commit(
        {"insert": raw.entity("Task", "a", n=number(1))},
        {"insert": raw.entity("Task", "b", n=number(1))},
        mode="TRANSACTIONAL",
        single_use_transaction={"read_write": {}},
    )
    assert {result.update_time for result in both.mutation_results} == {both.commit_time}
    with pytest.raises(exceptions.AlreadyExists):
        raw.commit(
            {"upsert": raw.entity("Task", "c", n=number(1))},
            {"insert": raw.entity("Task", "a", n=number(1))},
            mode="TRANSACTIONAL",
            single_use_transaction={"read_write": {}},
        )
    assert raw.lookup("Task", "c") is None


def test_a_retry_names_its_previous_transaction(raw):
    begin = raw.api.begin_transaction
    first = begin(request={"project_id": raw.project}).transaction
    raw.api.rollback(request={"project_id": raw.project, "transaction": first})
    options = {"read_write": {"previous_transaction": first}}
    second = begin(request={"project_id": raw.project, "transaction_options": options}).transaction
    assert second and second != first


def test_keys_in_a_list(raw):
    for name in "abc":
        raw.commit({"upsert": raw.entity("Task", name, n=number(1))})
    wanted = [{"key_value": raw.key("Task", name)} for name in ("a", "c", "nowhere")]
    response = raw.api.run_query(
        request={
            "project_id": raw.project,
            "partition_id": raw.partition,
            "query": {
                "kind": [{"name": "Task"}],
                "filter": {
                    "property_filter": {"property": {"name": "__key__"}, "op": "IN", "value": array(*wanted)}
                },
            },
        }
    )
    assert [r.entity.key.path[0].name for r in response.batch.entity_results] == ["a", "c"]


# --- GQL -------------------------------------------------------------------------------------------


@pytest.fixture
def pets(raw):
    for name, legs, owner in (("ant", 6, "ada"), ("bat", 2, "bob"), ("cat", 4, "ada"), ("dog", 4, "cyd")):
        raw.commit({"upsert": raw.entity("Pet", name, legs=number(legs), owner=text(owner))})


def answered(response):
    return [r.entity.key.path[-1].name for r in response.batch.entity_results]


@pytest.mark.parametrize(
    "query, expected",
    [
        ("SELECT * FROM Pet", ["ant", "bat", "cat", "dog"]),
        ("SELECT * FROM `Pet` WHERE legs = 4", ["cat", "dog"]),
        ("select * from Pet where legs > 2 and legs < 6", ["cat", "dog"]),
        ("SELECT * FROM Pet WHERE legs >= 4 ORDER BY legs DESC, owner ASC", ["ant", "cat", "dog"]),
        ("SELECT * FROM Pet WHERE owner = 'ada' AND legs = 6", ["ant"]),
        ("SELECT * FROM Pet WHERE owner IN ARRAY('bob', 'cyd')", ["bat", "dog"]),
        ("SELECT * FROM Pet WHERE owner NOT IN ARRAY('bob', 'cyd')", ["ant", "cat"]),
        ("SELECT * FROM Pet WHERE owner != 'ada'", ["bat", "dog"]),
        ("SELECT * FROM Pet WHERE owner = 'bob' OR legs = 6 ORDER BY legs", ["bat", "ant"]),
        ("SELECT * FROM Pet ORDER BY owner LIMIT 1 OFFSET 2", ["bat"]),
        ("SELECT __key__ FROM Pet WHERE __key__ > KEY(Pet, 'bat')", ["cat", "dog"]),
        ("SELECT * FROM Pet WHERE __key__ HAS ANCESTOR KEY(Pet, 'cat')", ["cat"]),
        ("SELECT * FROM Pet WHERE owner IS NULL", []),
        ("SELECT DISTINCT legs FROM Pet ORDER BY legs", ["bat", "cat", "ant"]),
        ("SELECT DISTINCT ON (owner) owner, legs FROM Pet ORDER BY owner, legs DESC", ["ant", "bat", "dog"]),
        ("SELECT legs, owner FROM Pet ORDER BY legs, owner LIMIT 2", ["bat", "cat"]),
    ],
)
def test_gql(raw, pets, query, expected):
    assert answered(raw.gql(query)) == expected


def test_gql_answers_the_query_that_it_means(raw, pets):
    response = raw.gql("SELECT owner FROM Pet WHERE legs > 3 ORDER BY legs LIMIT 5")
    assert [k.name for k in response.query.kind] == ["Pet"]
    assert [p.property.name for p in response.query.projection] == ["owner"]
    assert response.query.limit == 5


def test_gql_bindings(raw, pets):
    named = raw.gql("SELECT * FROM Pet WHERE legs = @legs AND owner = @who", False, legs=number(4), who=text("ada"))
    assert answered(named) == ["cat"]
    positional = raw.gql("SELECT * FROM Pet WHERE legs = @1 AND owner = @2", False, [number(4), text("cyd")])
    assert answered(positional) == ["dog"]


def test_gql_literals_must_be_allowed(raw, pets):
    with pytest.raises(exceptions.InvalidArgument):
        raw.gql("SELECT * FROM Pet WHERE legs = 4", allow_literals=False)


def test_gql_that_is_none_says_where(raw):
    with pytest.raises(exceptions.InvalidArgument) as failure:
        raw.gql("SELECT * FRM Pet")
    assert "FRM" in str(failure.value)


def test_gql_aggregations(raw, pets):
    response = raw.api.run_aggregation_query(
        request={
            "project_id": raw.project,
            "partition_id": raw.partition,
            "gql_query": {
                "query_string": "SELECT COUNT(*) AS n, SUM(legs) AS legs, AVG(legs) AS mean FROM Pet WHERE owner = 'ada'",
                "allow_literals": True,
            },
        }
    )
    values = response.batch.aggregation_results[0].aggregate_properties
    assert (values["n"].integer_value, values["legs"].integer_value, values["mean"].double_value) == (2, 10, 5.0)


def test_count_up_to(raw, pets):
    response = raw.api.run_aggregation_query(
        request={
            "project_id": raw.project,
            "partition_id": raw.partition,
            "aggregation_query": {
                "nested_query": {"kind": [{"name": "Pet"}]},
                "aggregations": [{"alias": "n", "count": {"up_to": 3}}],
            },
        }
    )
    assert response.batch.aggregation_results[0].aggregate_properties["n"].integer_value == 3


def test_meaning_and_unknown_kinds_of_values_stay_as_they_were_written(raw):
    value = Value(string_value="a@b.example", meaning=9, exclude_from_indexes=True)
    raw.commit({"upsert": raw.entity("Task", "a", mail=value)})
    got = raw.properties("Task", "a")["mail"]
    assert (got.string_value, got.meaning, got.exclude_from_indexes) == ("a@b.example", 9, True)


def test_a_key_value_without_a_project_is_one_of_the_request(raw, client):
    """Go and Node omit the project in keys, Python and Java do not; they must find each other's entities."""
    bare = Key(partition_id={"namespace_id": raw.namespace}, path=[{"kind": "Person", "name": "ada"}])
    raw.commit({"upsert": raw.entity("Pet", "cat", owner={"key_value": bare}, friends=array({"key_value": bare}))})
    for name in ("owner", "friends"):
        query = client.query(kind="Pet")
        query.add_filter(filter=PropertyFilter(name, "=", client.key("Person", "ada")))
        assert [e.key.name for e in query.fetch()] == ["cat"]
        response = raw.api.run_query(
            request={
                "project_id": raw.project,
                "partition_id": raw.partition,
                "query": {
                    "kind": [{"name": "Pet"}],
                    "filter": {
                        "property_filter": {
                            "property": {"name": name},
                            "op": "EQUAL",
                            "value": {"key_value": bare},
                        }
                    },
                },
            }
        )
        assert answered(response) == ["cat"]
