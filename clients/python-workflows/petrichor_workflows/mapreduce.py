"""MapReduce as a pipeline: splits, mappers, reducers, and the removal of what is between them."""

import json
import time

from google.appengine.ext import ndb

from petrichor_workflows import shuffle
from petrichor_workflows.pipeline import Abort, Continue, Finish, Pipeline

SHARDS_MAX = 500
TURN_SECONDS = 10  # a request has ten minutes; a lost turn is repeated
TURN_BYTES = 1 << 20  # of output; a commit has at most 10 MiB
TURN_ENTITIES = 400
TURN_ITEMS = 20_000


class MapReduce(Pipeline):
    """Applies functions to all items of a source, in shards.

    `mapper(item)` yields pairs of a text and a value, and entities to store. `reducer(key, values)` yields entities, and
    values if there is a sink, which writes them as lines: texts unchanged, others as JSON. `combiner(key, values)` yields
    fewer values and is applied to the pairs of each turn of a mapper. Without a reducer, the mapper yields entities only.

    The functions are called again for the same items after a crash. What they yield counts once.
    The output is a dictionary: `items` read, `pairs` that reached reducers, `keys`, and `objects` that the sink has written.
    """

    def run(self, source, mapper, reducer=None, combiner=None, sink=None, shards=8, partitions=4):
        if not 1 <= shards <= SHARDS_MAX or not 1 <= partitions <= SHARDS_MAX:
            raise Abort(f"a MapReduce has 1 to {SHARDS_MAX} shards and partitions")
        if sink and not reducer:
            raise Abort("a sink needs a reducer")
        splits = yield Split(source, shards)
        mapped = yield MapAll(self.id, source, splits, mapper, combiner, partitions if reducer else 0)
        reduced = []
        if reducer:
            reduced = yield ReduceAll(self.id, mapped, reducer, sink, partitions)
        cleaned = yield Clean(self.id, sink).after(mapped, *([reduced] if reducer else []))
        return (yield Summary(mapped, reduced).after(cleaned))


class Split(Pipeline):
    def run(self, source, shards):
        splits, progress = source.splits(shards, self.progress)
        return Finish(splits) if splits is not None else Continue(progress)


class MapAll(Pipeline):
    def run(self, job, source, splits, mapper, combiner, partitions):
        outputs = []
        for shard, split in enumerate(splits):
            outputs.append((yield MapShard(job, shard, source, split, mapper, combiner, partitions)))
        return outputs


class MapShard(Pipeline):
    """A turn reads items until it has enough output, and stores the output together with its position."""

    backoff_seconds = 1

    def run(self, job, shard, source, split, mapper, combiner, partitions):
        progress = self.progress or {"position": None, "turns": 0, "items": 0, "pairs": 0}
        emitted = _Emitted(partitions)
        position, items = progress["position"], 0
        started = time.monotonic()
        ended = True
        for position, item in source.read(split, position):
            items += 1
            for output in mapper(item) or ():
                emitted.add(output)
            if emitted.is_full() or items >= TURN_ITEMS or time.monotonic() - started > TURN_SECONDS:
                ended = False
                break
        entities, pairs = emitted.stored(job, shard, progress["turns"], combiner)
        progress = {
            "position": position,
            "turns": progress["turns"] + 1,
            "items": progress["items"] + items,
            "pairs": progress["pairs"] + pairs,
        }
        return Finish(progress, entities) if ended else Continue(progress, entities)


class _Emitted:
    """The output of one turn of a mapper."""

    def __init__(self, partitions):
        self.partitions = [{} for _ in range(partitions)]
        self.entities = []
        self.bytes = 0

    def add(self, output):
        if isinstance(output, ndb.Model):
            self.entities.append(output)
            self.bytes += output._to_pb().ByteSize()
            return
        if not self.partitions:
            raise Abort("without a reducer, the mapper must yield entities only")
        key, value = output
        if not isinstance(key, str):
            raise Abort(f"a key must be a text, not a {type(key).__name__}")
        self.partitions[shuffle.partition_of(key, len(self.partitions))].setdefault(key, []).append(value)
        self.bytes += len(key) + len(json.dumps(value))

    def is_full(self):
        return self.bytes >= TURN_BYTES or len(self.entities) >= TURN_ENTITIES

    def stored(self, job, shard, turn, combiner):
        """The entities to store, and the number of pairs among them."""
        entities, count = self.entities, 0
        for partition, pairs in enumerate(self.partitions):
            if combiner:
                pairs = {key: list(combiner(key, iter(found))) for key, found in pairs.items()}
            count += sum(map(len, pairs.values()))
            entities = entities + shuffle.blocks(job, partition, shard, turn, pairs)
        return entities, count


class ReduceAll(Pipeline):
    def run(self, job, mapped, reducer, sink, partitions):
        turns = [shard["turns"] for shard in mapped]
        outputs = []
        for partition in range(partitions):
            outputs.append((yield ReducePartition(job, turns, reducer, sink, partition, partitions)))
        return outputs


class ReducePartition(Pipeline):
    """A turn reduces keys until it has enough output, and stores the output together with the position of the merge."""

    backoff_seconds = 1

    def run(self, job, turns, reducer, sink, partition, partitions):
        progress = self.progress or {"merge": None, "keys": 0, "parts": []}
        merge = shuffle.Merge(job, partition, turns, progress["merge"])
        entities, lines, size, keys = [], [], 0, 0
        started = time.monotonic()
        ended = True
        for key, values in merge.groups():
            if keys and (size >= TURN_BYTES or len(entities) >= TURN_ENTITIES or time.monotonic() - started > TURN_SECONDS):
                ended = False
                break
            keys += 1
            for output in reducer(key, values) or ():
                if isinstance(output, ndb.Model):
                    entities.append(output)
                    size += output._to_pb().ByteSize()
                elif sink:
                    lines.append(output if isinstance(output, str) else json.dumps(output, ensure_ascii=False))
                    size += len(lines[-1])
                else:
                    raise Abort("without a sink, the reducer must yield entities only")
        parts = progress["parts"] + ([sink.write(job, partition, lines)] if lines else [])
        keys += progress["keys"]
        if not ended:
            return Continue({"merge": merge.position(), "keys": keys, "parts": parts}, entities)
        objects = [sink.complete(job, partition, partitions, parts)] if sink else []
        return Finish({"keys": keys, "objects": objects}, entities)


class Clean(Pipeline):
    def run(self, job, sink):
        if shuffle.delete_some(job):
            return Continue(None)
        if sink:
            sink.clean(job)
        return None


class Summary(Pipeline):
    def run(self, mapped, reduced):
        return {
            "items": sum(shard["items"] for shard in mapped),
            "pairs": sum(shard["pairs"] for shard in mapped),
            "keys": sum(partition["keys"] for partition in reduced),
            "objects": [name for partition in reduced for name in partition["objects"]],
        }
