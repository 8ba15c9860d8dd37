"""Pairs between mappers and reducers: sorted runs of blocks, stored as entities.

A turn of a mapper writes one run per partition. A reducer merges all runs of its partition, with one block of each in
memory, so its memory depends on the number of runs and not on the number of pairs.
"""

import heapq
import json
import zlib

from google.appengine.ext import ndb

from petrichor_workflows.pipeline import Abort
from petrichor_workflows.records import Block

BLOCK_BYTES_MAX = 64 << 10
RUNS_MAX = 2_000  # with 64 KiB of each in memory
GET_AT_ONCE = 100
DELETE_AT_ONCE = 200


def partition_of(key, partitions):
    return zlib.crc32(key.encode()) % partitions


def block_key(job, partition, shard, turn, number):
    return ndb.Key(Block, f"{job}-{partition:05d}-{shard:05d}-{turn:06d}-{number:05d}")


def blocks(job, partition, shard, turn, pairs):
    """The entities of a run. `pairs` has the values of each key."""
    contents, size = [[]], 0
    for key in sorted(pairs):
        for value in pairs[key]:
            bytes_more = len(key) + len(json.dumps(value)) + 8
            if size + bytes_more > BLOCK_BYTES_MAX and contents[-1]:
                contents.append([])
                size = 0
            if contents[-1] and contents[-1][-1][0] == key:
                contents[-1][-1][1].append(value)
            else:
                contents[-1].append([key, [value]])
            size += bytes_more
    return [
        Block(
            key=block_key(job, partition, shard, turn, number),
            pairs=json.dumps(content, separators=(",", ":")).encode(),
            more=number + 1 < len(contents),
        )
        for number, content in enumerate(contents)
        if content
    ]


class _Run:
    """A position in a run. `block` has the current pair."""

    def __init__(self, job, partition, shard, turn, block, entity):
        self.place = job, partition, shard, turn
        self.block = block
        self._load(entity)

    def _load(self, entity):
        self.pairs = json.loads(entity.pairs)
        self.more = entity.more
        self.index = 0

    @property
    def key(self):
        return self.pairs[self.index][0]

    @property
    def values(self):
        return self.pairs[self.index][1]

    def advance(self):
        """False at the end of the run."""
        self.index += 1
        if self.index < len(self.pairs):
            return True
        if not self.more:
            return False
        self.block += 1
        self._load(block_key(*self.place, self.block).get())
        return True


class Merge:
    """The pairs of a partition in the order of their keys.

    `position` is what a later turn needs to continue after the last key: the block of each run that has not ended.
    """

    def __init__(self, job, partition, turns, position):
        self.last = position["last"] if position else None
        self.heap = []
        started = position["runs"] if position else [
            [shard, turn, 0] for shard, count in enumerate(turns) for turn in range(count)
        ]
        for first in range(0, len(started), GET_AT_ONCE):
            group = started[first : first + GET_AT_ONCE]
            entities = ndb.get_multi([block_key(job, partition, *run) for run in group])
            for (shard, turn, block), entity in zip(group, entities):
                if entity:  # a turn may have no pairs for this partition
                    self._add(_Run(job, partition, shard, turn, block, entity))
            if len(self.heap) > RUNS_MAX:
                raise Abort(f"the mappers took more than {RUNS_MAX:,} turns with output: run this MapReduce as a job")

    def _add(self, run):
        while self.last is not None and run.key <= self.last:
            if not run.advance():
                return
        heapq.heappush(self.heap, (run.key, run.place, run))

    def position(self):
        return {"last": self.last, "runs": [[*run.place[2:], run.block] for _, _, run in self.heap]}

    def groups(self):
        """Yields each key with an iterator over its values. Between keys, `position` may be called."""
        while self.heap:
            key = self.heap[0][0]
            values = self._values(key)
            yield key, values
            for _ in values:
                pass
            self.last = key

    def _values(self, key):
        while self.heap and self.heap[0][0] == key:
            run = self.heap[0][2]
            yield from run.values
            if run.advance():
                heapq.heapreplace(self.heap, (run.key, run.place, run))
            else:
                heapq.heappop(self.heap)


def delete_some(job):
    """Deletes blocks of a job, or of all jobs of a workflow; False when there are none left."""
    keys = Block.query(Block.key > ndb.Key(Block, f"{job}-"), Block.key < ndb.Key(Block, f"{job}."))
    found = keys.fetch(DELETE_AT_ONCE, keys_only=True)
    ndb.delete_multi(found)
    return len(found) == DELETE_AT_ONCE
