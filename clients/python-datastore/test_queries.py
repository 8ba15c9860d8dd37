"""All kinds of queries and operators of the public API."""

import datetime

import pytest
from conftest import names
from google.cloud import datastore
from google.cloud.datastore.query import And, Or, PropertyFilter
from google.cloud.datastore.query_profile import ExplainOptions


def ask(client, *filters, **options):
    fetch = {k: options.pop(k) for k in ("limit", "offset", "start_cursor", "end_cursor") if k in options}
    query = client.query(kind=options.pop("kind", "City"), **options)
    for each in filters:
        query.add_filter(filter=each if not isinstance(each, tuple) else PropertyFilter(*each))
    return list(query.fetch(**fetch))


def found(client, *filters, **options):
    return set(names(ask(client, *filters, **options)))


@pytest.mark.parametrize(
    "operator, value, expected",
    [
        ("=", 200, {"linz"}),
        ("<", 200, {"bern", "zug", "vaduz"}),
        ("<=", 200, {"linz", "bern", "zug", "vaduz"}),
        (">", 200, {"graz", "wien"}),
        (">=", 200, {"linz", "graz", "wien"}),
        ("!=", 200, {"graz", "wien", "bern", "zug", "vaduz"}),
        ("IN", [6, 30, 77], {"vaduz", "zug"}),
        ("NOT_IN", [6, 30, 77], {"graz", "linz", "wien", "bern"}),
    ],
)
def test_every_operator_on_numbers(client, cities, operator, value, expected):
    assert found(client, ("thousands", operator, value)) == expected


@pytest.mark.parametrize(
    "operator, value, expected",
    [
        ("=", "ch", {"bern", "zug"}),
        ("<", "ch", {"graz", "linz", "wien"}),
        (">", "ch", {"vaduz"}),
        (">=", "ch", {"bern", "zug", "vaduz"}),
        ("!=", "at", {"bern", "zug", "vaduz"}),
        ("IN", ["at", "li"], {"graz", "linz", "wien", "vaduz"}),
        ("NOT_IN", ["at", "li"], {"bern", "zug"}),
    ],
)
def test_every_operator_on_text(client, cities, operator, value, expected):
    assert found(client, ("country", operator, value)) == expected


def test_an_inequality_alone_answers_in_the_order_of_its_property(client, cities):
    assert names(ask(client, ("thousands", ">", 6))) == ["zug", "bern", "linz", "graz", "wien"]


def test_filters_are_joined_by_and(client, cities):
    assert found(client, ("country", "=", "at"), ("thousands", ">", 200), ("altitude", "<", 200.0)) == {"wien"}


def test_inequalities_on_two_properties(client, cities):
    assert names(ask(client, ("thousands", ">=", 140), ("altitude", ">", 200.0), order=["thousands"])) == [
        "bern",
        "linz",
        "graz",
    ]


def test_or_and_and_nest(client, cities):
    small = And([PropertyFilter("country", "=", "at"), PropertyFilter("thousands", "<", 250)])
    assert found(client, Or([small, PropertyFilter("country", "=", "li")])) == {"linz", "vaduz"}


def test_or_answers_an_entity_once(client, cities):
    either = Or([PropertyFilter("country", "=", "at"), PropertyFilter("union", "=", True)])
    assert sorted(names(ask(client, either))) == ["graz", "linz", "wien"]


def test_or_with_an_order(client, cities):
    either = Or([PropertyFilter("country", "=", "ch"), PropertyFilter("country", "=", "li")])
    assert names(ask(client, either, order=["-altitude"])) == ["bern", "vaduz", "zug"]


def test_an_array_matches_by_any_of_its_values(client, cities):
    assert found(client, ("tags", "=", "river")) == {"graz", "linz", "wien", "bern"}
    assert found(client, ("tags", "=", "river"), ("tags", "=", "hill")) == {"graz"}
    assert names(ask(client, ("tags", "IN", ["river", "hill"]))).count("graz") == 1
    assert found(client, ("tags", "!=", "river")) == {"graz", "wien", "bern", "zug"}


