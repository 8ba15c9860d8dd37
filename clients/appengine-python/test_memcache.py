"""google.appengine.api.memcache."""

import time

import pytest
from google.appengine.api import memcache, namespace_manager


def in_namespace(name, function, *arguments):
    namespace_manager.set_namespace(name)
    return function(*arguments)


def test_values_of_every_type(app):
    values = {
        "text": "välue",
        "bytes": b"\x00\xff",
        "int": -5,
        "long": 2**70,
        "true": True,
        "false": False,
        "none": None,
        "list": [1, {"a": (2, 3)}],
        "empty": "",
    }
    assert app.run(memcache.set_multi, values) == []
    assert app.run(memcache.get_multi, list(values)) == values
    assert app.run(memcache.get_multi, ["text"], key_prefix="none-") == {}


def test_set_add_replace_delete(app):
    assert app.run(memcache.replace, "k", 1) is False
    assert app.run(memcache.add, "k", 1) is True
    assert app.run(memcache.add, "k", 2) is False
    assert app.run(memcache.replace, "k", 3) is True
    assert app.run(memcache.get, "k") == 3
    assert app.run(memcache.delete, "k") == memcache.DELETE_SUCCESSFUL
    assert app.run(memcache.delete, "k") == memcache.DELETE_ITEM_MISSING
    assert app.run(memcache.get, "k") is None


def test_many_at_once(app):
    assert app.run(memcache.set_multi, {"a": 1, "b": 2}, key_prefix="p") == []
    assert app.run(memcache.get_multi, ["a", "b", "c"], key_prefix="p") == {"a": 1, "b": 2}
    assert app.run(memcache.add_multi, {"a": 9, "c": 3}, key_prefix="p") == ["a"]
    assert app.run(memcache.replace_multi, {"a": 10, "d": 4}, key_prefix="p") == ["d"]
    assert app.run(memcache.delete_multi, ["a", "b", "c"], key_prefix="p") is True
    assert app.run(memcache.get_multi, ["a", "b", "c"], key_prefix="p") == {}


def test_compare_and_set(app):
    app.run(memcache.set, "k", 1)
    client = memcache.Client()
    assert app.run(client.gets, "k") == 1
    assert app.run(client.cas, "k", 2) is True
    assert app.run(client.cas, "k", 3) is False
    app.run(client.gets, "k")
    app.run(memcache.set, "k", 5)
    assert app.run(client.cas, "k", 4) is False
    assert app.run(memcache.get, "k") == 5


def test_compare_and_set_of_many(app):
    app.run(memcache.set_multi, {"a": 1, "b": 2})
    client = memcache.Client()
    assert app.run(client.get_multi, ["a", "b"], for_cas=True) == {"a": 1, "b": 2}
    app.run(memcache.set, "b", 7)
    assert app.run(client.cas_multi, {"a": 3, "b": 4}) == ["b"]
    assert app.run(memcache.get_multi, ["a", "b"]) == {"a": 3, "b": 7}


def test_a_delete_with_a_lock(app):
    app.run(memcache.set, "k", 1)
    assert app.run(memcache.delete, "k", seconds=60) == memcache.DELETE_SUCCESSFUL
    assert app.run(memcache.add, "k", 2) is False
    assert app.run(memcache.replace, "k", 2) is False
    assert app.run(memcache.set, "k", 3) is True
    assert app.run(memcache.get, "k") == 3


def test_counters(app):
    assert app.run(memcache.incr, "n") is None
    assert app.run(memcache.incr, "n", initial_value=10) == 11
    assert app.run(memcache.incr, "n", delta=5) == 16
    assert app.run(memcache.decr, "n", delta=6) == 10
    assert app.run(memcache.get, "n") == 10
    assert app.run(memcache.decr, "n", delta=100) == 0
    app.run(memcache.set, "top", 2**64 - 1)
    assert app.run(memcache.incr, "top", delta=2) == 1
    app.run(memcache.set, "text", "x")
    assert app.run(memcache.incr, "text") is None


def test_counters_of_many(app):
    app.run(memcache.set_multi, {"a": 1, "text": "x"})
    assert app.run(memcache.offset_multi, {"a": 4, "b": -1, "text": 1}) == {"a": 5, "b": None, "text": None}
    assert app.run(memcache.offset_multi, {"a": -2, "b": 1}, initial_value=7) == {"a": 3, "b": 8}


def test_items_expire(app):
    app.run(memcache.set, "short", 1, time=1)
    app.run(memcache.set, "absolute", 1, time=int(time.time()) + 1)
    app.run(memcache.set, "long", 1, time=600)
    app.run(memcache.set, "past", 1, time=int(time.time()) - 60)
    deadline = time.monotonic() + 30
    while app.run(memcache.get_multi, ["short", "absolute", "past"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert app.run(memcache.get_multi, ["short", "absolute", "long", "past"]) == {"long": 1}


def test_namespaces(app):
    app.run(in_namespace, "one", memcache.set, "k", 1)
    app.run(memcache.set, "k", 2, namespace="two")
    assert app.run(memcache.get, "k") is None
    assert app.run(memcache.get, "k", namespace="one") == 1
    assert app.run(in_namespace, "two", memcache.get, "k") == 2


def test_long_keys_are_hashed_by_the_sdk(app):
    key = "k" * 1000
    app.run(memcache.set, key, 1)
    assert app.run(memcache.get, key) == 1
    assert app.run(memcache.get_multi, [key]) == {key: 1}


def test_values_up_to_one_megabyte(app):
    largest = b"x" * memcache.MAX_VALUE_SIZE
    assert app.run(memcache.set, "k", largest) is True
    assert app.run(memcache.get, "k") == largest
    with pytest.raises(ValueError):
        app.run(memcache.set, "k", largest + b"x")


def test_flush_and_statistics(app, make_app):
    other = make_app()
    other.run(memcache.set, "k", 1)
    app.run(memcache.set, "k", "value")
    app.run(memcache.get_multi, ["k", "missing"])
    stats = app.run(memcache.get_stats)
    assert (stats["hits"], stats["misses"], stats["byte_hits"]) == (1, 1, 6)
    assert (stats["items"], stats["bytes"]) == (1, 6)
    assert stats["oldest_item_age"] <= 30
    assert app.run(memcache.flush_all) is True
    assert app.run(memcache.get, "k") is None
    assert other.run(memcache.get, "k") == 1
