"""Random documents and queries, on the server and on the stub of Google's SDK; with PETRICHOR_TEST_PEERS, also on
Google's Java API server.

The server follows Google's documentation where the references differ from it; docs/reference/search-api.md and
docs/apps/differences.md list these differences. The words, queries and options here avoid them, so that all must find
the same documents.
"""

import datetime
import os
import random

import pytest
from differential import sides
from google.appengine.api import search

import search_stub

WORDS = ["red", "rose", "blue", "car", "dog", "night", "5", "20", "café", "piano", "Ivory", "key's"]
FIELDS = ["a", "b", "c"]
ROUNDS = int(os.environ.get("SEARCH_ROUNDS", "3"))
DOCUMENTS = 60
QUERIES = 250


PLAIN = [word for word in WORDS if word.isalnum() and word.isascii()]


def plain_restriction(random_):
    """What the Java API server understands alike: phrases in fields only, no prefixes, distances and accents."""
    kind = random_.randrange(5)
    word = random_.choice(PLAIN)
    if kind < 2:
        return word
    if kind == 2:
        return random_.choice(FIELDS) + ":" + random_.choice([word, f'"{word} {random_.choice(PLAIN)}"'])
    if kind == 3:
        return f"n {random_.choice(['<', '<=', '>', '>=', '='])} {random_.choice(['1', '5', '5.5', '-3', '100'])}"
    return f"d {random_.choice(['<', '<=', '>', '>=', '='])} 2012-07-0{random_.choice('1234567')}"


def words(random_, count):
    return " ".join(random_.choice(WORDS) for _ in range(random_.randrange(1, count + 1)))


def field(random_, name):
    kind = random_.randrange(4)
    if kind == 0:
        return search.TextField(name, words(random_, 6))
    if kind == 1:
        return search.HtmlField(name, words(random_, 4))
    if kind == 2:
        return search.AtomField(name, words(random_, 2))
    return search.TextField(name, words(random_, 2) + ", " + words(random_, 3) + ".")


def document(random_, number):
    fields = [field(random_, name) for name in FIELDS if random_.random() < 0.7]
    if random_.random() < 0.8:
        fields.append(search.NumberField("n", random_.choice([1, 2, 5, 5.5, -3, 20])))
    if random_.random() < 0.6:
        fields.append(search.DateField("d", datetime.date(2012, 7, random_.randrange(1, 9))))
    if random_.random() < 0.6:
        fields.append(search.GeoField("g", search.GeoPoint(random_.randrange(50, 53), random_.randrange(10, 14))))
    if random_.random() < 0.5:
        fields.append(search.TokenizedPrefixField("p", words(random_, 3).replace("é", "e")))
    if random_.random() < 0.5:
        fields.append(search.UntokenizedPrefixField("u", words(random_, 3).replace("é", "e")))
    facets = []
    if random_.random() < 0.7:
        facets.append(search.AtomFacet("kind", random_.choice(["x", "y", "z"])))
    if random_.random() < 0.7:
        facets.append(search.NumberFacet("size", random_.randrange(5)))
    return search.Document(
        doc_id=f"d{number:03}",
        rank=1000 - number,
        fields=fields or [search.TextField("a", "red")],
        facets=facets,
    )


def value(random_):
    return random_.choice([random_.choice(WORDS), '"' + words(random_, 3) + '"'])


def restriction(random_):
    kind = random_.randrange(9)
    if kind < 3:
        return value(random_)
    if kind == 3:
        return random_.choice(FIELDS) + random_.choice([":", " = ", ": "]) + value(random_)
    if kind == 4:
        inner = random_.choice([" OR ", " AND ", " "]).join(value(random_) for _ in range(2))
        return random_.choice(FIELDS) + ":(" + inner + ")"
    if kind == 5:
        operator = random_.choice(["<", "<=", ">", ">=", "=", ":"])
        return "n " + operator + " " + random_.choice(["1", "5", "5.0", "5.5", "-3", "100"])
    if kind == 6:
        operator = random_.choice(["<", "<=", ">", ">=", "=", ":"])
        return "d " + operator + " 2012-07-0" + random_.choice("1234567")
    if kind == 7:
        operator = random_.choice(["<", ">"])
        return f"distance(g, geopoint({random_.randrange(50, 53)}, 11.5)) {operator} {random_.randrange(300)}111"
    prefix = random_.choice(["r", "ro", "re", "bl", "ivo", "pian", "ca", "d", "5"])
    return random_.choice(["p:", "u:"]) + prefix


