"""The datastore through db, the SDK's first API, and through its functions for entities."""

import datetime

import pytest
from google.appengine.api import datastore, datastore_errors, users
from google.appengine.ext import db
from google.appengine.ext.db import metadata


class Everything(db.Model):
    string = db.StringProperty()
    byte_string = db.ByteStringProperty()
    boolean = db.BooleanProperty()
    integer = db.IntegerProperty()
    float = db.FloatProperty()
    date_time = db.DateTimeProperty()
    date = db.DateProperty()
    time = db.TimeProperty()
    list = db.ListProperty(int)
    strings = db.StringListProperty()
    reference = db.SelfReferenceProperty()
    user = db.UserProperty()
    blob = db.BlobProperty()
    text = db.TextProperty()
    category = db.CategoryProperty()
    link = db.LinkProperty()
    email = db.EmailProperty()
    point = db.GeoPtProperty()
    im = db.IMProperty()
    phone = db.PhoneNumberProperty()
    address = db.PostalAddressProperty()
    rating = db.RatingProperty()


VALUES = {
    "string": "a",
    "byte_string": db.ByteString(b"\xff\x00"),
    "boolean": True,
    "integer": 2**60,
    "float": -0.5,
    "date_time": datetime.datetime(2026, 1, 2, 3, 4, 5, 6),
    "date": datetime.date(2026, 1, 2),
    "time": datetime.time(1, 2, 3),
    "list": [3, 1, 2],
    "strings": [],
    "user": users.User("a@example.org", _auth_domain="example.org"),
    "blob": db.Blob(b"\x00\xff" * 1000),
    "text": db.Text("t" * 2000),
    "category": db.Category("c"),
    "link": db.Link("http://example.org/"),
    "email": db.Email("a@example.org"),
    "point": db.GeoPt(1.5, 2.5),
    "im": db.IM("sip", "a"),
    "phone": db.PhoneNumber("1"),
    "address": db.PostalAddress("street"),
    "rating": db.Rating(5),
}

UNINDEXED = {"blob", "text", "strings", "list", "date", "time"}


def test_every_property_survives(app):
    def check():
        root = Everything(key_name="root")
        root.put()
        key = Everything(key_name="e", reference=root, **VALUES).put()
        found = Everything.get(key)
        for name, value in VALUES.items():
            assert getattr(found, name) == value, name
            assert type(getattr(found, name)) is type(value), name
        assert found.reference.key() == root.key()

    app.run(check)


@pytest.mark.parametrize("name", sorted(set(VALUES) - UNINDEXED))
def test_every_indexed_property_is_found(app, name):
    def check():
        Everything(key_name="e", **VALUES).put()
        assert [e.key().name() for e in Everything.all().filter(name + " =", VALUES[name])] == ["e"]
        assert Everything.all().order("-" + name).get().key().name() == "e"

    app.run(check)


def test_lists_expandos_and_gql(app):
    class Free(db.Expando):
        pass

    def check():
        Free(key_name="a", numbers=[1, 2, 3], word="x").put()
        Free(key_name="b", numbers=[3, 4], word="y").put()
        assert [f.key().name() for f in Free.all().filter("numbers", 2)] == ["a"]
        assert [f.key().name() for f in Free.gql("WHERE numbers = :1 ORDER BY word DESC", 3)] == ["b", "a"]
        assert Free.all().filter("numbers >", 3).count() == 1
        assert [f.key().name() for f in Free.all().filter("word IN", ["y", "z"])] == ["b"]
        assert [f.key().name() for f in Free.all().filter("word !=", "y")] == ["a"]

    app.run(check)


