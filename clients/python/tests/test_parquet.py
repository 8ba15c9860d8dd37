"""Compares Parquet sources and sinks with Arrow's own reader and writer."""

import datetime
import decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from petrichor.jobs import JobFailed, Plan, PlanError, count, sum_of

ROWS = 5_000
BEGIN = datetime.date(1995, 3, 15)


def table():
    numbers = range(ROWS)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "small": pa.array([None if n % 7 == 0 else n % 100 for n in numbers], pa.int32()),
            "price": pa.array([decimal.Decimal(n) / 100 for n in numbers], pa.decimal128(12, 2)),
            "day": pa.array([BEGIN + datetime.timedelta(days=n % 30) for n in numbers], pa.date32()),
            "name": pa.array([f"näme {n % 10}" for n in numbers]).dictionary_encode(),
            "yes": pa.array([n % 2 == 0 for n in numbers]),
            "raw": pa.array([bytes([n % 256]) for n in numbers], pa.binary()),
        }
    )


def test_columns_become_fields_and_fields_columns(folder):
    parquet.write_table(table(), folder / "in.parquet", row_group_size=1_000)
    plan = Plan("parquet", parallelism=2)
    source = plan.read_parquet(folder / "in.parquet")
    assert dict(source.fields) == {
        "id": "INT64", "small": "INT32", "price": "FLOAT64", "day": "TEXT", "name": "TEXT", "yes": "BOOLEAN", "raw": "BYTES",
    }  # fmt: skip
    source.map(lambda row: row, dict(source.fields)).sort_by("id").write_parquet(folder / "out")
    plan.run(quiet=True)
    got = parquet.read_table(folder / "out").sort_by("id").to_pylist()
    want = [row | {"price": float(row["price"]), "day": row["day"].isoformat()} for row in table().to_pylist()]
    assert got == want


def test_only_the_named_columns_are_read(folder):
    (folder / "in").mkdir()
    for part in range(2):
        parquet.write_table(table().slice(part * ROWS // 2, ROWS // 2), folder / "in" / f"{part}.parquet")
    plan = Plan("columns", parallelism=2)
    source = plan.read_parquet(folder / "in", {"name": str, "id": int})
    source.group_by("name").aggregate(n=count(), total=sum_of("id")).sort_by("name").write_csv(folder / "out.csv")
    plan.run(quiet=True)
    want = [[f"näme {k}", str(ROWS // 10), str(sum(range(k, ROWS, 10)))] for k in range(10)]
    assert folder.rows("out.csv") == want


def test_what_is_no_parquet_is_refused(folder):
    folder.lines("in.txt", ["text"])
    with pytest.raises(PlanError, match=r"cannot read the columns of .*in\.txt"):
        Plan("text").read_parquet(folder / "in.txt")
    plan = Plan("text")
    plan.read_parquet(folder / "in.txt", {"a": int}).write_parquet(folder / "out")
    with pytest.raises(JobFailed, match=r"in\.txt"):
        plan.run(quiet=True)
    parquet.write_table(pa.table({"deep": [[1], [2]]}), folder / "deep.parquet")
    with pytest.raises(PlanError, match="'deep' .* has an unsupported type"):
        Plan("deep").read_parquet(folder / "deep.parquet")
