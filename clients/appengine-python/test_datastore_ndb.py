"""The datastore through ndb."""

import datetime

import pytest
from google.appengine.api import datastore_errors, users
from google.appengine.ext import ndb
from google.appengine.ext.ndb import metadata


class Author(ndb.Model):
    name = ndb.StringProperty()


class Inner(ndb.Model):
    street = ndb.StringProperty()
    number = ndb.IntegerProperty()


class Note(ndb.Model):
    text = ndb.TextProperty()
    title = ndb.StringProperty()
    number = ndb.IntegerProperty()
    ratio = ndb.FloatProperty()
    done = ndb.BooleanProperty()
    when = ndb.DateTimeProperty()
    day = ndb.DateProperty()
    time = ndb.TimeProperty()
    place = ndb.GeoPtProperty()
    author = ndb.KeyProperty(kind="Author")
    user = ndb.UserProperty()
    blob = ndb.BlobProperty()
    indexed_blob = ndb.BlobProperty(indexed=True)
    compressed = ndb.BlobProperty(compressed=True)
    json = ndb.JsonProperty()
    pickle = ndb.PickleProperty()
    tags = ndb.StringProperty(repeated=True)
    inner = ndb.StructuredProperty(Inner)
    inners = ndb.StructuredProperty(Inner, repeated=True)
    local = ndb.LocalStructuredProperty(Inner)
    locals_ = ndb.LocalStructuredProperty(Inner, repeated=True, compressed=True)
    upper = ndb.ComputedProperty(lambda self: (self.title or "").upper())
    generic = ndb.GenericProperty()


class Counter(ndb.Model):
    count = ndb.IntegerProperty(default=0)


def everything():
    return Note(
        id="n",
        text="long " * 400,
        title="Emma",
        number=-(2**40),
        ratio=0.25,
        done=True,
        when=datetime.datetime(2026, 1, 2, 3, 4, 5, 6),
        day=datetime.date(1999, 12, 31),
        time=datetime.time(23, 59, 1),
        place=ndb.GeoPt(52.5, -13.25),
        author=ndb.Key(Author, "jane"),
        user=users.User("jane@example.org", _auth_domain="example.org"),
        blob=b"\x00\xff",
        indexed_blob=b"\xff\x01",
        compressed=b"z" * 5000,
        json={"a": [1, 2]},
        pickle=("x", 1),
        tags=["b", "a", "b"],
        inner=Inner(street="High", number=1),
        inners=[Inner(street="Low", number=2), Inner(street=None, number=3)],
        local=Inner(street="Local", number=4),
        locals_=[Inner(number=5)],
        generic=7,
    )


def uncached(key):
    return key.get(use_cache=False, use_memcache=False)


def test_every_property_survives(app):
    def check():
        note = everything()
        key = note.put()
        found = uncached(key)
        assert found is not note
        assert found == note
        assert Note.query(Note.title == "Emma").get(use_cache=False) == note

    app.run(check)


@pytest.mark.parametrize(
    "condition",
    [
        lambda: Note.number < 0,
        lambda: Note.ratio == 0.25,
        lambda: Note.done == True,  # noqa: E712
        lambda: Note.when == datetime.datetime(2026, 1, 2, 3, 4, 5, 6),
        lambda: Note.when > datetime.datetime(2025, 1, 1),
        lambda: Note.day == datetime.date(1999, 12, 31),
        lambda: Note.place == ndb.GeoPt(52.5, -13.25),
        lambda: Note.author == ndb.Key(Author, "jane"),
        lambda: Note.user == users.User("jane@example.org", _auth_domain="example.org"),
        lambda: Note.indexed_blob == b"\xff\x01",
        lambda: Note.tags == "a",
        lambda: ndb.AND(Note.tags == "a", Note.tags == "b"),
        lambda: Note.tags.IN(["x", "a"]),
        lambda: Note.title != "Pride",
        lambda: ndb.OR(Note.title == "Persuasion", Note.number < 5),
        lambda: Note.inner.street == "High",
        lambda: Note.inners == Inner(street="Low", number=2),
        lambda: Note.upper == "EMMA",
        lambda: Note.key == ndb.Key(Note, "n"),
        lambda: Note.generic == 7,
    ],
)
def test_queries_find_it(app, condition):
    def check():
        everything().put()
        Note(id="other", title="Pride", number=7).put()
        assert [note.key.id() for note in Note.query(condition())] == ["n"]

    app.run(check)


