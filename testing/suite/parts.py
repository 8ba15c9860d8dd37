"""The parts of the test suite, and their selection for a run."""

import fnmatch
import pathlib
import re
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = re.compile(r"<module>([^<]+)</module>")
SLOW_TAG = re.compile(r'^\s*@Tag\("(?:slow|campaign)"\)', re.M)
PARENTS = re.compile(r"\b(?:extends|implements)\s+([^{]*)\{")
CONFORMANCE = "testing/conformance/src/main/java"
SLOW_CLASS = re.compile(r'^@Tag\("(?:slow|campaign)"\)', re.M)
SUREFIRE_NAMES = ("Test*.java", "*Test.java", "*Tests.java", "*TestCase.java")

OFFICIAL_CLIENTS = ("python-datastore", "python-ndb", "go", "node", "java")
SDKS = ("appengine-python", "appengine-go", "appengine-java", "appengine-go-v1")
TASKS = ("cloud-tasks-python", "cloud-tasks-go", "cloud-tasks-node", "cloud-tasks-java")
STORAGE = ("python-storage", "go-storage", "node-storage", "java-storage")
SQL = ("sql-python", "sql-go", "sql-node", "sql-java", "sql-tools")
CLIENTS = (*OFFICIAL_CLIENTS, *SDKS, *TASKS, *STORAGE, *SQL, "python", "python-workflows", "java-workflows")
# Two servers over a store; one of them is killed. HBase's driver has the largest class path, and only this test
# starts it through the launcher.
CLIENTS_ON_STORES = (("python-datastore", "postgresql"), ("java", "postgresql"), ("python-datastore", "hbase"))
EXAMPLES = (
    "guestbook/python", "guestbook/java", "guestbook/appengine", "gallery", "words", "chat", "bot", "cities", "cities/sql",
    "jobs", "mapreduce",
    "deployed/shell", "deployed/sieves", "deployed/guestbook/appengine", "deployed/gallery", "deployed/chat",
    "deployed/links", "deployed/notes", "deployed/polls", "deployed/visits",
)


class Part(NamedTuple):
    """One selectable part. `kind` selects its runner: java, java-slow, client, example or own."""

    name: str
    kind: str
    fast: bool
    module: str = ""
    store: str = ""


def modules(root=ROOT):
    """The modules of the reactor in its order; jobs/oracle is in a profile."""
    return list(dict.fromkeys(MODULE.findall((root / "pom.xml").read_text())))


def test_classes(module, root=ROOT):
    folder = root / module / "src" / "test" / "java"
    return sorted(
        file for file in folder.rglob("*.java") if any(fnmatch.fnmatch(file.name, name) for name in SUREFIRE_NAMES)
    )


def slow_interfaces(root=ROOT):
    """Names of the conformance interfaces with slow tests, of their own or inherited."""
    sources = {file.stem: file.read_text() for file in (root / CONFORMANCE).rglob("*.java")}
    slow = {name for name, source in sources.items() if SLOW_TAG.search(source)}
    grown = True
    while grown:
        heirs = {
            name
            for name, source in sources.items()
            if name not in slow and any(parent in slow for parent in parents(source))
        }
        slow |= heirs
        grown = bool(heirs)
    return slow


def parents(source):
    """The names of the interfaces that an interface extends or a class implements."""
    return {name for clause in PARENTS.findall(source) for name in re.findall(r"\w+", clause)}


def java_parts(root=ROOT):
    fast, slow = [], []
    inherited = slow_interfaces(root)
    for module in modules(root):
        sources = [file.read_text() for file in test_classes(module, root)]
        if any(not SLOW_CLASS.search(source) for source in sources):
            fast.append(Part(module, "java", module != "jobs/oracle", module))
        if any(SLOW_TAG.search(source) or parents(source) & inherited for source in sources):
            slow.append(Part(f"{module}:slow", "java-slow", False, module))
    return fast, slow


def all_parts(root=ROOT):
    """In the order in which they run."""
    fast, slow = java_parts(root)
    clients = [Part(f"clients/{name}", "client", True, name) for name in CLIENTS]
    on_stores = [Part(f"clients/{name}@{store}", "client", False, name, store) for name, store in CLIENTS_ON_STORES]
    examples = [Part(f"examples/{name}", "example", True, name) for name in EXAMPLES]
    own = Part("testing/suite", "own", True)
    return [own, *fast, *clients, *examples, *on_stores, *slow]


def selected(parts, everything, only):
    """The parts of a tier, or those that match the patterns of --only; an unknown name is an error."""
    if not only:
        return [part for part in parts if everything or part.fast]
    chosen = []
    for pattern in only:
        found = [part for part in parts if matches(part.name, pattern)]
        if not found:
            raise ValueError(f"no part is called {pattern}; `./petrichor test --list` shows them all")
        chosen += found
    return [part for part in parts if part in chosen]


def matches(name, pattern):
    """`kv` and `kv/*` select the folder, `*:slow` every slow part; a full name selects itself alone."""
    return name == pattern or fnmatch.fnmatch(name, pattern) or name.startswith(pattern.rstrip("/") + "/")
