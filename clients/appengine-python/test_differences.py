"""The same calls to Petrichor and to Google's implementations give the same answers, apart from documented differences.

The references are the stubs of the testbed and, with the folder of `bench/peers/install DIR java-api-server` in
PETRICHOR_TEST_PEERS, Google's Java API server. `test_…_differential.py` compare the datastore and search.
SEEDS and OPERATIONS in the environment make the search longer; a failure names its seed, and `SEED=N` replays it.
"""

import contextlib
import os
import pathlib
import random
import re

import pytest

from differential import blobstore, images, known, mail, memcache, platform, sides, taskqueue, taskqueue_java, urlfetch

RANDOM_SEED = random.SystemRandom().randrange(1_000, 1_000_000)
SEEDS = [int(os.environ["SEED"])] if "SEED" in os.environ else [*range(int(os.environ.get("SEEDS", "3"))), RANDOM_SEED]
OPERATIONS = int(os.environ.get("OPERATIONS", "200"))
APIS = {
    "testbed": [memcache, taskqueue, blobstore, images, mail, platform, urlfetch],
    "java": [memcache, taskqueue_java, images, mail, platform, urlfetch],
}
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "apps" / "differences.md"


def surroundings(api):
    return api.surroundings() if hasattr(api, "surroundings") else contextlib.nullcontext()


def compared():
    return [(reference, api) for reference in sides.REFERENCES for api in APIS[reference]]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "reference, api", compared(), ids=lambda one: one if isinstance(one, str) else one.__name__.split(".")[-1]
)
def test_both_answer_alike(process, api, reference, seed):
    with sides.REFERENCES[reference]() as theirs, surroundings(api) as base:
        ours = sides.petrichor(theirs.codes)
        rest = () if base is None else (base,)
        for number, one in enumerate(api.operations(random.Random(seed), OPERATIONS, reference, *rest)):
            expected, actual = one.work(theirs), one.work(ours)
            if expected != sides.UNKNOWN:
                assert actual == expected, f"SEED={seed}, operation {number}: {one.text}"


@pytest.mark.parametrize("difference", known.DIFFERENCES, ids=lambda one: one.what.replace(" ", "-"))
def test_known_differences(process, difference):
    assert difference.show(sides.petrichor()) == difference.ours
    for reference, side in sides.REFERENCES.items():
        with side() as theirs:
            expected = difference.theirs.get(reference, difference.ours)
            assert difference.show(theirs) == expected, reference


def test_the_document_lists_the_known_differences():
    rows = re.findall(r"^\|[^|]*\| ([^|]+) \|(?:[^|]+\|){4}$", DOCUMENT.read_text(), re.M)
    listed = [what for what in rows if what not in ("What", "---")]
    assert listed == [one.what for one in known.DIFFERENCES]
