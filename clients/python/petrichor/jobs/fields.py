"""Types of fields, in the names of Petrichor, Python and Arrow."""

import pyarrow as pa


class PlanError(ValueError):
    """An invalid plan; the text gives the reason."""


ARROW = {
    "BOOLEAN": pa.bool_(),
    "INT32": pa.int32(),
    "INT64": pa.int64(),
    "FLOAT64": pa.float64(),
    "TEXT": pa.string(),
    "BYTES": pa.binary(),
}
PYTHON = {bool: "BOOLEAN", int: "INT64", float: "FLOAT64", str: "TEXT", bytes: "BYTES"}
WORDS = {"boolean": "BOOLEAN", "int32": "INT32", "int64": "INT64", "float64": "FLOAT64", "text": "TEXT", "bytes": "BYTES"}


def type_of(name, said):
    """The name of a field's type, for `int`, `"int32"` or `pa.int32()`."""
    if isinstance(said, str) and said.lower() in WORDS:
        return WORDS[said.lower()]
    if isinstance(said, type) and said in PYTHON:
        return PYTHON[said]
    for known, arrow in ARROW.items():
        if isinstance(said, pa.DataType) and said == arrow:
            return known
    raise PlanError(
        f"field {name!r} cannot hold {said!r}: say int, float, str, bool or bytes, or one of {', '.join(WORDS)}"
    )


def fields_of(said):
    """Pairs of name and type, from a dict, an Arrow schema, or such pairs."""
    if isinstance(said, pa.Schema):
        pairs = [(field.name, field.type) for field in said]
    elif isinstance(said, dict):
        pairs = list(said.items())
    else:
        pairs = [tuple(pair) for pair in said]
    if not pairs:
        raise PlanError("a record needs at least one field")
    fields = [(str(name), type_of(name, kind)) for name, kind in pairs]
    names = [name for name, _ in fields]
    for name in names:
        if names.count(name) > 1:
            raise PlanError(f"two fields have the name {name!r}")
    return fields


def schema_of(fields):
    return pa.schema([pa.field(name, ARROW[kind]) for name, kind in fields])
