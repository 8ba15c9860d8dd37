"""Inputs of MapReduce. A source divides itself into splits, and reads a split from any position in it."""

import dataclasses
import itertools
from typing import Any, NamedTuple

from google.appengine.ext import blobstore, ndb

from petrichor_workflows.values import InvalidValue, describes

FETCH_BYTES = 512 << 10
LINE_BYTES_MAX = 16 << 20
KEYS_PER_TURN = 20_000
SAMPLES_PER_SHARD = 16


class Line(NamedTuple):
    """A line of a blob without its end. Bytes that are not UTF-8 are replaced."""

    blob_key: str
    offset: int
    text: str


@describes
@dataclasses.dataclass
class Lines:
    """The lines of blobs, which are given by blob keys; `blobstore.create_gs_key` returns that of an object."""

    blob_keys: list

    def __post_init__(self):
        self.blob_keys = [str(key) for key in self.blob_keys]

    def splits(self, shards, progress):
        """Returns (splits, None), or (None, progress) to be called again."""
        sizes = [(key, _size(key)) for key in self.blob_keys]
        total = sum(size for _, size in sizes)
        share = max(1, -(-total // shards))
        splits, left = [[]], share  # left: bytes that the last split can still take
        for key, size in sizes:
            start = 0
            while start < size:
                if not left:
                    splits.append([])
                    left = share
                end = min(size, start + left)
                splits[-1].append([key, start, end])
                left -= end - start
                start = end
        return splits, None

    def read(self, split, position):
        """Yields (position after the item, item). A line is in the split in which its first byte is."""
        part, offset = position or (0, None)
        for number in range(part, len(split)):
            key, start, end = split[number]
            lines = _lines(key, start, end, offset)
            offset = None
            for after, line in lines:
                yield (number, after), line


def _lines(key, start, end, offset):
    if offset is None:
        # The line that contains the byte before the split belongs to the previous one.
        offset = start
        if start:
            offset = _after_line(key, start - 1)
    buffer, position, at = b"", 0, offset  # the unread part of the buffer begins at position
    while at < end:
        line_end = buffer.find(b"\n", position)
        while line_end < 0:
            unread = len(buffer) - position
            if unread > LINE_BYTES_MAX:
                raise InvalidValue(f"the blob {key} has a line of more than {LINE_BYTES_MAX:,} bytes at {at}")
            piece = _fetch(key, at + unread)
            if not piece:
                break
            buffer, position = buffer[position:] + piece, 0
            line_end = buffer.find(b"\n", unread)
        if line_end < 0:
            line_end = len(buffer)
            if position == line_end:
                return
        line = buffer[position:line_end]
        position = min(line_end + 1, len(buffer))
        after = at + len(line) + 1
        yield after, Line(key, at, line.removesuffix(b"\r").decode(errors="replace"))
        at = after


def _after_line(key, offset):
    """The position after the next end of a line."""
    while True:
        piece = _fetch(key, offset)
        if not piece:
            return offset
        found = piece.find(b"\n")
        if found >= 0:
            return offset + found + 1
        offset += len(piece)


def _fetch(key, offset):
    return blobstore.fetch_data(key, offset, offset + FETCH_BYTES - 1)


def _size(key):
    """Of a blob, by probing: objects of Cloud Storage have no BlobInfo."""
    info = blobstore.BlobInfo.get(blobstore.BlobKey(key))
    if info:
        return info.size
    low, high = 0, 1  # bytes exist before low
    while blobstore.fetch_data(key, high - 1, high - 1):
        low, high = high, high * 2
    while low < high - 1:
        middle = (low + high) // 2
        if blobstore.fetch_data(key, middle - 1, middle - 1):
            low = middle
        else:
            high = middle
    return low


@describes
@dataclasses.dataclass
class Entities:
    """The entities of a model, or those with the values of `equal`. Each is read once, in the order of keys.

    Entities that are added or removed meanwhile may be missed or not.
    """

    model: Any
    equal: dict = dataclasses.field(default_factory=dict)
    namespace: str = ""

    def query(self, first=None, last=None):
        query = self.model.query(namespace=self.namespace)
        for name, value in self.equal.items():
            query = query.filter(ndb.GenericProperty(name) == value)
        if first:
            query = query.filter(self.model._key > first)
        if last:
            query = query.filter(self.model._key <= last)
        return query.order(self.model._key)

    def splits(self, shards, progress):
        """Samples keys in one pass: each `stride`-th is kept, and the stride doubles when there are too many."""
        progress = progress or {"last": None, "seen": 0, "stride": 1, "sample": []}
        last, seen, stride, sample = (progress[name] for name in ("last", "seen", "stride", "sample"))
        count = 0
        for last in itertools.islice(self.query(first=last).iter(keys_only=True, batch_size=1_000), KEYS_PER_TURN):
            count += 1
            seen += 1
            if seen % stride == 0:
                sample.append(last)
                if len(sample) >= SAMPLES_PER_SHARD * shards:
                    sample, stride = sample[1::2], stride * 2
        if count == KEYS_PER_TURN:
            return None, {"last": last, "seen": seen, "stride": stride, "sample": sample}
        bounds = [sample[len(sample) * number // shards] for number in range(1, shards)] if sample else []
        edges = [None, *sorted(set(bounds)), None]
        return [list(pair) for pair in itertools.pairwise(edges)], None

    def read(self, split, position):
        first, last = split
        for entity in self.query(position or first, last).iter(batch_size=200, use_cache=False, use_memcache=False):
            yield entity.key, entity


@describes
@dataclasses.dataclass
class Items:
    """Values that are arguments themselves, for small inputs."""

    values: list

    def splits(self, shards, progress):
        share = max(1, -(-len(self.values) // shards))
        return [self.values[first : first + share] for first in range(0, len(self.values), share)] or [[]], None

    def read(self, split, position):
        for number in range(position or 0, len(split)):
            yield number + 1, split[number]