def test_ids_parents_and_kinds(app):
    def check():
        first, second = ndb.put_multi([Author(name="a"), Author(name="b")])
        assert first.id() and first.id() != second.id()
        child = Note(parent=first, title="child").put()
        assert Note.query(ancestor=first).get().key == child
        assert [e.key for e in ndb.Query(ancestor=first).iter()] == [first, child]
        low, high = Author.allocate_ids(size=10)
        assert high - low == 9
        assert Author.allocate_ids(max=high + 50)[1] == high + 50
        ndb.delete_multi([first, second, child])
        assert ndb.get_multi([first, child], use_cache=False, use_memcache=False) == [None, None]

    app.run(check)


def test_large_batches(app):
    def check():
        keys = ndb.put_multi([Author(id=i, name=f"{i:04}") for i in range(1, 1201)])
        assert [a.key for a in ndb.get_multi(keys, use_cache=False, use_memcache=False)] == keys
        assert [a.name for a in Author.query().order(Author.name)] == [f"{i:04}" for i in range(1, 1201)]
        assert Author.query().count() == 1200
        assert Author.query().count(limit=1100) == 1100
        assert [a.name for a in Author.query().order(Author.name).fetch(2, offset=1150)] == ["1151", "1152"]

    app.run(check)


def test_entities_of_many_bytes(app):
    def check():
        keys = ndb.put_multi([Note(id=i, blob=bytes(900_000)) for i in range(1, 31)])
        notes = ndb.get_multi(keys, use_cache=False, use_memcache=False)
        assert [len(note.blob) for note in notes] == [900_000] * 30
        assert len(Note.query().fetch(batch_size=30)) == 30

    app.run(check)


def test_pages_and_cursors(app):
    def check():
        ndb.put_multi([Author(id=i, name=f"{i:02}") for i in range(1, 31)])
        query = Author.query().order(Author.name)
        page, cursor, more = query.fetch_page(12)
        assert [a.name for a in page] == [f"{i:02}" for i in range(1, 13)] and more
        again = ndb.Cursor(urlsafe=cursor.urlsafe())
        page, cursor, more = query.fetch_page(12, start_cursor=again)
        assert [a.name for a in page] == [f"{i:02}" for i in range(13, 25)] and more
        page, cursor, more = query.fetch_page(12, start_cursor=cursor)
        assert [a.name for a in page] == [f"{i:02}" for i in range(25, 31)] and not more
        assert query.fetch(end_cursor=again) == query.fetch(12)
        assert query.fetch(end_cursor=ndb.Cursor()) == []
        iterator = query.iter(produce_cursors=True)
        for _ in range(5):
            next(iterator)
        assert query.fetch(1, start_cursor=iterator.cursor_after())[0].name == "06"
        assert query.fetch(1, start_cursor=iterator.cursor_before())[0].name == "05"

    app.run(check)


def test_pages_backwards(app):
    def check():
        ndb.put_multi([Author(id=i, name=f"{i % 7}") for i in range(1, 31)])
        forward = Author.query().order(Author.name, Author.key)
        backward = Author.query().order(-Author.name, -Author.key)
        page, cursor, _ = forward.fetch_page(10)
        assert backward.fetch(start_cursor=cursor) == page[::-1]
        assert backward.fetch(end_cursor=cursor) == forward.fetch()[10:][::-1]

    app.run(check)


def test_projections_and_distinct(app):
    def check():
        ndb.put_multi([Note(id=i, number=i % 3, title=f"t{i % 2}", tags=["a", "b"]) for i in range(1, 13)])
        found = Note.query().order(Note.number).fetch(projection=[Note.number])
        assert [n.number for n in found] == [0] * 4 + [1] * 4 + [2] * 4
        groups = Note.query(projection=[Note.number, Note.title], group_by=[Note.number, Note.title]).fetch()
        assert {(n.number, n.title) for n in groups} == {(n, t) for n in range(3) for t in ("t0", "t1")}
        assert [n.number for n in Note.query(projection=[Note.number], distinct=True)] == [0, 1, 2]
        assert len(Note.query().fetch(projection=[Note.tags])) == 24
        assert [key.id() for key in Note.query(Note.number == 0).fetch(keys_only=True)] == [3, 6, 9, 12]

    app.run(check)


