"""Clusters of places: each iteration moves the centres to the mean of their nearest places.

    python k_means.py PLACES RESULT [CLUSTERS]

PLACES is a CSV with the columns id, x and y. A cluster begins at each of the first places.
"""

import math
import sys

from petrichor.jobs import Plan, average_of

ROUNDS_MAX = 100
SETTLED = 1e-9
CENTRE = {"centre": int, "x": float, "y": float}
NEAR = {"id": int, "x": float, "y": float, "centre": int, "distance": float}


def distance(place, centre):
    return place.id, place.x, place.y, centre.centre, math.dist((place.x, place.y), (centre.x, centre.y))


def nearest(_place, rows):
    """The smallest distance of a place; the first centre if several are equal."""
    return min(rows, key=lambda row: (row.distance, row.centre))


def moved(before, after):
    return after if math.dist(before[1:], after[1:]) > SETTLED else None


def main(source, result, clusters="5"):
    count = int(clusters)
    plan = Plan("k-means", parallelism=2)
    places = plan.read_csv(source, {"id": int, "x": float, "y": float})
    begin = places.filter(lambda row: row.id < count, reads=["id"]).project(centre="id", x="x", y="y")
    loop = plan.iterate(begin, ROUNDS_MAX)
    after = (
        places.cross(loop.current.hints(records=count), distance, NEAR)
        .group_by("id")
        .reduce(nearest, NEAR, combiner=nearest)
        .group_by("centre")
        .aggregate(x=average_of("x"), y=average_of("y"))
    )
    last = loop.close_while(after, loop.current.match(after, "centre", moved, CENTRE))
    last.sort_by("centre").write_csv(result)
    plan.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
