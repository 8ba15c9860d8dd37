"""The same plans in a server: clients/run starts one and names it."""

import os

import pytest

from petrichor.jobs import JobFailed, Plan

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
