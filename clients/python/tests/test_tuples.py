"""Collections of tuples on a server started by clients/run."""

import os
import pathlib
import subprocess
import sys
import time
import uuid

import pytest

from petrichor.tuples import (
    Collections,
    ConditionNotMet,
    TupleError,
    affinity,
    by_hash,
    colocated,
    condition,
    delete,
    ordered,
    put,
    tagged,
)

SERVER = os.environ.get("DATASTORE_EMULATOR_HOST")
EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples" / "tweets.py"


@pytest.fixture
def collections():
    if not SERVER:
        assert "CI" not in os.environ, "no server: run these tests by clients/run"
        pytest.skip("no server: run these tests by clients/run")
    with Collections(SERVER, project=f"tuples-{uuid.uuid4().hex[:8]}") as opened:
        yield opened


def test_conditions_are_read_from_text():
    assert condition("a=b") == {"dimension": "a", "value": "b"}
    assert condition("a=b*") == {"dimension": "a", "pattern": "b*"}
    assert condition("a=1..2=3") == {"dimension": "a", "range": {"first": "1", "last": "2=3"}}
    assert condition("hot") == {"dimension": "", "value": "hot"}


@pytest.mark.parametrize("placement", [by_hash(4), ordered(), tagged("a", "b"), affinity(), colocated("hosts")])
def test_tuples_are_written_read_found_and_deleted(collections, placement):
    collections.create("hosts", ordered())
    numbers = collections.create("numbers", placement)
    numbers.assign({"k1": 3, "k2": 1})
    numbers.write([put(f"k{n % 3}/{n:03}", str(n).encode(), [f"a={n % 5}", f"b={n % 7}", "all"]) for n in range(200)])
    keys = sorted(f"k{n % 3}/{n:03}" for n in range(200))
    assert [one.key for one in numbers.scan(page_size=17)] == keys
    assert [one.key for one in numbers.scan(prefix="k1/")] == [key for key in keys if key.startswith("k1/")]
    assert [int(one.value) for one in numbers.get_all(["k2/005", "missing", "k0/000"])] == [5, 0]
    found = {int(one.value) for one in numbers.find(all=["a=2..3", "all"], any=["b=1", "b=6"], page_size=3)}
    assert found == {n for n in range(200) if n % 5 in (2, 3) and n % 7 in (1, 6)}
    assert numbers.delete_by_tags(all=["a=4"]) == 40
    assert numbers.delete("k0/000") and not numbers.delete("k0/000")
    assert sum(1 for _ in numbers.scan()) == 159


def test_conditions_guard_tuples(collections):
    counters = collections.create("counters")
    revision = counters.put("n", b"1", absent=True)
    with pytest.raises(ConditionNotMet):
        counters.put("n", b"1", absent=True)
    later = counters.put("n", b"2", revision=revision)
    with pytest.raises(ConditionNotMet):
        collections.write(
            [put("m", b"", collection="counters"), delete("n", "counters", condition={"revision": str(revision)})]
        )
    assert counters.get("m") is None and counters.get("n").revision == later > revision
    with pytest.raises(TupleError, match="NOT_FOUND.*did you mean counters"):
        collections.collection("counter").get("n")


def test_the_placement_changes_during_a_scan(collections):
    numbers = collections.create("numbers", ordered())
    numbers.write([put(f"{n:03}", tags=[f"a={n % 5}", f"b={n}"]) for n in range(300)])
    scan = numbers.scan(page_size=10)
    first = [next(scan).key for _ in range(10)]
    numbers.place(tagged("a", "b"))
    end = time.monotonic() + 60
    while "nextPlacement" in numbers.describe():
        assert time.monotonic() < end
    numbers.delete("299")
    assert first + [one.key for one in scan] == [f"{n:03}" for n in range(300)]
    assert sum(1 for _ in numbers.find(all=["a=3"])) == 60


def test_the_example_runs(collections):
    run = subprocess.run([sys.executable, EXAMPLE, SERVER], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    lines = ["14 tweets of those that ann follows"]
    lines += ["mentions of ann: ann/05 ann/07 bob/05 bob/07 cy/05 cy/07", "deleted 6", ""]
    assert run.stdout == "\n".join(lines)
