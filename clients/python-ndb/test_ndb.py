"""Models, properties, queries and transactions of google-cloud-ndb against a running server."""

import datetime
import threading

import pytest
from google.api_core import exceptions
from google.cloud import datastore, ndb


class Address(ndb.Model):
    street = ndb.StringProperty()
    number = ndb.IntegerProperty()


class Everything(ndb.Model):
    yes = ndb.BooleanProperty()
    whole = ndb.IntegerProperty()
    fraction = ndb.FloatProperty()
    name = ndb.StringProperty()
    text = ndb.TextProperty()
    blob = ndb.BlobProperty()
    packed = ndb.BlobProperty(compressed=True)
    json = ndb.JsonProperty()
    pickled = ndb.PickleProperty()
    moment = ndb.DateTimeProperty()
    day = ndb.DateProperty()
    hour = ndb.TimeProperty()
    place = ndb.GeoPtProperty()
    other = ndb.KeyProperty()
    words = ndb.StringProperty(repeated=True)
    home = ndb.StructuredProperty(Address)
    homes = ndb.StructuredProperty(Address, repeated=True)
    hidden = ndb.LocalStructuredProperty(Address)
    half = ndb.ComputedProperty(lambda self: (self.whole or 0) // 2)


class Greeting(ndb.Model):
    author = ndb.StringProperty()
    votes = ndb.IntegerProperty()
    tags = ndb.StringProperty(repeated=True)
    made = ndb.DateTimeProperty(auto_now_add=True)


class Counter(ndb.Model):
    n = ndb.IntegerProperty(default=0)


class Note(ndb.Expando):
    pass


@pytest.fixture
def greetings():
    rows = [("a", "ada", 5, ["x", "y"]), ("b", "bob", 3, ["x"]), ("c", "ada", 1, []), ("d", "cyd", 4, ["z"])]
    ndb.put_multi([Greeting(id=i, author=author, votes=votes, tags=tags) for i, author, votes, tags in rows])


def ids(results):
    return [entity.key.id() for entity in results]


def plain(value):
    """Removes the incomplete keys that the client adds to structures when it reads them."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.to_dict() if isinstance(value, ndb.Model) else value


def test_every_property_comes_back():
    values = dict(
        yes=True,
        whole=2**62,
        fraction=0.1,
        name="naïve ☔",
        text="long " * 1000,
        blob=bytes(range(256)),
        packed=b"z" * 5000,
        json={"a": [1, None, "b"]},
        pickled={1, 2},
        moment=datetime.datetime(2024, 2, 29, 1, 2, 3, 456789),
        day=datetime.date(1999, 12, 31),
        hour=datetime.time(23, 59, 59),
        place=ndb.GeoPt(48.2, 16.37),
        other=ndb.Key("Parent", 1, "Child", "c"),
        words=["a", "b", "a"],
        home=Address(street="Ring", number=1),
        homes=[Address(street="A", number=1), Address(street="B", number=2)],
        hidden=Address(street="H", number=9),
    )
    got = Everything(id="all", **values).put().get()
    for name, value in values.items():
        assert plain(getattr(got, name)) == plain(value), name
    assert got.half == 2**61


def test_nothing_set_comes_back_as_nothing():
    got = Everything(id="none").put().get()
    assert got.name is None and got.words == [] and got.home is None
    assert ids(Everything.query(Everything.name == None)) == ["none"]  # noqa: E711, the client's way to say it


def test_get_put_delete_and_their_multiples():
    keys = ndb.put_multi([Counter(n=i) for i in range(5)])
    assert len({k.id() for k in keys}) == 5
    assert [c.n for c in ndb.get_multi(keys)] == list(range(5))
    keys[0].delete()
    assert keys[0].get() is None
    ndb.delete_multi(keys)
    assert ndb.get_multi(keys) == [None] * 5


def test_get_or_insert_inserts_once():
    assert Counter.get_or_insert("one", n=1).n == 1
    assert Counter.get_or_insert("one", n=2).n == 1


def test_urlsafe_keys_lead_back_to_the_entity():
    key = Counter(id="safe", n=3).put()
    assert ndb.Key(urlsafe=key.urlsafe()).get().n == 3


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: Greeting.author == "ada", ["a", "c"]),
        (lambda: Greeting.author != "ada", ["b", "d"]),
        (lambda: Greeting.votes < 4, ["b", "c"]),
        (lambda: Greeting.votes <= 4, ["b", "c", "d"]),
        (lambda: Greeting.votes > 4, ["a"]),
        (lambda: Greeting.votes >= 4, ["a", "d"]),
        (lambda: Greeting.author.IN(["bob", "cyd"]), ["b", "d"]),
        (lambda: Greeting.author.NOT_IN(["bob", "cyd"]), ["a", "c"]),
        (lambda: Greeting.tags == "x", ["a", "b"]),
        (lambda: ndb.AND(Greeting.author == "ada", Greeting.votes > 1), ["a"]),
        (lambda: ndb.OR(Greeting.author == "cyd", Greeting.votes == 1), ["c", "d"]),
        (lambda: ndb.OR(Greeting.author == "ada", Greeting.tags == "x"), ["a", "b", "c"]),
    ],
)
def test_every_operator(greetings, make, expected):
    assert sorted(ids(Greeting.query(make()).fetch())) == expected


def test_orders_limits_and_offsets(greetings):
    assert ids(Greeting.query().order(Greeting.votes)) == ["c", "b", "d", "a"]
    assert ids(Greeting.query().order(-Greeting.votes)) == ["a", "d", "b", "c"]
    assert ids(Greeting.query().order(Greeting.author, -Greeting.votes)) == ["a", "c", "b", "d"]
    assert ids(Greeting.query().order(Greeting.votes).fetch(2, offset=1)) == ["b", "d"]
    assert Greeting.query().order(-Greeting.votes).get().key.id() == "a"


def test_keys_only_and_projection_and_distinct(greetings):
    assert [k.id() for k in Greeting.query().order(Greeting.votes).fetch(keys_only=True)] == ["c", "b", "d", "a"]
    projected = Greeting.query().order(Greeting.votes).fetch(projection=[Greeting.votes])
    assert [g.votes for g in projected] == [1, 3, 4, 5]
    with pytest.raises(ndb.UnprojectedPropertyError):
        projected[0].author
    distinct = Greeting.query(projection=[Greeting.author], distinct_on=[Greeting.author])
    assert [g.author for g in distinct] == ["ada", "bob", "cyd"]


def test_counts(greetings):
    assert Greeting.query().count() == 4
    assert Greeting.query(Greeting.author == "ada").count() == 2
    assert Greeting.query().count(limit=3) == 3


def test_pages(greetings):
    query = Greeting.query().order(Greeting.votes)
    first, cursor, more = query.fetch_page(2)
    assert ids(first) == ["c", "b"] and more
    second, cursor, more = query.fetch_page(2, start_cursor=cursor)
    assert ids(second) == ["d", "a"]
    third, _, more = query.fetch_page(2, start_cursor=cursor)
    assert third == [] and not more
    again = ndb.Cursor(urlsafe=query.fetch_page(3)[1].urlsafe())
    assert ids(query.fetch_page(2, start_cursor=again)[0]) == ["a"]


def test_ancestors():
    book = ndb.Key("Book", "a")
    Greeting(parent=book, id="in", votes=1).put()
    Greeting(parent=ndb.Key("Book", "b"), id="out", votes=1).put()
    assert ids(Greeting.query(ancestor=book)) == ["in"]
    assert ids(Greeting.query(ancestor=book).order(-Greeting.votes)) == ["in"]


def test_keys_in_filters(greetings):
    assert ids(Greeting.query(Greeting.key > ndb.Key(Greeting, "b"))) == ["c", "d"]
    assert ids(Greeting.query(Greeting.key == ndb.Key(Greeting, "b"))) == ["b"]


def test_a_part_of_a_structured_property_is_queried():
    Everything(id="r", home=Address(street="Ring", number=1)).put()
    Everything(id="p", home=Address(street="Park", number=1)).put()
    assert ids(Everything.query(Everything.home.street == "Park")) == ["p"]
    assert ids(Everything.query(Everything.home == Address(street="Ring", number=1))) == ["r"]


def test_a_part_of_a_repeated_structured_property_is_queried():
    Everything(id="m", homes=[Address(street="A", number=1), Address(street="B", number=2)]).put()
    Everything(id="n", homes=[Address(street="C", number=2)]).put()
    assert ids(Everything.query(Everything.homes.street == "B")) == ["m"]


def test_expando():
    Note(id="n", colour="red", size=3).put()
    got = ndb.Key(Note, "n").get()
    assert (got.colour, got.size) == ("red", 3)
    assert ids(Note.query(ndb.GenericProperty("size") == 3)) == ["n"]


def test_gql(greetings):
    assert ids(ndb.gql("SELECT * FROM Greeting WHERE author = :1 ORDER BY votes", "ada")) == ["c", "a"]
    assert ids(Greeting.gql("WHERE votes > :least ORDER BY votes").bind(least=3)) == ["d", "a"]
    assert ids(ndb.gql("SELECT * FROM Greeting WHERE author IN ('bob', 'cyd') LIMIT 5")) == ["b", "d"]


def test_a_transaction_commits_or_leaves_nothing():
    key = Counter(id="c", n=1).put()

    @ndb.transactional()
    def add():
        counter = key.get()
        counter.n += 1
        counter.put()
        Counter(id="log", n=counter.n).put()

    add()
    assert key.get().n == 2 and ndb.Key(Counter, "log").get().n == 2

    def fail():
        Counter(id="c", n=100).put()
        raise KeyError("on purpose")

    with pytest.raises(KeyError):
        ndb.transaction(fail)
    assert key.get().n == 2


def rival_put(client, namespace, key, n):
    """Another client writes concurrently, outside of the transaction."""
    rival = datastore.Client(project=client.project, namespace=namespace)
    entity = datastore.Entity(rival.key("Counter", key.id()))
    entity["n"] = n
    rival.put(entity)


def test_a_conflict_is_retried_until_it_succeeds(client, namespace):
    key = Counter(id="c", n=1).put()
    attempts = []

    def add():
        counter = key.get()
        attempts.append(counter.n)
        if len(attempts) == 1:
            rival_put(client, namespace, key, 50)
        counter.n += 1
        counter.put()

    ndb.transaction(add)
    assert attempts == [1, 50] and key.get().n == 51


def test_a_conflict_without_retries_is_aborted(client, namespace):
    key = Counter(id="c", n=1).put()

    def add():
        counter = key.get()
        rival_put(client, namespace, key, 50)
        counter.n += 1
        counter.put()

    with pytest.raises(exceptions.Aborted):
        ndb.transaction(add, retries=0)
    assert key.get().n == 50


def test_a_phantom_in_a_query_is_a_conflict(client, namespace):
    Counter(id="c", n=1).put()

    def total():
        seen = Counter.query(Counter.n == 1).fetch()
        rival_put(client, namespace, ndb.Key(Counter, "z"), 1)
        Counter(id="sum", n=len(seen)).put()

    with pytest.raises(exceptions.Aborted):
        ndb.transaction(total, retries=0)
    assert ndb.Key(Counter, "sum").get() is None


def test_a_read_only_transaction_reads_one_snapshot(client, namespace):
    key = Counter(id="c", n=1).put()

    def look():
        before = key.get().n
        rival_put(client, namespace, key, 2)
        return before, key.get(use_cache=False).n, [c.n for c in Counter.query().fetch()]

    assert ndb.transaction(look, read_only=True) == (1, 1, [1])
    assert key.get().n == 2


def test_increments_from_many_threads_are_all_counted(client, namespace):
    key = Counter(id="c", n=0).put()
    failures = []

    def work():
        try:
            with client.context(namespace=namespace, cache_policy=False, global_cache_policy=False):
                for _ in range(5):

                    def add():
                        counter = key.get()
                        counter.n += 1
                        counter.put()

                    ndb.transaction(add, retries=30)
        except Exception as failure:  # reported to the test's own thread
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    assert not failures and key.get().n == 15


def test_allocated_ids_are_distinct():
    keys = Counter.allocate_ids(20)
    assert len({k.id() for k in keys}) == 20


def test_namespaces_do_not_see_each_other(client, namespace):
    Counter(id="c", n=1).put()
    elsewhere = ndb.Key("Counter", "c", namespace=namespace + "x")
    assert elsewhere.get() is None
    assert Counter.query(namespace=namespace + "x").fetch() == []
    assert len(Counter.query(namespace=namespace).fetch()) == 1


def test_named_databases_do_not_see_each_other(context, namespace):
    """A thread may be in one context only, so the other database is accessed from another thread."""
    Counter(id="c", n=1).put()
    seen = []

    def visit():
        ledger = ndb.Client(project="petrichor-clients", database="ledger")
        with ledger.context(namespace=namespace, cache_policy=False, global_cache_policy=False):
            seen.append(ndb.Key("Counter", "c").get())
            Counter(id="c", n=2).put()
            seen.append(ndb.Key("Counter", "c").get().n)

    thread = threading.Thread(target=visit)
    thread.start()
    thread.join(60)
    assert seen == [None, 2] and ndb.Key("Counter", "c").get().n == 1


def test_metadata(namespace):
    Counter(id="c", n=1).put()
    Note(id="n", colour="red").put()
    from google.cloud.ndb import metadata

    assert metadata.get_kinds() == ["Counter", "Note"]
    assert metadata.get_properties_of_kind("Counter") == ["n"]
    assert metadata.get_representations_of_kind("Counter") == {"n": ["INT64"]}
    assert namespace in metadata.get_namespaces()


def test_an_entity_over_one_mebibyte_is_refused():
    with pytest.raises(exceptions.InvalidArgument):
        Everything(id="big", blob=b"x" * 1_100_000).put()
    assert ndb.Key(Everything, "big").get() is None


def test_asynchronous_calls_run_together():
    futures = [Counter(n=i).put_async() for i in range(20)]
    keys = [future.result() for future in futures]
    assert [future.result().n for future in [key.get_async() for key in keys]] == list(range(20))


# Features that this client does not support; clients/README.md lists them, and python-datastore tests them instead.
# When one of these tests fails, the client supports the feature: test it here.


@pytest.mark.parametrize("option", ["read_time", "explain_options"])
def test_cannot_say_read_time_or_explain(option):
    from google.cloud.ndb import _options, query

    assert option not in {*_options.ReadOptions.slots(), *query.QueryOptions.slots()}


@pytest.mark.parametrize("word", ["reserve_ids", "insert", "update", "transform", "sum", "avg", "aggregate"])
def test_cannot_say_reserved_ids_inserts_updates_transforms_sums_and_averages(word):
    assert not hasattr(ndb, word) and not hasattr(ndb.Model, word) and not hasattr(ndb.Query, word)