def test_cursors_and_batches(app):
    class Row(db.Model):
        n = db.IntegerProperty()

    def check():
        db.put([Row(key_name=f"{i:04}", n=i) for i in range(700)])
        query = Row.all().order("n")
        assert [r.n for r in query.fetch(100, offset=50)] == list(range(50, 150))
        query.fetch(10)
        cursor = query.cursor()
        assert [r.n for r in Row.all().order("n").with_cursor(cursor).fetch(3)] == [10, 11, 12]
        assert [r.n for r in Row.all().order("n").with_cursor(end_cursor=cursor)] == list(range(10))
        assert [r.n for r in query.run(batch_size=30)] == list(range(700))
        assert Row.all().count(limit=1000) == 700
        assert [r.key().name() for r in db.Query(Row, projection=["n"]).filter("n >", 697)] == ["0698", "0699"]
        assert [k.name() for k in Row.all(keys_only=True).filter("n <", 2)] == ["0000", "0001"]
        db.delete(Row.all(keys_only=True).fetch(None))
        assert Row.all().get() is None

    app.run(check)


def test_iterating_while_changing_what_is_iterated_over(app):
    class Row(db.Model):
        n = db.IntegerProperty()

    def check():
        db.put([Row(key_name=f"{i:04}", n=i) for i in range(100)])
        seen = 0
        for row in Row.all().order("n").run(batch_size=10):
            row.n += 1000
            row.put()
            seen += 1
        assert seen == 100
        assert Row.all().filter("n <", 1000).count() == 0

    app.run(check)


def test_transactions(app):
    class Account(db.Model):
        balance = db.IntegerProperty(default=0)

    def check():
        a, b = db.put([Account(key_name="a", balance=10), Account(key_name="b")])

        def transfer(amount):
            source, target = db.get([a, b])
            source.balance -= amount
            target.balance += amount
            db.put([source, target])
            if source.balance < 0:
                raise db.Rollback()

        xg = db.create_transaction_options(xg=True)
        db.run_in_transaction_options(xg, transfer, 4)
        db.run_in_transaction_options(xg, transfer, 100)
        assert [account.balance for account in db.get([a, b])] == [6, 4]

    app.run(check)


def test_a_conflict_is_a_failed_transaction(app):
    class Account(db.Model):
        balance = db.IntegerProperty(default=0)

    def check():
        key = Account(key_name="a").put()

        def conflicting():
            account = Account.get(key)
            independent = db.create_transaction_options(propagation=db.INDEPENDENT)
            db.run_in_transaction_options(independent, lambda: Account(key_name="a", balance=7).put())
            account.balance = 1
            account.put()

        with pytest.raises(datastore_errors.TransactionFailedError):
            db.run_in_transaction_custom_retries(0, conflicting)
        assert Account.get(key).balance == 7

    app.run(check)


def test_ids(app):
    class Row(db.Model):
        pass

    def check():
        low, high = db.allocate_ids(db.Key.from_path("Row", 1), 5)
        assert high == low + 4
        state = db.allocate_id_range(db.Key.from_path("Row", 1), high + 10, high + 20)
        assert state == db.KEY_RANGE_EMPTY
        assert db.allocate_ids(db.Key.from_path("Row", 1), 1)[0] == high + 21

    app.run(check)


def test_entities_without_models(app):
    def check():
        entity = datastore.Entity("Free", name="f")
        entity["list"] = [1, "a", None]
        entity.set_unindexed_properties(["hidden"])
        entity["hidden"] = "h"
        datastore.Put(entity)
        found = datastore.Get(entity.key())
        assert found == entity and found["list"] == [1, "a", None]
        assert found.unindexed_properties() == frozenset(["hidden"])
        assert datastore.Query("Free", {"hidden =": "h"}).Count() == 0
        datastore.Delete(entity.key())
        with pytest.raises(datastore_errors.EntityNotFoundError):
            datastore.Get(entity.key())

    app.run(check)


def test_the_list_of_indexes(app):
    assert app.run(datastore.GetIndexes) == []


def test_metadata(app):
    class Row(db.Model):
        n = db.IntegerProperty()

    def check():
        Row(key_name="a", n=1).put()
        assert metadata.get_kinds() == ["Row"]
        assert metadata.get_properties_of_kind("Row") == ["n"]
        assert metadata.get_representations_of_kind("Row") == {"n": ["INT64"]}
        assert metadata.get_namespaces() == [""]

    app.run(check)
