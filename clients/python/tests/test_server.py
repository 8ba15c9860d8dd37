"""Runs the same plans on a server started by clients/run."""

import os

import pytest

from petrichor.jobs import Entities, JobFailed, Plan

SERVER = os.environ.get("DATASTORE_EMULATOR_HOST")


@pytest.fixture
def server():
    if not SERVER:
        assert "CI" not in os.environ, "no server: run these tests by clients/run"
        pytest.skip("no server: run these tests by clients/run")
    return SERVER


def test_a_plan_runs_in_a_server(folder, server):
    plan = Plan("in a server", parallelism=2)
    source = plan.read_text(folder.lines("in.txt", range(5_000)))
    source.map(lambda row: int(row.line) ** 2, {"n": int}).sort_by("-n").first(3).write_csv(folder / "out.csv")
    result = plan.run(server=server, quiet=True)
    assert folder.rows("out.csv") == [[str(n * n)] for n in (4999, 4998, 4997)]
    assert result.job["state"] == "FINISHED" and result.job["id"] != "local"


def test_a_failure_in_a_server_says_as_much(folder, server):
    plan = Plan("fails in a server", parallelism=2)
    source = plan.read_text(folder.lines("in.txt", ["1", "2", "three"]))
    source.map(lambda row: int(row.line), {"n": int}).write_csv(folder / "out.csv")
    with pytest.raises(JobFailed, match=r"(?s)invalid literal.*Row\(line='three'\).*int\(row.line\)"):
        plan.run(server=server, quiet=True)
    assert folder.names() == ["in.txt"]


def test_entities_are_read_and_written(folder, server):
    where = Entities(project="python-jobs")
    fields = {"__key__": str, "square": int, "odd": bool}
    plan = Plan("write entities", parallelism=2)
    numbers = plan.read_text(folder.lines("in.txt", range(2_000)))
    squares = numbers.map(lambda row: (f"n{row.line:>04}", int(row.line) ** 2, int(row.line) % 2 == 1), fields)
    squares.write_entities("Square", of=where, unindexed=["odd"])
    plan.run(quiet=True)

    plan = Plan("read entities", parallelism=2)
    named = {"name": str, "square": int}
    all_of = plan.read_entities("Square", fields, of=where)
    all_of.map(lambda row: (row.__key__, row.square) if row.odd else None, named).sort_by("name").write_csv(folder / "odd.csv")
    large = plan.read_gql("SELECT * FROM Square WHERE square > 3900000", {"square": int}, of=where)
    large.sort_by("square").write_csv(folder / "large.csv")
    plan.run(server=server, quiet=True)
    assert folder.rows("odd.csv") == [[f"n{n:04}", str(n * n)] for n in range(1, 2_000, 2)]
    assert folder.rows("large.csv") == [[str(n * n)] for n in range(2_000) if n * n > 3_900_000]


def test_a_server_that_is_not_there_is_named(folder):
    plan = Plan("no server")
    plan.read_entities("Square", {"square": int}, of=Entities(server="localhost:1")).write_csv(folder / "out.csv")
    with pytest.raises(JobFailed, match="localhost:1"):
        plan.run(quiet=True)