def query(random_, restriction=restriction, depth=0):
    kind = random_.randrange(6)
    if kind < 2 or depth == 3:
        return restriction(random_)
    parts = [query(random_, restriction, depth + 1) for _ in range(random_.randrange(2, 4))]
    if kind == 2:
        return "(" + " OR ".join(f"({part})" for part in parts) + ")"
    if kind == 3:
        return "(" + " AND ".join(parts) + ")"
    if kind == 4:
        return "NOT (" + parts[0] + ")"
    return "(" + " ".join(f"({part})" if " " in part else part for part in parts) + ")"


def options(random_):
    chosen = {"limit": 1000}
    if random_.random() < 0.4:
        keys = []
        for _ in range(random_.randrange(1, 3)):
            expression, default = random_.choice(
                [
                    ("n", 0),
                    ("n", 7),
                    ("d", None),
                    ("a", ""),
                    ("n * 2 + 1", 3),
                    ("max(n, 2)", 1),
                    ("abs(n) - 1", 0),
                    ("distance(g, geopoint(51, 11.3))", 100000),
                    ("_rank", 0),
                ]
            )
            ascending = expression != "_rank" and random_.random() < 0.5
            direction = search.SortExpression.ASCENDING if ascending else search.SortExpression.DESCENDING
            keys.append(search.SortExpression(expression, direction, default_value=default))
        chosen["sort_options"] = search.SortOptions(keys)
    elif random_.random() < 0.3:
        chosen.update(limit=random_.randrange(1, 20), offset=random_.randrange(20))
    if random_.random() < 0.3:
        chosen["returned_expressions"] = [
            search.FieldExpression("twice", "n * 2"),
            search.FieldExpression("number", "count(a)"),
            search.FieldExpression("far", "min(distance(g, geopoint(51, 11)), 1000000)"),
        ]
    return chosen


def facet_options(random_):
    kind = random_.randrange(5)
    if kind == 0:
        return {"enable_facet_discovery": True}
    if kind == 1:
        return {"return_facets": [search.FacetRequest("size", values=["1", "3"]), "kind"]}
    if kind == 2:
        return {"facet_refinements": [search.FacetRefinement("kind", value=random_.choice("xyz"))]}
    return {}


def outcome(text, chosen, facets):
    """What the SDK returns for a search, as values that can be compared."""
    try:
        found = search.Index("i").search(search.Query(text, options=search.QueryOptions(**chosen), **facets))
    except search.Error as error:
        return "error", type(error).__name__
    return (
        found.number_found,
        [
            (one.doc_id, sorted((field.name, round(field.value, 1)) for field in one.expressions))
            for one in found.results
        ],
        [(facet.name, [(v.label, v.count) for v in facet.values]) for facet in found.facets],
    )


def compare_with_stub(make_app):
    seed = int(os.environ.get("SEARCH_SEED", "1"))
    for round_ in range(seed, seed + ROUNDS):
        random_ = random.Random(round_)
        app, stub = make_app(), search_stub.Stub()
        documents = [document(random_, number) for number in range(DOCUMENTS)]
        different = []
        removed = [f"d{random_.randrange(DOCUMENTS):03}" for _ in range(5)]
        for run in (app.run, lambda function, *arguments: app.run(stub.run, function, *arguments)):
            run(lambda: search.Index("i").put(documents))
            run(lambda: search.Index("i").delete(removed))
        for number in range(QUERIES):
            text, chosen, facets = query(random_), options(random_), facet_options(random_)
            ours = app.run(outcome, text, chosen, facets)
            theirs = app.run(stub.run, outcome, text, chosen, facets)
            if ours != theirs:
                different.append((round_, number, text, chosen, facets, ours, theirs))
        assert not different, different


def found(text):
    """The documents that a search finds, by rank."""
    options_ = search.QueryOptions(limit=1000, ids_only=True)
    return [one.doc_id for one in search.Index("i").search(search.Query(text, options=options_))]


def compare_with_java(make_app):
    seed = int(os.environ.get("SEARCH_SEED", "1"))
    for round_ in range(seed, seed + ROUNDS):
        random_ = random.Random(round_)
        documents = [document(random_, number) for number in range(DOCUMENTS)]
        with sides.JavaApiServer() as java:
            app, stub = make_app(), search_stub.Stub(search_stub.Sender(java))
            app.run(lambda: search.Index("i").put(documents))
            app.run(stub.run, lambda: search.Index("i").put(documents))
            for _ in range(QUERIES):
                text = query(random_, plain_restriction)
                assert app.run(found, text) == app.run(stub.run, found, text), text


COMPARISONS = {"testbed": compare_with_stub, "java": compare_with_java}


@pytest.mark.parametrize("reference", sides.REFERENCES)
def test_random_searches_find_the_same(make_app, reference):
    search_stub.size_of_message()
    COMPARISONS[reference](make_app)
