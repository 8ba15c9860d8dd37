"""Arguments and outputs as JSON, with references to outputs of other steps.

JSON has texts, numbers, lists and dictionaries. In addition, there are keys of ndb, functions and classes by their
names, functions with given arguments (`functools.partial`), the sources and sinks of MapReduce, and futures. A tuple
becomes a list.
"""

import dataclasses
import functools
import importlib
import json

from google.appengine.ext import ndb

VALUE_BYTES_MAX = 500_000  # an entity has at most 1 MiB

_objects = {}


class InvalidValue(Exception):
    """A value cannot be stored. Retrying does not help."""


class Future:
    """The output of a step that has not ended yet. `future["name"]` is an item of the output."""

    def __init__(self, step, path=()):
        self.step = step
        self.path = path

    def __getitem__(self, item):
        return Future(self.step, (*self.path, item))

    def __iter__(self):
        raise TypeError("the output is not known yet: pass the future to another pipeline, whose run receives the value")

    def __bool__(self):
        raise TypeError("the output is not known yet: pass the future to another pipeline, whose run receives the value")


def describes(cls):
    """Decorates dataclasses that can be arguments."""
    _objects[cls.__name__] = cls
    return cls


def name_of(thing):
    """The module and name of a function or class."""
    if thing.__module__ == "__main__" or "<" in thing.__qualname__:
        raise InvalidValue(
            f"{thing.__module__}.{thing.__qualname__} cannot be found by another process: define it at the top level of a"
            " module that is not the main program"
        )
    return f"{thing.__module__}:{thing.__qualname__}"


def named(name):
    """The function or class of a name."""
    module, _, path = name.partition(":")
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def dump(value):
    text = json.dumps(_encoded(value), separators=(",", ":"))
    if len(text) > VALUE_BYTES_MAX:
        raise InvalidValue(
            f"a value of {len(text):,} bytes is larger than {VALUE_BYTES_MAX:,}: store it as entities or objects, and pass keys"
        )
    return text


def load(text, outputs=None):
    """The value of a text; `outputs` has those of all steps to which it refers, as texts."""
    return _decoded(json.loads(text), outputs or {})


def references(text):
    """The steps to whose outputs the text refers."""
    found = set()

    def visit(value):
        if isinstance(value, dict):
            if "$future" in value:
                found.add(value["$future"])
            else:
                for item in value.values():
                    visit(item)
        elif isinstance(value, list):
            for item in value:
                visit(item)

    visit(json.loads(text))
    return found


def _encoded(value):
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [_encoded(item) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise InvalidValue("the names in a dictionary must be texts")
        items = {name: _encoded(item) for name, item in value.items()}
        return {"$items": items} if any(name.startswith("$") for name in value) else items
    if isinstance(value, Future):
        return {"$future": value.step, "path": list(value.path)}
    if isinstance(value, ndb.Key):
        return {"$key": value.urlsafe().decode()}
    if type(value).__name__ in _objects:
        fields = {field.name: _encoded(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"$object": type(value).__name__, "fields": fields}
    if isinstance(value, functools.partial):
        return {"$partial": [_encoded(value.func), _encoded(value.args), _encoded(value.keywords)]}
    if callable(value) and hasattr(value, "__qualname__"):
        return {"$name": name_of(value)}
    raise InvalidValue(f"a {type(value).__name__} cannot be stored: pass its key, or JSON values")


def _decoded(value, outputs):
    if isinstance(value, list):
        return [_decoded(item, outputs) for item in value]
    if not isinstance(value, dict):
        return value
    if "$future" in value:
        found = _decoded(json.loads(outputs[value["$future"]]), outputs)
        for item in value["path"]:
            found = found[item]
        return found
    if "$key" in value:
        return ndb.Key(urlsafe=value["$key"].encode())
    if "$object" in value:
        fields = {name: _decoded(item, outputs) for name, item in value["fields"].items()}
        return _objects[value["$object"]](**fields)
    if "$partial" in value:
        function, arguments, options = (_decoded(part, outputs) for part in value["$partial"])
        return functools.partial(function, *arguments, **options)
    if "$name" in value:
        return named(value["$name"])
    items = value.get("$items", value)
    return {name: _decoded(item, outputs) for name, item in items.items()}
