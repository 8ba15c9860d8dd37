"""Collects the results of functions, and sends them in batches."""

import bisect
import collections.abc

import pyarrow as pa

from petrichor.jobs.rows import RowWriter, WrongRow, shown


class FunctionFailed(Exception):
    """The user's function failed or returned an invalid result; describes the call and the reason."""

    def __init__(self, where, cause):
        super().__init__(where)
        self.where = where
        self.cause = cause


class Emitter:
    """Collects rows until a batch is full.

    A tuple or a dict is one row, None is no row, a list or a generator is several rows. If there is one field,
    its plain value is a row too.
    """

    def __init__(self, frames, schema, rows_max, bytes_max, what):
        self.frames = frames
        self.schema = schema
        self.writer = RowWriter(schema)
        self.rows_max = self.rows_wanted = rows_max
        self.bytes_max = bytes_max
        self.what = what  # describes the input of a call: a record, a group, a pair
        self.calls = 0  # number of rows before those of `seen`
        self.rows = []
        self.seen = []  # the input of each call
        self.ends = []  # the number of rows after it

    def call(self, function, *arguments, about):
        """Calls the function, and collects its results."""
        self.seen.append(about)
        try:
            self._take(function(*arguments))
        except WrongRow as wrong:
            raise self._blame(wrong) from None
        except Exception as problem:
            raise FunctionFailed(self.where(len(self.seen) - 1), problem) from problem
        self.ends.append(len(self.rows))

    def _take(self, result):
        if isinstance(result, tuple):
            self.rows.append(result)
            if len(self.rows) >= self.rows_wanted:
                self.flush_rows()
        elif result is None:
            pass
        elif isinstance(result, (list, collections.abc.Iterator)):
            for row in result:
                self.rows.append(row)
                if len(self.rows) >= self.rows_wanted:
                    self.flush_rows()
        else:
            self._take_alone(result)

    def _take_alone(self, row):
        self.rows.append(row)
        if len(self.rows) >= self.rows_wanted:
            self.flush_rows()

    def flush(self):
        """Sends the collected rows, after the last of several calls."""
        try:
            self.flush_rows()
        except WrongRow as wrong:
            raise self._blame(wrong) from None
        self.calls += len(self.seen)
        self.seen.clear()
        self.ends.clear()

    def flush_rows(self):
        if self.rows:
            batch = self.writer.batch(self.rows)
            self.frames.write_batch(batch)
            # Rows are not measured one by one: the previous batch determines the number of rows of a full one.
            fitting = self.bytes_max * len(self.rows) // max(1, batch.nbytes)
            self.rows_wanted = min(self.rows_max, max(1, fitting))
            self.rows = []
            self.ends = [0] * len(self.ends)

    def _blame(self, wrong):
        """Finds the call that returned a wrong row: the first one after which there were more rows than precede it."""
        return FunctionFailed(self.where(bisect.bisect_right(self.ends, wrong.at)), wrong)

    def where(self, call):
        if call >= len(self.seen):
            call = len(self.seen) - 1
        return f"{self.what} {self.calls + call + 1:,}: {shown(self.seen[call])}" if self.seen else ""

    # ---- whole batches

    def call_with_batches(self, function, *arguments, about):
        self.seen[:] = [about]
        try:
            result = function(*arguments)
            for batch in _batches(result):
                self._send(self._fitting(batch))
        except Exception as problem:
            raise FunctionFailed(self.where(0), problem) from problem
        self.calls += 1
        self.seen.clear()

    def _fitting(self, batch):
        names = self.schema.names
        if batch.schema.names != names:
            if sorted(batch.schema.names) != sorted(names):
                raise TypeError(f"a batch of ({', '.join(batch.schema.names)}) was emitted instead of ({', '.join(names)})")
            batch = batch.select(names)
        columns = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, self.schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _send(self, batch):
        fitting = max(1, min(self.rows_max, self.bytes_max * batch.num_rows // max(1, batch.nbytes)))
        for at in range(0, batch.num_rows, fitting):
            self.frames.write_batch(batch.slice(at, fitting))


def _batches(result):
    if result is None:
        return
    if isinstance(result, pa.RecordBatch):
        yield result
    elif isinstance(result, pa.Table):
        yield from result.to_batches()
    elif isinstance(result, (list, collections.abc.Iterator)):
        for part in result:
            yield from _batches(part)
    else:
        raise TypeError(f"{shown(result)} was emitted instead of an Arrow record batch or table")