def test_order_up_down_and_by_two_properties(client, cities):
    assert names(ask(client, order=["thousands"])) == ["vaduz", "zug", "bern", "linz", "graz", "wien"]
    assert names(ask(client, order=["-thousands"])) == ["wien", "graz", "linz", "bern", "zug", "vaduz"]
    assert names(ask(client, order=["-country", "thousands"])) == ["vaduz", "zug", "bern", "linz", "graz", "wien"]
    assert names(ask(client, order=["country", "-thousands"])) == ["wien", "graz", "linz", "bern", "zug", "vaduz"]


def test_equality_with_another_order(client, cities):
    assert names(ask(client, ("country", "=", "at"), order=["-thousands"])) == ["wien", "graz", "linz"]


def test_without_an_order_results_come_by_key(client, cities):
    assert names(ask(client)) == sorted(cities)
    assert names(ask(client, ("country", "=", "at"))) == ["graz", "linz", "wien"]


def test_order_by_key(client, cities):
    assert names(ask(client, order=["-__key__"])) == sorted(cities, reverse=True)


def test_types_are_ordered_as_documented(client, put):
    rising = [
        ("null", None),
        ("whole", 5),
        ("time", datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.timezone.utc)),
        ("no", False),
        ("yes", True),
        ("bytes", b"a"),
        ("text", "b"),
        ("fraction", -1.5),
        ("place", datastore.helpers.GeoPoint(1.0, 2.0)),
        ("key", client.key("A", 1)),
    ]
    for name, value in reversed(rising):
        put("Mixed", name, v=value)
    assert names(ask(client, kind="Mixed", order=["v"])) == [name for name, _ in rising]
    assert names(ask(client, kind="Mixed", order=["-v"])) == [name for name, _ in reversed(rising)]


def test_key_filters(client, cities):
    query = client.query(kind="City")
    query.key_filter(client.key("City", "linz"), ">")
    assert names(query.fetch()) == ["vaduz", "wien", "zug"]
    query.key_filter(client.key("City", "wien"), "<=")
    assert names(query.fetch()) == ["vaduz", "wien"]
    query = client.query(kind="City")
    query.key_filter(client.key("City", "linz"))
    assert names(query.fetch()) == ["linz"]


def test_ancestor_queries_answer_the_ancestor_and_its_descendants_only(client, put):
    put("Book", "a", n=0)
    put("Book", "a", "Page", 1, n=1)
    put("Book", "a", "Page", 1, "Note", 1, n=2)
    put("Book", "b", "Page", 1, n=3)
    put("Book", "ab", "Page", 1, n=4)
    root = client.key("Book", "a")
    assert [e["n"] for e in client.query(ancestor=root).fetch()] == [0, 1, 2]
    assert [e["n"] for e in client.query(kind="Page", ancestor=root).fetch()] == [1]
    query = client.query(kind="Page", ancestor=root)
    query.add_filter(filter=PropertyFilter("n", ">=", 0))
    query.order = ["-n"]
    assert [e["n"] for e in query.fetch()] == [1]


def test_a_kindless_query_answers_all_kinds(client, put):
    put("A", 1, n=1)
    put("B", 1, n=2)
    assert [e["n"] for e in client.query().fetch()] == [1, 2]


def test_keys_only(client, cities):
    query = client.query(kind="City", order=["thousands"])
    query.keys_only()
    results = list(query.fetch())
    assert names(results)[0] == "vaduz" and all(len(e) == 0 for e in results)


def test_projection_answers_only_what_was_asked(client, cities):
    results = ask(client, projection=["country", "thousands"], order=["country", "thousands"])
    assert [dict(e) for e in results][:2] == [
        {"country": "at", "thousands": 200},
        {"country": "at", "thousands": 300},
    ]
    assert len(results) == 6


