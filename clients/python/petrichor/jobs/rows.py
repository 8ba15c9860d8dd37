"""Conversion between record batches and named tuples."""

import collections

import pyarrow as pa

SHOWN_CHARS_MAX = 200


class RowReader:
    """Converts batches to rows: named tuples, whose fields also have indexes."""

    def __init__(self, schema):
        row = collections.namedtuple("Row", schema.names, rename=True)
        for own, name in zip(row._fields, schema.names, strict=True):
            # Names that named tuples do not accept, such as __key__.
            if own != name and not hasattr(row, name):
                setattr(row, name, getattr(row, own))
        self.make = row._make

    def rows(self, batch):
        return list(map(self.make, zip(*[column.to_pylist() for column in batch.columns])))


class WrongRow(TypeError):
    """A function returned a row of the wrong type; `at` is the index of the row."""

    def __init__(self, at, text):
        super().__init__(text)
        self.at = at


class RowWriter:
    """Converts results of functions to batches."""

    def __init__(self, schema):
        self.schema = schema
        self.names = schema.names

    def batch(self, rows):
        rows = self._tuples(rows)
        columns = list(zip(*rows))
        arrays = []
        for field, column in zip(self.schema, columns, strict=True):
            self._refuse_what_arrow_bends(field, column)
            try:
                arrays.append(pa.array(column, type=field.type))
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as problem:
                raise self._wrong(field, column, problem) from None
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _refuse_what_arrow_bends(self, field, column):
        """Refuses values that Arrow would convert silently: floats to integers, and bytes to texts."""
        refused = float if pa.types.is_integer(field.type) else bytes if field.type == pa.string() else None
        if refused is not None and any(issubclass(kind, refused) for kind in set(map(type, column))):
            at = next(at for at, value in enumerate(column) if isinstance(value, refused))
            kind = type(column[at]).__name__
            raise WrongRow(at, f"{shown(column[at])} ({kind}) was emitted as field {field.name!r}, which holds {field.type}")

    def _tuples(self, rows):
        width = len(self.names)
        if all(issubclass(kind, tuple) for kind in set(map(type, rows))) and set(map(len, rows)) == {width}:
            return rows
        return [self._tuple(at, row) for at, row in enumerate(rows)]

    def _tuple(self, at, row):
        if isinstance(row, tuple):
            if len(row) == len(self.names):
                return row
        elif isinstance(row, dict):
            if row.keys() == set(self.names):
                return tuple(row[name] for name in self.names)
        elif len(self.names) == 1:
            return (row,)
        raise WrongRow(at, f"{shown(row)} was emitted instead of a row of ({', '.join(self.names)})")

    def _wrong(self, field, column, problem):
        for at, value in enumerate(column):
            try:
                pa.array([value], type=field.type)
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as reason:
                kind = type(value).__name__
                text = f"{shown(value)} ({kind}) was emitted as field {field.name!r}, which holds {field.type}: {reason}"
                return WrongRow(at, text)
        return WrongRow(0, f"field {field.name!r} cannot be made of what was emitted: {problem}")


def shown(value):
    """A value for error messages; large values are shortened."""
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS_MAX else text[:SHOWN_CHARS_MAX] + "…"
