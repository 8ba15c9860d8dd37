"""MapReduce over entities and blobs, into entities and objects."""

import collections
import json
import random

import flows
import petrichor_workflows
from conftest import TEXTS
from conftest import counted_words as counted
from google.appengine.ext import blobstore, ndb
from google.cloud import storage
from petrichor_workflows import Entities, Items, Lines, MapReduce
from petrichor_workflows import shuffle, sources
from petrichor_workflows.records import Block

def bucket(platform):
    made = storage.Client(project="workflows").bucket("workflows-files")
    return made if made.exists() else made.create() or made


def take_totals(platform):
    """The totals in the datastore, which are deleted."""

    def take():
        found = flows.Total.query().fetch()
        ndb.delete_multi([total.key for total in found])
        return found

    found = platform.call(take)
    assert len({total.word for total in found}) == len(found), "a total was stored twice"
    return {total.word: total.count for total in found}


def blocks(platform):
    return platform.call(Block.query().count)


def test_words_of_entities(platform, texts):
    source = Entities(flows.Text, namespace="texts")
    summary = platform.output(MapReduce(source, flows.words, flows.totals, shards=5, partitions=3))
    expected = counted(texts.values())
    assert take_totals(platform) == expected
    assert summary == {"items": TEXTS, "pairs": 12 * TEXTS, "keys": len(expected), "objects": []}
    assert blocks(platform) == 0


def test_a_subset_of_entities_and_a_combiner(platform, texts):
    source = Entities(flows.Text, {"language": "de"}, namespace="texts")
    summary = platform.output(MapReduce(source, flows.words, flows.totals, combiner=flows.sums, shards=3))
    german = [text for n, text in texts.items() if n % 3 == 0]
    assert take_totals(platform) == counted(german)
    assert summary["items"] == len(german)
    assert summary["pairs"] < 12 * len(german)


def test_a_source_without_entities(platform):
    summary = platform.output(MapReduce(Entities(flows.Text, namespace="none"), flows.words, flows.totals))
    assert summary == {"items": 0, "pairs": 0, "keys": 0, "objects": []}


def test_mappers_store_entities(platform, texts):
    summary = platform.output(MapReduce(Entities(flows.Text, namespace="texts"), flows.lengths, shards=4))
    stored = platform.call(lambda: {length.key.id(): length.length for length in flows.Length.query()})
    assert stored == {(n if n % 2 else f"t{n}"): len(text) for n, text in texts.items()}
    assert summary["items"] == TEXTS


def test_as_a_part_of_another_pipeline(platform, texts):
    first, second = platform.output(flows.TwoWordCounts(Entities(flows.Text, namespace="texts")))
    assert take_totals(platform) == counted(texts.values())
    assert (first["items"], second["items"], second["keys"]) == (TEXTS, TEXTS, 0)


def test_each_key_is_in_one_split(platform, texts, monkeypatch):
    monkeypatch.setattr(sources, "KEYS_PER_TURN", 70)
    source = Entities(flows.Text, namespace="texts")

    def divided(shards):
        splits = progress = None
        while splits is None:
            splits, progress = source.splits(shards, progress)
        return [[key for key, _ in source.read(split, None)] for split in splits]

    for shards in (1, 2, 7, 40):
        parts = platform.call(divided, shards)
        keys = [key for part in parts for key in part]
        assert len(parts) == shards and len(keys) == len(set(keys)) == TEXTS
        assert max(map(len, parts)) <= 3 * TEXTS // shards + 3


def test_lines_of_objects(platform, name, monkeypatch):
    chance = random.Random(2)
    texts = ["", "x", "\n", "\n\n\nlast", "a\r\nb\r\n", "y" * 5_000 + "\nz"]
    texts += ["\n".join("ä" * chance.randrange(40) for _ in range(200)) for _ in range(3)]
    keys = []
    for number, text in enumerate(texts):
        bucket(platform).blob(f"{name}/{number}").upload_from_string(text.encode())
        keys.append(platform.call(blobstore.create_gs_key, f"/gs/workflows-files/{name}/{number}"))
    expected = collections.Counter()
    for key, text in zip(keys, texts):
        lines = text.split("\n")
        expected.update((str(key), line.removesuffix("\r")) for line in (lines if lines[-1] else lines[:-1]))
    monkeypatch.setattr(sources, "FETCH_BYTES", 1_000)

    def read(shards):
        source = Lines(keys)
        found = collections.Counter()
        for split in source.splits(shards, None)[0]:
            position = None
            while True:  # each line by a turn of its own
                position, line = next(source.read(split, position), (None, None))
                if line is None:
                    break
                found[line.blob_key, line.text] += 1
        return found

    for shards in (1, 3, 50):
        assert platform.call(read, shards) == expected


