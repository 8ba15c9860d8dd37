"""Ready-made figures over the records of a key: computed by the engine, without a way through Python.

Nulls are passed over, as in SQL; a figure over nothing but nulls is null.
"""

from typing import NamedTuple


class Figure(NamedTuple):
    kind: str
    field: str | None

    def type_over(self, fields):
        """What it holds, given the types of the fields that it is taken of."""
        if self.kind == "count":
            return "INT64"
        if self.kind == "average":
            return "FLOAT64"
        if self.kind == "sum":
            return "FLOAT64" if fields[self.field] == "FLOAT64" else "INT64"
        return fields[self.field]


def count():
    """How many records there are, those with nulls too."""
    return Figure("count", None)


def sum_of(field):
    return Figure("sum", field)


def min_of(field):
    return Figure("min", field)


def max_of(field):
    return Figure("max", field)


def average_of(field):
    return Figure("average", field)
