"""Which entities are meant, where a plan reads or writes some."""

import os
from typing import NamedTuple

from petrichor.jobs.fields import PlanError

ADDRESS = "DATASTORE_EMULATOR_HOST"
PROJECTS = ("DATASTORE_PROJECT_ID", "DATASTORE_DATASET", "GOOGLE_CLOUD_PROJECT")


class Entities(NamedTuple):
    """Those of a namespace in a database of a project, behind a server.

    What is not said is taken from the environment, as Google's clients do: the server from
    DATASTORE_EMULATOR_HOST, else localhost:8081, the project from DATASTORE_PROJECT_ID, else demo.
    A token stands in the plan's document, where whoever gets that can read it.
    """

    project: str = ""
    server: str = ""
    database: str = ""
    namespace: str = ""
    token: str = ""
    tls: bool = False

    def described(self):
        server = self.server or os.environ.get(ADDRESS) or "localhost:8081"
        host, _, port = server.rpartition(":")
        if not host or not port.isdecimal():
            raise PlanError(f"{server!r} is not the address of a server; use one such as localhost:8081")
        project = self.project or next(filter(None, map(os.environ.get, PROJECTS)), "demo")
        return self._asdict() | {"server": None, "host": host, "port": int(port), "project": project}
