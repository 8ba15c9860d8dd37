"""Compares the result of each contract with an independent computation."""

import collections
import itertools
import json
import random

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from petrichor.jobs import Plan, PlanError, average_of, count, max_of, min_of, sum_of

SEED = 42
WORDS = {"word": str, "times": int}


def words(row):
    return [(word, 1) for word in row.line.split()]


def total(word, rows):
    return word, sum(row.times for row in rows)


def text(seed=SEED, lines=20_000):
    chance = random.Random(seed)
    vocabulary = [f"word{number}" for number in range(500)] + ["naïve", "東京", "x" * 300]
    return [" ".join(chance.choices(vocabulary, k=chance.randrange(9))) for _ in range(lines)]


@pytest.mark.parametrize(("combiner", "workers"), [(None, 0), (total, 0), (total, 2)])
def test_words_are_counted(folder, combiner, workers):
    lines = text()
    plan = Plan("word count", parallelism=2)
    (
        plan.read_text(folder.lines("lines.txt", lines))
        .map(words, WORDS)
        .group_by("word")
        .reduce(total, WORDS, combiner=combiner)
        .same_key()
        .sort_by("-times", "word")
        .write_csv(folder / "counts.csv")
    )
    result = plan.run(quiet=True, workers=workers)
    want = collections.Counter(word for line in lines for word in line.split())
    assert folder.rows("counts.csv") == [[w, str(n)] for w, n in sorted(want.items(), key=lambda p: (-p[1], p[0].encode()))]
    assert result.name == "word count" and result.seconds > 0
    assert any(task.records_out >= len(want) for task in result.tasks)


def test_every_row_contract_agrees_with_the_same_written_out(folder):
    chance = random.Random(SEED)
    orders = [(number, chance.randrange(300), round(chance.uniform(1, 100), 2)) for number in range(9_000)]
    people = [(number, chance.choice(["", "ann", "bob", "cäsar"]), chance.random() < 0.5) for number in range(0, 400, 2)]
    plan = Plan("orders", parallelism=2)
    order = plan.read_csv(folder.table("orders.csv", "id person price".split(), orders), {"id": int, "person": int, "price": float})
    person = plan.read_csv(folder.table("people.csv", "id name good".split(), [(*who, str(good).lower()) for *who, good in people]), {"id": "int32", "name": str, "good": bool})
    person = person.map(lambda row: (row.id, row.name, row.good), {"id": int, "name": str, "good": bool})

    order.match(person, ("person", "id"), lambda o, p: (o.id, p.name, o.price) if p.good else None, {"id": int, "name": str, "price": float}).sort_by(
        "id"
    ).write_csv(folder / "matched.csv")
    order.co_group(
        person,
        [("person", "id")],
        lambda key, mine, theirs: {"person": key, "orders": len(mine), "known": len(theirs)},
        {"person": int, "orders": int, "known": int},
    ).sort_by("person").write_csv(folder / "grouped.csv")
    few = order.filter(lambda row: row.id < 40, reads=["id"])
    few.cross(person.filter(lambda row: row.id < 30), lambda o, p: (o.id, p.id), {"a": int, "b": int}).sort_by("a", "b").write_csv(
        folder / "crossed.csv"
    )
    few.union(order.filter(lambda row: row.id >= 8_990)).project("price", order="id").sort_by("order").write_csv(folder / "united.csv")
    order.group_by("person").aggregate(
        n=count(), total=sum_of("price"), least=min_of("id"), most=max_of("id"), mean=average_of("price")
    ).filter(lambda row: row.n > 20).sort_by("person").write_csv(folder / "figures.csv")
    plan.run(quiet=True)

    known = {number: (name, good) for number, name, good in people}
    want = [[str(i), known[p][0], str(price)] for i, p, price in orders if p in known and known[p][1]]
    assert folder.rows("matched.csv") == want
    mine = collections.Counter(p for _, p, _ in orders)
    want = [[str(k), str(mine[k]), str(int(k in known))] for k in sorted(mine.keys() | known.keys())]
    assert folder.rows("grouped.csv") == want
    want = [[str(a), str(b)] for a in range(40) for b in range(0, 30, 2)]
    assert folder.rows("crossed.csv") == want
    united = [row for row in orders if row[0] < 40 or row[0] >= 8_990]
    assert folder.rows("united.csv") == [[str(price), str(i)] for i, _, price in united]
    groups = {p: [row for row in orders if row[1] == p] for p in mine}
    want = [
        (p, len(g), sum(r[2] for r in g), g[0][0], g[-1][0], sum(r[2] for r in g) / len(g))
        for p, g in sorted(groups.items())
        if len(g) > 20
    ]
    got = [[float(value) for value in row] for row in folder.rows("figures.csv")]
    assert got == [pytest.approx(row, rel=1e-9) for row in want]