def test_projection_of_an_array_answers_once_per_value(client, cities):
    results = ask(client, projection=["tags"], order=["tags"])
    assert [e["tags"] for e in results] == ["hill", "lake", "old", "palace", "river", "river", "river", "river"]


def test_projection_leaves_out_entities_without_the_property(client, put):
    put("Part", 1, a=1, b=1)
    put("Part", 2, a=2)
    assert [dict(e) for e in ask(client, kind="Part", projection=["a", "b"])] == [{"a": 1, "b": 1}]


def test_distinct(client, cities):
    results = ask(client, projection=["country"], distinct_on=["country"])
    assert [e["country"] for e in results] == ["at", "ch", "li"]


def test_distinct_on_keeps_the_first_of_each_group(client, cities):
    results = ask(
        client,
        projection=["country", "thousands"],
        distinct_on=["country"],
        order=["country", "-thousands"],
    )
    assert [(e["country"], e["thousands"]) for e in results] == [("at", 2000), ("ch", 140), ("li", 6)]


def test_limit_and_offset(client, cities):
    assert names(ask(client, order=["thousands"], limit=2)) == ["vaduz", "zug"]
    assert names(ask(client, order=["thousands"], offset=4)) == ["graz", "wien"]
    assert names(ask(client, order=["thousands"], limit=2, offset=1)) == ["zug", "bern"]
    assert ask(client, order=["thousands"], offset=100) == []
    assert ask(client, limit=0) == []


def test_a_long_offset_over_many_entities(client):
    entities = []
    for i in range(1, 1601):
        entity = datastore.Entity(client.key("Row", i))
        entity["n"] = i
        entities.append(entity)
    for start in range(0, len(entities), 400):
        client.put_multi(entities[start : start + 400])
    query = client.query(kind="Row")
    assert [e["n"] for e in query.fetch(offset=1590)] == list(range(1591, 1601))
    assert [e["n"] for e in query.fetch()] == list(range(1, 1601)), "the client follows the batches to the end"
    assert len(list(query.fetch(limit=1500))) == 1500


def test_cursors_page_through_everything_once(client, cities):
    query = client.query(kind="City", order=["-thousands"])
    seen, cursor, pages = [], None, 0
    while True:
        iterator = query.fetch(limit=2, start_cursor=cursor)
        page = names(next(iterator.pages, []))
        cursor = iterator.next_page_token
        if not page:
            break
        seen += page
        pages += 1
        if cursor is None:
            break
    assert seen == ["wien", "graz", "linz", "bern", "zug", "vaduz"] and pages == 3


def test_a_cursor_stays_where_it_was_when_entities_come_and_go(client, cities, put):
    query = client.query(kind="City", order=["thousands"])
    iterator = query.fetch(limit=2)
    assert names(next(iterator.pages)) == ["vaduz", "zug"]
    put("City", "first", thousands=1)
    client.delete(client.key("City", "zug"))
    put("City", "uster", thousands=35)
    rest = names(query.fetch(start_cursor=iterator.next_page_token))
    assert rest == ["uster", "bern", "linz", "graz", "wien"]


def test_an_end_cursor_stops_there(client, cities):
    query = client.query(kind="City", order=["thousands"])
    iterator = query.fetch(limit=3)
    next(iterator.pages)
    assert names(query.fetch(end_cursor=iterator.next_page_token)) == ["vaduz", "zug", "bern"]


def test_cursors_of_a_query_with_or(client, cities):
    query = client.query(kind="City", order=["thousands"])
    query.add_filter(filter=PropertyFilter("country", "IN", ["at", "li"]))
    iterator = query.fetch(limit=2)
    assert names(next(iterator.pages)) == ["vaduz", "linz"]
    assert names(query.fetch(start_cursor=iterator.next_page_token)) == ["graz", "wien"]


def aggregate(aggregation):
    return {r.alias: r.value for page in aggregation.fetch() for r in page}


