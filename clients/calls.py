"""Which calls of App Engine's bundled services an SDK must have made in its tests, and which it made.

The file `calls.txt` in the folder of an SDK names the calls that the SDK offers, one per line as SERVICE.METHOD. The server
counts the calls that a service answered, successfully or with an error of its API.
"""

import pathlib
import re
import urllib.request

TIMEOUT_S = 10
COUNTED = re.compile(
    r'^petrichor_appengine_calls_total\{method="([^"]+)",outcome="(?:OK|APPLICATION_ERROR)",service="([^"]+)"\} (\S+)$',
    re.M,
)


def expected(folder: pathlib.Path) -> list[str]:
    """The calls of the SDK in this folder; empty if it is not one of App Engine's."""
    file = folder / "calls.txt"
    lines = file.read_text().splitlines() if file.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


def answered(environment: dict[str, str]) -> dict[str, float]:
    """The number of answered calls of each method on the server of these environment variables."""
    address = f"http://{environment['API_HOST']}:{environment['API_PORT']}/metrics"
    with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:
        metrics = answer.read().decode()
    counts: dict[str, float] = {}
    for method, service, count in COUNTED.findall(metrics):
        name = f"{service}.{method}"
        counts[name] = counts.get(name, 0) + float(count)
    return counts


def missing(expected_calls: list[str], before: dict[str, float], after: dict[str, float]) -> list[str]:
    """The expected calls whose number has not grown."""
    return [call for call in expected_calls if after.get(call, 0) <= before.get(call, 0)]