def doubled(batch):
    return pa.RecordBatch.from_arrays([batch.column("k"), pc.multiply(batch.column("v"), 2)], ["k", "v"])


def summed(key, batches):
    table = pa.Table.from_batches(list(batches))
    return pa.RecordBatch.from_pydict({"v": [pc.sum(table["v"]).as_py()], "k": [key]})


def joined(left, right):
    return pa.table({"k": left.column("k"), "v": pc.add(left.column("v"), right.column("v"))})


def test_every_batch_contract_agrees_with_the_same_written_out(folder):
    numbers = [(number % 97, number) for number in range(30_000)]
    fields = {"k": int, "v": int}
    plan = Plan("batches", parallelism=2)
    all_of = plan.read_csv(folder.table("numbers.csv", fields, numbers), fields)
    sums = all_of.map_batches(doubled, fields).group_by("k").reduce_batches(summed, fields, combiner=summed).same_key()
    sums.sort_by("k").write_csv(folder / "sums.csv")
    odd = all_of.filter_batches(lambda batch: pc.equal(pc.bit_wise_and(batch.column(0), 1), 1), reads=["v"])
    odd.match_batches(sums, "k", joined, fields).sort_by("v").write_csv(folder / "joined.csv")
    plan.run(quiet=True)
    want = {k: sum(2 * v for _, v in group) for k, group in itertools.groupby(sorted(numbers), key=lambda pair: pair[0])}
    assert folder.rows("sums.csv") == [[str(k), str(v)] for k, v in sorted(want.items())]
    rows = sorted((v + want[k], k) for k, v in numbers if v % 2)
    assert sorted((int(v), int(k)) for k, v in folder.rows("joined.csv")) == rows


def test_a_group_may_be_larger_than_a_batch(folder):
    rows = [(number % 3, "x" * (1 + number % 200)) for number in range(60_000)]
    plan = Plan("large groups", parallelism=1)
    source = plan.read_csv(folder.table("in.csv", ["k", "t"], rows), {"k": int, "t": str})

    def first_and_all(key, rows):
        first = next(rows)
        return key, len(first.t), 1 + sum(1 for _ in rows)

    def only_first(key, rows):
        return key, len(next(rows).t), 0

    out = {"k": int, "first": int, "n": int}
    source.group_by("k").reduce(first_and_all, out).sort_by("k").write_csv(folder / "all.csv")
    source.group_by("k").reduce(only_first, out).sort_by("k").write_csv(folder / "one.csv")
    source.co_group(source, "k", lambda k, a, b: (k, len(a), len(b)), out).sort_by("k").write_csv(folder / "both.csv")
    plan.run(quiet=True)
    assert [row[::2] for row in folder.rows("all.csv")] == [[str(k), "20000"] for k in range(3)]
    assert [row[0] for row in folder.rows("one.csv")] == ["0", "1", "2"]
    assert folder.rows("both.csv") == [[str(k), "20000", "20000"] for k in range(3)]


def test_values_of_all_types_and_nulls_travel_unchanged(folder):
    chance = random.Random(SEED)
    rows = []
    for number in range(10_000):
        values = [
            chance.choice([True, False]),
            chance.randrange(-(2**31), 2**31),
            chance.randrange(-(2**63), 2**63),
            chance.uniform(-1e300, 1e300),
            chance.choice(["", "a,b", 'q"q', "é" * chance.randrange(50)]),
        ]
        rows.append([number, *(None if chance.random() < 0.2 and at < 4 else value for at, value in enumerate(values))])
    fields = {"id": int, "b": bool, "i": "int32", "l": int, "d": float, "t": str}
    written = [["" if v is None else str(v).lower() if isinstance(v, bool) else v for v in row] for row in rows]
    plan = Plan("types", parallelism=2)
    source = plan.read_csv(folder.table("in.csv", fields, written), fields)
    source.map(lambda row: row, fields).map_batches(lambda batch: batch, pa.schema(
        [("id", pa.int64()), ("b", pa.bool_()), ("i", pa.int32()), ("l", pa.int64()), ("d", pa.float64()), ("t", pa.string())]
    )).filter(lambda row: True).sort_by("id").write_csv(folder / "out.csv")
    plan.run(quiet=True)
    got = [row[:4] + [row[4] and float(row[4])] + row[5:] for row in folder.rows("out.csv")]
    assert got == [[str(v) for v in row[:4]] + row[4:] for row in written]


