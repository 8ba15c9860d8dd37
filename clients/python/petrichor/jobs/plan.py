"""Plans: programs over sets of records, written down before anything runs."""

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
    """A program: begins with `read_…`, ends with `write_…`. Nothing runs before `run`."""

    def __init__(self, name, parallelism=2):
        self.name = name
        self.parallelism = parallelism
        self.nodes = []

    # ---- sources; those of files take one, a folder of them, or a pattern such as "data/**/*.csv"

    def read_text(self, path):
        """Lines: records of one text field, `line`."""
        return self._read({"path": os.path.abspath(path), "format": "text"}, [("line", "TEXT")])

    def read_csv(self, path, columns, separator=",", header=True, by_position=False, unsplit=False):
        """Separated text. `columns` are names and types, found by the names in the header of each file.

        Without a header, or with `by_position`, they are the first columns in their order; None leaves one out.
        An empty field is None, `""` an empty text. `unsplit` reads each file as a whole, for quoted texts that
        look like separated text themselves.
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
        """Records of fixed length; `lengths` says how many bytes texts and bytes take, by field."""
        fields = fields_of(columns)
        described = fixed_columns(fields, lengths)
        return self._read({"path": os.path.abspath(path), "format": "fixed", "columns": described}, fields)

    def read_parquet(self, path, columns=None):
        """Columns of Parquet files, by name and type; all of them, as the first file has them, if none are named."""
        fields = parquet.fields_of_file(path) if columns is None else fields_of(columns)
        return self._read({"path": os.path.abspath(path), "format": "parquet", "columns": typed(fields)}, fields)

    def read_entities(self, kind, fields, of=None):
        """All entities of a kind, as they are when the plan begins. `fields` are properties, and perhaps `__key__`.

        The key is a name (str), an id (int) or a whole key (bytes). `of` is an `Entities`, by default the one
        that the environment names.
        """
        return self._read_entities({"kind": kind}, fields, of)

    def read_gql(self, gql, fields, of=None):
        """As `read_entities`: what a query in GQL finds."""
        return self._read_entities({"gql": gql}, fields, of)

    def _read_entities(self, which, fields, of):
        fields = fields_of(fields)
        described = {"format": "entities", "database": (of or Entities()).described(), "columns": typed(fields)}
        return self._read(described | which, fields)

    def _read(self, node, fields):
        return self._add({"contract": "read"} | node, fields)

    def iterate(self, initial, rounds):
        """Repeats a part of the plan: from the `current` of what this returns, to its `close`."""
        node = {"contract": "iterate", "inputs": [initial.number], "rounds": rounds}
        return Iteration(initial, self._add(node, initial.fields))

    # ---- what is done with it

    def run(self, server=None, quiet=False, workers=0):
        """Runs it to its end; progress goes to the standard error. Returns what was done, or raises JobFailed.

        On this machine, without a server, or in a server: `server="localhost:8081"`. With `workers` its tasks
        run in so many processes beside the engine's, and when one dies its stage begins again.
        """
        return run.run(self, server, quiet, workers)

    def explain(self):
        """How it would be run, and why so, as text."""
        return run.explain(self)

    def document(self):
        """The plan as `petrichor job run` takes it: JSON."""
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
