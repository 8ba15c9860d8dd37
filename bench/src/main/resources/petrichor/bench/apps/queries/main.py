"""The benchmark of seed 000, chapter 5: parents with 100 children each, four queries, gets, puts and batches."""

import random

import flask
import google.appengine.api
from google.appengine.ext import ndb

CHILDREN = 100
LIMIT = 100

app = flask.Flask(__name__)
app.wsgi_app = google.appengine.api.wrap_wsgi_app(app.wsgi_app)


class Parent(ndb.Model):
    """Has children only."""


class Child(ndb.Model):
    million = ndb.IntegerProperty()
    ten = ndb.IntegerProperty()


class Item(ndb.Model):
    """Of batches, and of gets and puts."""

    million = ndb.IntegerProperty()
    ten = ndb.IntegerProperty()


for kind in (Parent, Child, Item):  # the datastore is measured, not the cache
    kind._use_cache = False
    kind._use_memcache = False


def numbers():
    return {"million": random.randint(1, 1_000_000), "ten": random.randint(1, 10)}


def family(number):
    return f"parent-{number:06d}"


@app.post("/family/<int:number>")
def put_family(number):
    """A parent with its children, in one batch."""
    parent = ndb.Key(Parent, family(number))
    ndb.put_multi([Parent(key=parent)] + [Child(parent=parent, id=i + 1, **numbers()) for i in range(CHILDREN)])
    return "", 204


@app.get("/kindless/<int:number>")
def kindless(number):
    """What follows a parent, of any kind."""
    query = ndb.Query(filters=ndb.FilterNode("__key__", ">", ndb.Key(Parent, family(number))))
    return str(len(query.fetch(LIMIT)))


@app.get("/ancestor/<int:number>")
def ancestor(number):
    return str(len(Child.query(ancestor=ndb.Key(Parent, family(number))).fetch(LIMIT)))


@app.get("/single/<int:number>")
def single(number):
    return str(len(Child.query(Child.million > number).fetch(LIMIT)))


@app.get("/composite/<int:number>")
def composite(number):
    return str(len(Child.query(Child.ten == random.randint(1, 10), Child.million > number).fetch(LIMIT)))


@app.get("/item/<int:number>")
def get_item(number):
    return "1" if Item.get_by_id(number) else "0"


@app.post("/items/<int:count>")
def put_items(count):
    """New entities, in one batch."""
    ndb.put_multi([Item(**numbers()) for _ in range(count)])
    return "", 204


@app.post("/item/<int:number>")
def put_item(number):
    """One with a known id, to be read later."""
    Item(id=number, **numbers()).put()
    return "", 204
