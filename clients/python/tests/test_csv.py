"""CSV sources and sinks: columns by name, compressed files, patterns, nulls, existing results."""

import bz2
import gzip
import random

import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv

from petrichor.jobs import JobFailed, Plan, PlanError, count

PIECES = ["a", "é", ",", '"', "\n", "x y", "1", '","']


def same(row):
    return row


def run(plan):
    plan.run(quiet=True)


def test_columns_are_found_by_name_in_each_file(folder):
    (folder / "in").mkdir()
    folder.table("in/a.csv", ["id", "country", "amount"], [[1, "DE", 2.5]])
    folder.table("in/b.csv", ["amount", "id", "country"], [[4, 2, "FR"]])
    plan = Plan("by name")
    sales = plan.read_csv(folder / "in", {"country": str, "amount": float})
    sales.sort_by("country").write_csv(folder / "out.csv")
    run(plan)
    assert folder.rows("out.csv") == [["DE", "2.5"], ["FR", "4.0"]]


def test_a_missing_column_is_named_with_its_file_and_the_nearest_name(folder):
    folder.table("sales.csv", ["id", "country", "amount"], [[1, "DE", 2.5]])
    plan = Plan("misspelled")
    plan.read_csv(folder / "sales.csv", {"amuont": float}).write_csv(folder / "out.csv")
    with pytest.raises(JobFailed, match=r'sales\.csv has no column "amuont"; did you mean "amount"\?'):
        run(plan)


def test_positions_count_where_they_are_asked_for(folder):
    folder.table("sales.csv", ["id", "country"], [[1, "DE"]])
    plan = Plan("by position")
    plan.read_csv(folder / "sales.csv", [("x", None), ("y", str)], by_position=True).write_csv(folder / "out.csv")
    plan.read_csv(folder / "sales.csv", {"a": str, "b": str}, header=False).sort_by("a").write_csv(folder / "all.csv")
    run(plan)
    assert folder.rows("out.csv") == [["DE"]]
    assert folder.rows("all.csv") == [["1", "DE"], ["id", "country"]]


@pytest.mark.parametrize("seed", range(3))
def test_random_tables_are_read_as_arrow_reads_them(folder, seed):
    chance = random.Random(seed)
    names = ["k", "a", "b", "c"]
    rows = []
    for key in range(200):
        values = [chance.choice([None, "", text(chance), text(chance)]) for _ in names[1:]]
        rows.append([str(key), *values])
    (folder / "in").mkdir()
    want = []
    for number, (suffix, compress) in enumerate([("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".zst", zstd)]):
        order = chance.sample(names, len(names))
        part = rows[number * 50 : number * 50 + 50]
        data = ("\ufeff" if chance.random() < 0.5 else "") + written(order, [dict(zip(names, row)) for row in part])
        (folder / "in" / f"{number}.csv{suffix}").write_bytes(compress(data.encode()))
        want += outside(data, names)
    plan = Plan("random", parallelism=2)
    source = plan.read_csv(folder / "in" / "*.csv*", {name: str for name in names})
    source.map(same, {name: str for name in names}).write_csv(folder / "out", folder=True)
    run(plan)
    got = []
    for file in sorted((folder / "out").iterdir()):
        got += outside(file.read_text(), names)
    assert sorted(got, key=lambda row: int(row[0])) == want
    assert want == rows


def text(chance):
    return "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 6)))


def zstd(data):
    return pa.Codec("zstd").compress(data, asbytes=True)


def written(names, rows):
    def field(value):
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    lines = [",".join(names), *(",".join(field(row[name]) for name in names) for row in rows)]
    return "".join(line + "\n" for line in lines)


def outside(data, names):
    """Arrow's result, which distinguishes nulls and empty texts."""
    table = arrow_csv.read_csv(
        pa.BufferReader(data.encode()),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            null_values=[""],
        ),
    )
    return [[row[name] for name in names] for row in table.to_pylist()]


def test_what_exists_is_refused_replaced_or_added_to(folder):
    folder.lines("in.txt", ["a"])

    def writing(if_exists, sink="write_csv", **more):
        plan = Plan("again")
        getattr(plan.read_text(folder / "in.txt"), sink)(folder / sink, if_exists=if_exists, **more)
        run(plan)
        return folder / sink

    writing("fail")
    with pytest.raises(JobFailed, match='already exists.*if_exists="overwrite"'):
        writing("fail")
    folder.lines("in.txt", ["b"])
    writing("overwrite")
    assert folder.rows("write_csv") == [["b"]]
    with pytest.raises(PlanError, match="only a folder can be appended to"):
        writing("append")
    with pytest.raises(PlanError, match="one of fail, overwrite, append"):
        writing("replace")
    for sink, more in [("write_text", {"folder": True}), ("write_parquet", {})]:
        writing("append", sink, **more)
        before = len(list((folder / sink).iterdir()))
        assert len(list(writing("append", sink, **more).iterdir())) == 2 * before
        assert len(list(writing("overwrite", sink, **more).iterdir())) == before


def test_a_pattern_without_a_match_is_an_error(folder):
    plan = Plan("nothing")
    plan.read_text(folder / "*.gz").write_text(folder / "out")
    with pytest.raises(JobFailed, match=r"no file matches .*/\*\.gz"):
        run(plan)


def test_a_result_is_shown_in_a_few_lines(folder):
    folder.lines("in.txt", ["a", "b"])
    plan = Plan("shown")
    plan.read_text(folder / "in.txt").aggregate(n=count()).write_csv(folder / "out.csv")
    result = plan.run(quiet=True)
    assert str(result).startswith("shown: ") and "2 records in" in str(result)
    assert len(str(result)) < 1_000 and len(repr(result)) < 200


def test_a_failure_is_raised_and_not_printed_as_well(folder, capfd):
    folder.lines("in.txt", ["a"])
    plan = Plan("to fail")
    plan.read_text(folder / "missing.txt").write_text(folder / "out")
    with pytest.raises(JobFailed, match="missing.txt"):
        plan.run()
    assert "missing.txt" not in capfd.readouterr().err
