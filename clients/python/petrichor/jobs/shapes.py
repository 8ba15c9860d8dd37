"""Calling conventions of functions: by rows or by batches, once per record, group or pair.

Parameters of each: the function, the batches, the emitter for its results, the schemas of the inputs, and the indexes
of the key's fields, per input.
"""

import operator

import pyarrow as pa

from petrichor.jobs.emitter import FunctionFailed
from petrichor.jobs.rows import RowReader, shown


def rows(function, frames, emitter, inputs, _keys):
    reader = RowReader(inputs[0])
    call = emitter.call
    for _, (batch,) in frames:
        for row in read(reader, batch, emitter):
            call(function, row, about=row)
        emitter.flush()


def batches(function, frames, emitter, _inputs, _keys):
    for _, (batch,) in frames:
        emitter.call_with_batches(function, batch, about=f"of {batch.num_rows} records")


def row_filter(function, frames, emitter, inputs, _keys):
    reader = RowReader(inputs[0])
    seen = 0
    for _, (batch,) in frames:
        verdicts = []
        for row in read(reader, batch, emitter):
            try:
                verdicts.append(bool(function(row)))
            except Exception as problem:
                where = f"record {seen + len(verdicts) + 1:,}: {shown(row)}"
                raise FunctionFailed(where, problem) from problem
        seen += len(verdicts)
        emitter.frames.write_batch(pa.RecordBatch.from_arrays([pa.array(verdicts, pa.bool_())], schema=emitter.schema))


def batch_filter(function, frames, emitter, _inputs, _keys):
    for number, (_, (batch,)) in enumerate(frames, 1):
        try:
            verdicts = function(batch)
            if isinstance(verdicts, pa.ChunkedArray):
                verdicts = verdicts.combine_chunks()
            elif not isinstance(verdicts, pa.Array):
                verdicts = pa.array(verdicts, pa.bool_())
            if verdicts.type != pa.bool_() or len(verdicts) != batch.num_rows:
                raise TypeError(
                    f"{len(verdicts)} values of {verdicts.type} were returned for {batch.num_rows} records: "
                    "a filter returns one boolean for each"
                )
        except Exception as problem:
            raise FunctionFailed(f"batch {number:,} of {batch.num_rows} records", problem) from problem
        emitter.frames.write_batch(pa.RecordBatch.from_arrays([verdicts], schema=emitter.schema))


def row_groups(function, frames, emitter, inputs, keys):
    reader = RowReader(inputs[0])
    key_of = operator.itemgetter(*keys[0])
    groups = Groups(frames, lambda batch: read(reader, batch, emitter))
    while groups.advance():
        key = key_of(groups.items[groups.at])
        emitter.call(function, key, groups.rest(), about=key)
        if groups.fresh:
            emitter.flush()
            groups.fresh = False
    emitter.flush()


def batch_groups(function, frames, emitter, _inputs, keys):
    groups = Groups(frames, Rows)
    while groups.advance():
        key = tuple(groups.items.batch.column(field)[groups.at].as_py() for field in keys[0])
        key = key[0] if len(key) == 1 else key
        emitter.call_with_batches(function, key, groups.parts(), about=key)


def row_pairs(function, frames, emitter, inputs, _keys):
    readers = [RowReader(schema) for schema in inputs]
    call = emitter.call
    for _, (left, right) in frames:
        for a, b in zip(read(readers[0], left, emitter), read(readers[1], right, emitter), strict=True):
            call(function, a, b, about=(a, b))
        emitter.flush()


def batch_pairs(function, frames, emitter, _inputs, _keys):
    for _, (left, right) in frames:
        emitter.call_with_batches(function, left, right, about=f"of {left.num_rows} pairs")


def row_group_pairs(function, frames, emitter, inputs, keys):
    readers = [RowReader(schema) for schema in inputs]
    keys_of = [operator.itemgetter(*positions) for positions in keys]
    both = None

    def call():
        key = keys_of[0](both[0][0]) if both[0] else keys_of[1](both[1][0])
        emitter.call(function, key, *both, about=key)

    for starts, parts in frames:
        sides = [read(reader, batch, emitter) for reader, batch in zip(readers, parts, strict=True)]
        bounds = [[*starts[side::2], len(sides[side])] for side in (0, 1)]
        if both is not None:
            # Items before the first group belong to the last group of the previous batch.
            for side in (0, 1):
                both[side].extend(sides[side][: bounds[side][0]])
        for group in range(len(bounds[0]) - 1):
            if both is not None:
                call()
            both = [sides[side][bounds[side][group] : bounds[side][group + 1]] for side in (0, 1)]
        emitter.flush()
    if both is not None:
        call()
    emitter.flush()


class Rows:
    """A batch from which groups are sliced without copying."""

    def __init__(self, batch):
        self.batch = batch

    def __len__(self):
        return self.batch.num_rows

    def __getitem__(self, bounds):
        return self.batch.slice(bounds.start, bounds.stop - bounds.start)


class Groups:
    """Iterates over groups that may span several batches; reads only as much of a group as is requested."""

    def __init__(self, frames, items_of):
        self.frames = frames
        self.items_of = items_of
        self.items = ()
        self.starts = []
        self.next = 0  # index of the next start
        self.at = 0
        self.fresh = False  # whether a batch was taken since the last check

    def advance(self):
        """Moves to the first item of the next group."""
        while self.next >= len(self.starts):
            if not self._load():
                return False
        self.at = self.starts[self.next]
        self.next += 1
        return True

    def parts(self):
        """The rest of the group, one piece per batch."""
        while True:
            ended = self.next < len(self.starts)
            end = self.starts[self.next] if ended else len(self.items)
            if self.at < end:
                begin, self.at = self.at, end
                yield self.items[begin:end]
            if ended or not self._load():
                return

    def rest(self):
        """The rest of the group, item by item."""
        for part in self.parts():
            yield from part

    def _load(self):
        for starts, (batch,) in self.frames:
            self.items = self.items_of(batch)
            self.starts = starts
            self.next = self.at = 0
            self.fresh = True
            return True
        return False


def read(reader, batch, emitter):
    try:
        return reader.rows(batch)
    except UnicodeDecodeError as problem:
        where = f"among the {batch.num_rows:,} after {emitter.what} {emitter.calls:,}"
        raise FunctionFailed(where, ValueError(f"a text is not UTF-8: {problem}")) from problem


SHAPES = {
    "rows": (rows, "record"),
    "batches": (batches, "batch"),
    "row_filter": (row_filter, "record"),
    "batch_filter": (batch_filter, "batch"),
    "row_groups": (row_groups, "group"),
    "batch_groups": (batch_groups, "group"),
    "row_pairs": (row_pairs, "pair"),
    "batch_pairs": (batch_pairs, "batch"),
    "row_group_pairs": (row_group_pairs, "group"),
}
