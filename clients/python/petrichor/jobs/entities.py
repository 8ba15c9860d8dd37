"""Selects the entities that a plan reads or writes."""

import os
from typing import NamedTuple

from petrichor.jobs.fields import PlanError

ADDRESS = "DATASTORE_EMULATOR_HOST"
PROJECTS = ("DATASTORE_PROJECT_ID", "DATASTORE_DATASET", "GOOGLE_CLOUD_PROJECT")


class Entities(NamedTuple):
    """The entities of a namespace in a database of a project, on a server.

    Defaults come from the environment, as in Google's clients: the server from DATASTORE_EMULATOR_HOST, else
    localhost:8081, the project from DATASTORE_PROJECT_ID, else demo. A token is stored in the plan's document in
    clear text.
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
