"""Reads and writes cities until it is stopped with Ctrl-C or SIGTERM, then counts failures.

Each round writes a visit, reads it back, and reads a city. A request that fails, and a visit that
is missing at the end, are failures.
"""

import signal
import sys
import threading
import time

import cities

VISIT = "Visit"
REPORT_SECONDS = 5


def main():
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    client = cities.client()
    places = [city.key for city in client.query(kind=cities.KIND).fetch(limit=100)]
    if not places:
        sys.exit("there are no cities; run `examples/cities/run load` first")
    written, failures, slowest = 0, 0, 0.0
    reported = time.monotonic()
    while not stopped.is_set():
        start = time.monotonic()
        try:
            visit = cities.datastore.Entity(client.key(VISIT, written + 1))
            visit["city"] = places[written % len(places)].name
            client.put(visit)
            written += 1
            if client.get(visit.key) is None or client.get(places[written % len(places)]) is None:
                raise LookupError("an entity is missing")
        except Exception as failed:  # every failure counts
            failures += 1
            print(f"failed: {failed}", file=sys.stderr)
        slowest = max(slowest, time.monotonic() - start)
        if time.monotonic() - reported > REPORT_SECONDS:
            reported = time.monotonic()
            print(f"{written:,} visits, {failures} failures, slowest {slowest * 1000:.0f} ms")
            slowest = 0.0
    found = client.aggregation_query(client.query(kind=VISIT)).count(alias="n").fetch()
    stored = next(iter(found))[0].value
    print(f"{written:,} visits written, {stored:,} found, {failures} failures")
    sys.exit(1 if failures or stored < written else 0)


if __name__ == "__main__":
    main()