def test_gql(app):
    def check():
        ndb.put_multi([Author(id=i, name=f"{i}") for i in range(1, 6)])
        found = ndb.gql("SELECT * FROM Author WHERE name > :1 ORDER BY name DESC LIMIT 2", "2").fetch()
        assert [a.name for a in found] == ["5", "4"]

    app.run(check)


def test_namespaces(app):
    def check():
        Author(id="a", namespace="x", name="of x").put()
        Author(id="a", name="default").put()
        assert Author.query(namespace="x").get().name == "of x"
        assert Author.query().get().name == "default"
        assert metadata.get_namespaces() == ["", "x"]
        assert metadata.get_kinds() == ["Author"]
        assert metadata.get_representations_of_kind("Author") == {"name": ["STRING"]}
        assert metadata.get_properties_of_kind("Author") == ["name"]

    app.run(check)


def test_transactions_commit_or_roll_back(app):
    def check():
        key = Counter(id="c").put()

        @ndb.transactional
        def increment(fail=False):
            counter = key.get()
            counter.count += 1
            counter.put()
            Author(parent=key, name="log").put()
            if fail:
                raise ndb.Rollback()

        increment()
        increment(fail=True)
        assert uncached(key).count == 1
        assert Author.query(ancestor=key).count() == 1

    app.run(check)


def test_conflicting_transactions_are_retried(app):
    def check():
        key = Counter(id="c").put()
        interfere = [True]

        @ndb.transactional(retries=3)
        def increment():
            counter = key.get()
            if interfere.pop() if interfere else False:
                other_transaction(lambda: Counter(id="c", count=10).put())
            counter.count += 1
            counter.put()

        def other_transaction(work):
            ndb.transaction(work, propagation=ndb.TransactionOptions.INDEPENDENT)

        increment()
        assert uncached(key).count == 11

    app.run(check)


def test_a_conflict_without_retries_fails(app):
    def check():
        key = Counter(id="c").put()

        @ndb.transactional(retries=0)
        def increment():
            counter = key.get()
            ndb.transaction(
                lambda: Counter(id="c", count=10).put(), propagation=ndb.TransactionOptions.INDEPENDENT
            )
            counter.count += 1
            counter.put()

        with pytest.raises(datastore_errors.TransactionFailedError):
            increment()
        assert uncached(key).count == 10

    app.run(check)


def test_transactions_across_groups(app):
    def check():
        keys = [Counter(id=f"c{i}").put() for i in range(30)]

        @ndb.transactional(xg=True)
        def increment_all():
            counters = ndb.get_multi(keys)
            for counter in counters:
                counter.count += 1
            ndb.put_multi(counters)

        increment_all()
        assert sum(c.count for c in ndb.get_multi(keys, use_cache=False, use_memcache=False)) == 30

    app.run(check)


def test_get_or_insert_and_hooks(app):
    def check():
        assert Author.get_or_insert("a", name="first").name == "first"
        assert Author.get_or_insert("a", name="second").name == "first"

    app.run(check)


def test_errors(app):
    def check():
        with pytest.raises(datastore_errors.BadRequestError, match="reserved"):
            ndb.Key("__reserved__", 1).get() or ndb.Model(key=ndb.Key("__reserved__", 1)).put()
        with pytest.raises(Exception, match="cannot access app"):
            ndb.Key("Author", "a", app="s~another-app").get()

    app.run(check)


def test_apps_do_not_see_each_other(app, make_app):
    other = make_app()
    app.run(lambda: Author(id="a", name="mine").put())
    assert other.run(lambda: Author.get_by_id("a", use_cache=False, use_memcache=False)) is None
    assert other.run(lambda: Author.query().fetch()) == []