def test_bytes_and_files_of_fixed_length(folder):
    chance = random.Random(SEED)
    records = [chance.randbytes(10) + chance.randbytes(90) for _ in range(5_000)]
    (folder / "in.bin").write_bytes(b"".join(records))
    fields, lengths = {"key": bytes, "rest": bytes}, {"key": 10, "rest": 90}
    plan = Plan("fixed", parallelism=2)
    turned = plan.read_fixed(folder / "in.bin", fields, lengths).map(lambda row: (row.key[::-1], row.rest), fields)
    turned.sort_by("key").write_fixed(folder / "out.bin", lengths)
    plan.run(quiet=True)
    assert (folder / "out.bin").read_bytes() == b"".join(sorted(record[9::-1] + record[10:] for record in records))


def test_an_iteration_ends_when_nothing_is_open(folder):
    plan = Plan("halve", parallelism=2)
    fields = {"n": int, "rounds": int}
    begin = plan.read_csv(folder.table("in.csv", fields, [(n, 0) for n in range(1, 500)]), fields)
    loop = plan.iterate(begin, 50)
    after = loop.current.map(lambda row: (row.n // 2, row.rounds + 1) if row.n > 1 else row, fields)
    loop.close_while(after, after.filter(lambda row: row.n > 1)).sort_by("rounds").write_csv(folder / "out.csv")
    plan.run(quiet=True)
    assert collections.Counter(int(rounds) for _, rounds in folder.rows("out.csv")) == collections.Counter(
        n.bit_length() - 1 for n in range(1, 500)
    )


def test_nothing_comes_of_nothing(folder):
    plan = Plan("nothing", parallelism=2)
    plan.read_text(folder.lines("in.txt", [])).map(words, WORDS).group_by("word").reduce(total, WORDS).write_csv(folder / "out.csv")
    plan.run(quiet=True)
    assert folder.rows("out.csv") == []


def test_a_function_may_take_things_from_around_it(folder):
    offset, seen = 1000, {"3": "three"}

    def depth(n):
        return 0 if n == 0 else 1 + depth(n - 1)  # itself is in its own cell

    plan = Plan("closures", parallelism=1)
    source = plan.read_text(folder.lines("in.txt", range(5)))
    source.map(lambda row, base=5: f"{seen.get(row.line, row.line)} {offset + base + depth(int(row.line))}", {"t": str}).write_text(
        folder / "out.txt"
    )
    plan.run(quiet=True)
    assert (folder / "out.txt").read_text().splitlines() == ["0 1005", "1 1006", "2 1007", "three 1008", "4 1009"]


def test_a_plan_is_explained_without_being_run(folder):
    plan = Plan("explained", parallelism=2)
    source = plan.read_text(folder.lines("in.txt", ["a"])).hints(records=1e6)
    source.map(words, WORDS).hints(records_per_call=8).group_by("word").reduce(total, WORDS).write_csv(folder / "out.csv")
    assert 'Reduce "total"' in plan.explain()
    assert "out.csv" not in folder.names()


def test_what_cannot_be_is_refused_where_it_is_written(folder):
    plan = Plan("wrong")
    source = plan.read_csv(folder / "none.csv", {"a": int, "b": str})
    with pytest.raises(PlanError, match="there is no field 'c'"):
        source.group_by("c")
    with pytest.raises(PlanError, match="cannot hold"):
        source.map(lambda row: row, {"a": complex})
    with pytest.raises(PlanError, match="cannot be sent to workers"):
        handle = open(folder.lines("x", []))
        source.map(lambda row: handle.read(), {"a": str})
    with pytest.raises(PlanError, match="two fields have the name"):
        source.map(lambda row: row, [("a", int), ("a", int)])
    assert json.loads(plan.document())["version"] == 1
