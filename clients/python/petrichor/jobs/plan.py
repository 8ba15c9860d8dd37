"""Plans: programs over data sets, defined before anything runs."""

import json
import os
import sys

import petrichor
from petrichor.jobs import functions, parquet, run
from petrichor.jobs.data_set import DataSet, Iteration, typed
from petrichor.jobs.entities import Entities
from petrichor.jobs.fields import PlanError, fields_of

VERSION = 1
FIXED_BYTES = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "FLOAT64": 8}


class Plan:
    """A program: starts with `read_…`, ends with `write_…`. Nothing runs before `run`."""

    def __init__(self, name, parallelism=2):
        self.name = name
        self.parallelism = parallelism
        self.nodes = []

    # ---- sources; paths name a file, a folder of files, or a pattern such as "data/**/*.csv"

    def read_text(self, path):
        """Reads lines: records of one text field, `line`."""
        return self._read({"path": os.path.abspath(path), "format": "text"}, [("line", "TEXT")])

    def read_csv(self, path, columns, separator=",", header=True, by_position=False, unsplit=False):
        """Reads delimited text. `columns` are names and types, matched with the names in the header of each
        file.

        Without a header, or with `by_position`, they are the first columns in order; None skips a column. An
        empty field is None, `""` an empty text. `unsplit` reads each file as a whole, for quoted texts that
        look like delimited text themselves.
        """
        said = columns.items() if isinstance(columns, dict) else columns
        wanted = [(index, pair) for index, pair in enumerate(said) if pair[1] is not None]
        fields = fields_of([pair for _, pair in wanted])
        described = typed(fields)
        if by_position or not header:
            described = [one | {"index": index} for (index, _), one in zip(wanted, described, strict=True)]
        node = {"path": os.path.abspath(path), "format": "csv", "separator": separator, "header": header}
        if unsplit:
            node["unsplit"] = True
        return self._read(node | {"columns": described}, fields)

    def read_fixed(self, path, columns, lengths):
        """Reads records of fixed length; `lengths` sets the bytes of texts and bytes, by field."""
        fields = fields_of(columns)
        described = fixed_columns(fields, lengths)
        return self._read({"path": os.path.abspath(path), "format": "fixed", "columns": described}, fields)

    def read_parquet(self, path, columns=None):
        """Reads columns of Parquet files, by name and type. Without `columns`, reads all columns of the first file."""
        fields = parquet.fields_of_file(path) if columns is None else fields_of(columns)
        return self._read({"path": os.path.abspath(path), "format": "parquet", "columns": typed(fields)}, fields)

    def read_entities(self, kind, fields, of=None):
        """Reads all entities of a kind, at the start time of the plan. `fields` are properties, and
        optionally `__key__`.

        The key is a name (str), an id (int) or a whole key (bytes). `of` is an `Entities`; its default is set
        by the environment.
        """
        return self._read_entities({"kind": kind}, fields, of)

    def read_gql(self, gql, fields, of=None):
        """Like `read_entities`, for the results of a GQL query."""
        return self._read_entities({"gql": gql}, fields, of)

    def _read_entities(self, which, fields, of):
        fields = fields_of(fields)
        described = {"format": "entities", "database": (of or Entities()).described(), "columns": typed(fields)}
        return self._read(described | which, fields)

    def _read(self, node, fields):
        return self._add({"contract": "read"} | node, fields)

    def iterate(self, initial, rounds):
        """Repeats a part of the plan: from the `current` of the returned object to its `close`."""
        node = {"contract": "iterate", "inputs": [initial.number], "rounds": rounds}
        return Iteration(initial, self._add(node, initial.fields))

    # ---- execution

    def run(self, server=None, quiet=False, workers=0):
        """Runs the plan to its end; progress goes to standard error. Returns a `Result`, or raises JobFailed.

        Runs on this machine without a server, or on a server: `server="localhost:8081"`. With `workers`,
        tasks run in this many worker processes; if one dies, its stage restarts.
        """
        return run.run(self, server, quiet, workers)

    def explain(self):
        """The execution plan and its reasons, as text."""
        return run.explain(self)

    def document(self):
        """The plan in the JSON format of `petrichor job run`."""
        packages = os.path.dirname(os.path.dirname(os.path.abspath(petrichor.__file__)))
        python = {"executable": sys.executable, "packages": packages, "program": functions.program()}
        return json.dumps(
            {
                "format": "petrichor-plan",
                "version": VERSION,
                "name": self.name,
                "parallelism": self.parallelism,
                "python": python,
                "nodes": self.nodes,
            }
        )

    def _add(self, node, fields):
        if functions.in_worker:
            raise PlanError(
                "a worker imports the script to find its functions, and must not write the plan again: "
                'put what makes and runs it beneath  if __name__ == "__main__":'
            )
        self.nodes.append(node)
        return DataSet(self, len(self.nodes) - 1, fields)


def fixed_columns(fields, lengths):
    columns = []
    for described in typed(fields):
        length = FIXED_BYTES.get(described["type"]) or lengths.get(described["name"])
        if length is None:
            raise PlanError(f"set the length in bytes of the field {described['name']!r}")
        columns.append(described | {"bytes": length})
    return columns
