"""Compares the examples' results on small inputs with an independent computation."""

import collections
import math
import pathlib
import random
import re

import pytest
from test_failures import run_script

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


def test_word_count(folder):
    text = [pathlib.Path(__file__).read_text(), (EXAMPLES / "k_means.py").read_text()]
    source = folder.lines("in.txt", text)
    ended = run_script(EXAMPLES / "word_count.py", source, folder / "out.csv")
    assert ended.returncode == 0, ended.stderr
    want = collections.Counter(word.lower() for word in re.findall(r"\w+", source.read_text(), re.ASCII))
    assert folder.rows("out.csv") == [[w, str(n)] for w, n in sorted(want.items(), key=lambda pair: (-pair[1], pair[0]))]


def test_k_means(folder):
    chance = random.Random(7)
    middles = [(0, 0), (10, 0), (0, 10)]
    places = [tuple(chance.gauss(c, 1) for c in middles[number % 3]) for number in range(300)]
    source = folder.table("in.csv", ["id", "x", "y"], [(number, *place) for number, place in enumerate(places)])
    ended = run_script(EXAMPLES / "k_means.py", source, folder / "out.csv", "3")
    assert ended.returncode == 0, ended.stderr
    centres = dict(enumerate(places[:3]))
    change = math.inf
    while change > 1e-9:
        near = collections.defaultdict(list)
        for place in places:
            near[min(centres, key=lambda centre: math.dist(place, centres[centre]))].append(place)
        after = {centre: tuple(math.fsum(axis) / len(axis) for axis in zip(*near[centre])) for centre in near}
        change = max(math.dist(centres[centre], after[centre]) for centre in after)
        centres = after
    got = [[float(value) for value in row] for row in folder.rows("out.csv")]
    assert got == [pytest.approx([centre, *centres[centre]], rel=1e-6, abs=1e-6) for centre in sorted(centres)]