def test_count_sum_and_average(client, cities):
    query = client.query(kind="City")
    query.add_filter(filter=PropertyFilter("country", "=", "at"))
    aggregation = client.aggregation_query(query)
    aggregation.count(alias="n").sum("thousands", alias="total").avg("thousands", alias="mean")
    result = aggregate(aggregation)
    assert result["n"] == 3 and result["total"] == 2500
    assert result["mean"] == pytest.approx(2500 / 3)


def test_aggregations_skip_what_is_no_number(client, put):
    put("Mixed", 1, v=1)
    put("Mixed", 2, v=2.5)
    put("Mixed", 3, v="text")
    put("Mixed", 4, w=1)
    aggregation = client.aggregation_query(client.query(kind="Mixed")).sum("v", alias="s").avg("v", alias="a")
    assert aggregate(aggregation) == {"s": pytest.approx(3.5), "a": pytest.approx(1.75)}


def test_count_obeys_the_limit_of_its_query(client, cities):
    aggregation = client.aggregation_query(client.query(kind="City")).count(alias="n")
    assert [r.value for page in aggregation.fetch(limit=4) for r in page] == [4]


def test_count_of_nothing_is_zero(client):
    aggregation = client.aggregation_query(client.query(kind="None")).count(alias="n").sum("x", alias="s")
    assert aggregate(aggregation) == {"n": 0, "s": 0}


def test_explain_plans_without_running(client, cities):
    query = client.query(kind="City", explain_options=ExplainOptions(analyze=False))
    query.add_filter(filter=PropertyFilter("country", "=", "at"))
    iterator = query.fetch()
    assert list(iterator) == []
    indexes = iterator.explain_metrics.plan_summary.indexes_used
    assert len(indexes) >= 1 and "country" in str(indexes)


def test_explain_analyze_answers_results_and_true_counts(client, cities):
    query = client.query(kind="City", explain_options=ExplainOptions(analyze=True))
    query.add_filter(filter=PropertyFilter("country", "=", "at"))
    iterator = query.fetch()
    assert names(iterator) == ["graz", "linz", "wien"]
    stats = iterator.explain_metrics.execution_stats
    assert stats.results_returned == 3
    assert stats.read_operations >= 1
    assert stats.execution_duration > datetime.timedelta(0)


def test_explain_of_an_aggregation(client, cities):
    aggregation = client.aggregation_query(
        client.query(kind="City"), explain_options=ExplainOptions(analyze=True)
    ).count(alias="n")
    iterator = aggregation.fetch()
    assert [r.value for page in iterator for r in page] == [6]
    assert iterator.explain_metrics.execution_stats.results_returned == 1
    assert iterator.explain_metrics.plan_summary.indexes_used


def test_the_kinds_of_a_namespace(client, put):
    put("B", 1, n=1)
    put("A", 1, n=1)
    put("A", 2, n=1)
    query = client.query(kind="__kind__")
    query.keys_only()
    assert names(query.fetch()) == ["A", "B"]
    query.key_filter(client.key("__kind__", "B"), ">=")
    assert names(query.fetch()) == ["B"]


def test_the_namespaces_of_a_database(client, put, namespace):
    put("A", 1, n=1)
    query = client.query(kind="__namespace__")
    query.keys_only()
    assert namespace in names(query.fetch())
    client.delete(client.key("A", 1))
    assert namespace not in names(query.fetch())


def test_the_properties_of_a_kind(client, put):
    put("A", 1, number=1, text="t")
    put("A", 2, number=1.5, hidden="h", exclude=("hidden",))
    put("B", 1, other=True)
    query = client.query(kind="__property__")
    query.keys_only()
    assert [(e.key.parent.name, e.key.name) for e in query.fetch()] == [
        ("A", "number"),
        ("A", "text"),
        ("B", "other"),
    ]
    query = client.query(kind="__property__", ancestor=client.key("__kind__", "A"))
    representations = {e.key.name: sorted(e["property_representation"]) for e in query.fetch()}
    assert representations == {"number": ["DOUBLE", "INT64"], "text": ["STRING"]}