def test_lines_into_objects(platform, name):
    lines = [f"{number} word{number % 7} end" for number in range(2_000)]
    bucket(platform).blob(name).upload_from_string("\n".join(lines).encode())
    key = platform.call(blobstore.create_gs_key, f"/gs/workflows-files/{name}")
    from petrichor_workflows import Objects

    sink = Objects("workflows-files", f"out-{name}")
    summary = platform.output(MapReduce(Lines([key]), flows.words, flows.count_lines, sink=sink, shards=4, partitions=3))
    assert summary["objects"] == [f"out-{name}-0000{n}-of-00003" for n in range(3)]
    written = [bucket(platform).blob(one).download_as_text().splitlines() for one in summary["objects"]]
    expected = counted(lines)
    assert sorted(sum(written, [])) == sorted(
        [f"{word} {count}" for word, count in expected.items()] + [json.dumps({"word": word}) for word in expected]
    )
    assert [line.split()[0] for line in written[0][::2]] == sorted(line.split()[0] for line in written[0][::2])
    listed = [blob.name for blob in storage.Client(project="workflows").list_blobs("workflows-files", prefix=f"out-{name}")]
    assert sorted(listed) == summary["objects"], "the parts are removed"


def test_what_functions_must_not_yield(platform):
    for mapreduce, error in (
        (MapReduce(Items([1]), flows.odd_key, flows.totals), "a key must be a text, not a int"),
        (MapReduce(Items([flows.words]), flows.odd_key), "entities only"),
        (MapReduce(Items([1]), flows.words, shards=501), "1 to 500 shards"),
    ):
        status = platform.ended(platform.start_flow(mapreduce))
        assert status.state == "aborted" and error in status.error


def test_pairs_of_an_aborted_workflow_are_deleted_with_it(platform, texts):
    id = platform.start_flow(MapReduce(Entities(flows.Text, namespace="texts"), flows.words, flows.gives_up))
    assert platform.ended(id).error.endswith("no totals")
    assert blocks(platform) > 0
    platform.call(petrichor_workflows.delete, id)
    assert blocks(platform) == 0


def test_a_merge_continues_at_any_key(platform, name, monkeypatch):
    """Runs with blocks of few pairs, and keys that extend over several blocks."""
    monkeypatch.setattr(shuffle, "BLOCK_BYTES_MAX", 60)
    chance = random.Random(3)
    expected = collections.defaultdict(list)
    turns = [3, 0, 2]

    def store():
        for shard, count in enumerate(turns):
            for turn in range(count):
                pairs = collections.defaultdict(list)
                for _ in range(40):
                    key, value = f"k{chance.randrange(12):02d}", chance.randrange(1_000)
                    pairs[key].append(value)
                    expected[key].append(value)
                ndb.put_multi(shuffle.blocks(name, 0, shard, turn, pairs))

    def merged(keys_per_turn):
        found, position = {}, None
        while True:
            merge = shuffle.Merge(name, 0, turns, position)
            ended = True
            for number, (key, values) in enumerate(merge.groups()):
                if number == keys_per_turn:
                    ended = False
                    break
                assert key not in found
                found[key] = sorted(values) if number % 2 else [next(values), *sorted(values)]
            if ended:
                return found
            position = json.loads(json.dumps(merge.position()))

    platform.call(store)
    for keys_per_turn in (1, 2, 5, 100):
        found = platform.call(merged, keys_per_turn)
        assert {key: sorted(values) for key, values in found.items()} == {key: sorted(values) for key, values in expected.items()}
    platform.call(lambda: [None for _ in iter(lambda: shuffle.delete_some(name), False)])
