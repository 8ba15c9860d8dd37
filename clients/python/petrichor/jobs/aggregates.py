"""Predefined aggregates over the records of a key, computed by the engine without calling Python.

Nulls are ignored, as in SQL; an aggregate over nulls only is null.
"""

from typing import NamedTuple


class Aggregate(NamedTuple):
    kind: str
    field: str | None

    def type_over(self, fields):
        """The type of the result, given the types of the aggregated fields."""
        if self.kind == "count":
            return "INT64"
        if self.kind == "average":
            return "FLOAT64"
        if self.kind == "sum":
            return "FLOAT64" if fields[self.field] == "FLOAT64" else "INT64"
        return fields[self.field]


def count():
    """The number of records, including those with nulls."""
    return Aggregate("count", None)


def sum_of(field):
    return Aggregate("sum", field)


def min_of(field):
    return Aggregate("min", field)


def max_of(field):
    return Aggregate("max", field)


def average_of(field):
    return Aggregate("average", field)
