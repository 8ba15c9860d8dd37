"""Data sets, to which further contracts are applied."""

import os

from petrichor.jobs import functions
from petrichor.jobs.entities import Entities
from petrichor.jobs.fields import PlanError, fields_of

IF_EXISTS = ("fail", "overwrite", "append")


class DataSet:
    """The records emitted by a contract. Methods that declare its properties return the same data set.

    Results of functions: a tuple or a dict is one record, None is no record, a list or a generator is several
    records. If the records have one field, its plain value is a record too.
    """

    def __init__(self, plan, number, fields):
        self.plan = plan
        self.number = number
        self.fields = fields

    # ---- contracts

    def map(self, function, fields, name=None):
        """Calls `function(row)` for each record."""
        return self._code("map", [self], "rows", function, fields, name)

    def map_batches(self, function, fields, name=None):
        """Calls `function(batch)` for batches of records: Arrow record batches in and out."""
        return self._code("map", [self], "batches", function, fields, name)

    def filter(self, function, reads=(), name=None):
        """Keeps the records for which `function(row)` is true.

        With `reads`, the row has only these fields, and the filter runs as close to the source as they exist.
        """
        return self._filter("row_filter", function, reads, name)

    def filter_batches(self, function, reads=(), name=None):
        """Like `filter`; `function(batch)` returns a boolean for each record."""
        return self._filter("batch_filter", function, reads, name)

    def project(self, *fields, **renamed):
        """Keeps only these fields, in this order; `new="old"` renames a field."""
        pairs = [(field, field) for field in fields] + [(old, new) for new, old in renamed.items()]
        for old, _ in pairs:
            self._known(old)
        named = [{"field": old, "as": new} for old, new in pairs]
        types = dict(self.fields)
        return self.plan._add(
            {"contract": "project", "inputs": [self.number], "name": "project", "fields": named},
            [(new, types[old]) for old, new in pairs],
        )

    def group_by(self, *fields):
        """Groups records with equal values in these fields."""
        return Grouping(self, [self._known(field) for field in fields])

    def aggregate(self, **aggregates):
        """Computes aggregates over all records, such as `n=count()`."""
        return Grouping(self, []).aggregate(**aggregates)

    def match(self, other, on, function, fields, name=None):
        """Joins two data sets: calls `function(mine, theirs)` for each pair with equal keys.

        `on` is a field of both, a pair (mine, theirs), or a list of those.
        """
        return self._pair("match", other, on, "row_pairs", function, fields, name)

    def match_batches(self, other, on, function, fields, name=None):
        """Like `match`, for batches of pairs: two batches of equal length, whose rows at the same position
        are a pair.
        """
        return self._pair("match", other, on, "batch_pairs", function, fields, name)

    def co_group(self, other, on, function, fields, name=None):
        """Calls `function(key, mine, theirs)` for each key, with the groups of both inputs as lists; one may
        be empty.
        """
        return self._pair("co_group", other, on, "row_group_pairs", function, fields, name)

    def cross(self, other, function, fields, name=None):
        """Calls `function(mine, theirs)` for each pair of records."""
        return self._code("cross", [self, other], "row_pairs", function, fields, name)

    def cross_batches(self, other, function, fields, name=None):
        """Like `cross`, for batches of pairs: two batches of equal length, whose rows at the same position
        are a pair.
        """
        return self._code("cross", [self, other], "batch_pairs", function, fields, name)

    def union(self, *others):
        """Combines these records with those of other data sets with the same fields."""
        for other in others:
            if other.fields != self.fields:
                raise PlanError(f"a union of {self.fields} and {other.fields} is not possible: map one to the other")
        numbers = [self._of_this_plan(one).number for one in (self, *others)]
        return self.plan._add({"contract": "union", "inputs": numbers, "name": "union"}, self.fields)

    def sort_by(self, *fields):
        """Sorts all records; `"-field"` sorts in descending order."""
        key = [{"field": self._known(f.removeprefix("-")), "descending": f.startswith("-")} for f in fields]
        return self.plan._add({"contract": "sort", "inputs": [self.number], "name": "sort", "key": key}, self.fields)

    def first(self, records):
        """Keeps the first records: of a sorted data set in its order, otherwise any."""
        node = {"contract": "first", "inputs": [self.number], "name": "first", "records": records}
        return self.plan._add(node, self.fields)

    # ---- sinks; `if_exists` sets the treatment of an existing result: "fail", "overwrite", or "append" to a folder

    def write_text(self, path, folder=False, if_exists="fail"):
        """Writes records of one text field as lines."""
        self._write(path, folder, if_exists, format="text")

    def write_csv(self, path, separator=",", header=True, folder=False, if_exists="fail"):
        """Writes delimited text. None is an empty field, an empty text is `""`."""
        self._write(path, folder, if_exists, format="csv", separator=separator, header=header)

    def write_fixed(self, path, lengths, folder=False, if_exists="fail"):
        """Writes records of fixed length; `lengths` sets the bytes of texts and bytes, by field."""
        from petrichor.jobs.plan import fixed_columns

        self._write(path, folder, if_exists, format="fixed", columns=fixed_columns(self.fields, lengths))

    def write_parquet(self, path, if_exists="fail"):
        """Writes a folder of Parquet files, one per subtask."""
        self._write(path, True, if_exists, format="parquet")

    def write_entities(self, kind, of=None, unindexed=()):
        """Writes entities of a kind; each field is a property. The field `__key__` is the key, as in
        `read_entities`.

        Without that field every record becomes a new entity. `of` is an `Entities`; its default is set by the
        environment. `unindexed` names properties that are excluded from indexes.
        """
        described = {"kind": kind, "database": (of or Entities()).described()}
        self._sink(format="entities", unindexed=[self._known(field) for field in unindexed], **described)

    def _write(self, path, folder, if_exists, **described):
        if if_exists not in IF_EXISTS:
            raise PlanError(f"if_exists is one of {', '.join(IF_EXISTS)}, not {if_exists!r}")
        if if_exists == "append" and not folder:
            raise PlanError(f"{path} is one file, and only a folder can be appended to: use folder=True")
        self._sink(path=os.path.abspath(path), folder=folder, if_exists=if_exists, **described)

    def _sink(self, **described):
        self.plan._add({"contract": "write", "inputs": [self.number]} | described, self.fields)

    # ---- promises of the function, and hints on sizes

    def constant(self, *fields, side=0):
        """Declares that these fields are emitted unchanged, under the same names."""
        for field in fields:
            self.moved(field, field, side)
        return self

    def moved(self, old, new, side=0):
        """Declares that a field of an input is emitted unchanged, possibly under another name."""
        self._known(new)
        self._promises().setdefault("moved", []).append({"input": side, "from": old, "to": new})
        return self

    def same_key(self, side=0):
        """Declares that the fields of the contract's key are emitted unchanged, under the same names."""
        node = self._node()
        key = node.get("key") or node.get("left_key" if side == 0 else "right_key")
        if not key:
            raise PlanError(f"{node['contract']} has no key: name the constant fields with constant(…)")
        return self.constant(*key, side=side)

    def super_key(self, side=0):
        """Like `same_key`; the next contract groups by these fields and more."""
        return self.same_key(side)

    def unique_key(self, *fields):
        """Declares that no two records are equal in all of these fields."""
        self._promises().setdefault("unique", []).append({"fields": [self._known(field) for field in fields]})
        return self

    def emits_at_most_one(self):
        """Declares that at most one record is emitted per record, group or pair."""
        self._promises()["at_most_one"] = True
        return self

    def hints(self, records=None, bytes_per_record=None, records_per_call=None, distinct=None):
        """Declares sizes; `distinct` is the number of distinct values of fields: `{"country": 200}`."""
        hints = self._node().setdefault("hints", {})
        said = {"records": records, "bytes_per_record": bytes_per_record, "records_per_call": records_per_call}
        hints.update({name: value for name, value in said.items() if value is not None})
        for fields, number in (distinct or {}).items():
            fields = [fields] if isinstance(fields, str) else list(fields)
            hints.setdefault("distinct", []).append(
                {"fields": [self._known(field) for field in fields], "number": number}
            )
        return self

    def parallelism(self, subtasks):
        """Sets the number of subtasks of the contract that emits this data set."""
        self._node()["parallelism"] = subtasks
        return self

    # ---- parts

    def _node(self):
        return self.plan.nodes[self.number]

    def _promises(self):
        return self._node().setdefault("promises", {})

    def _known(self, field):
        if field not in dict(self.fields):
            names = ", ".join(name for name, _ in self.fields)
            raise PlanError(f"there is no field {field!r}; there are {names}")
        return field

    def _of_this_plan(self, other):
        if other.plan is not self.plan:
            raise PlanError(f"a data set of the plan {other.plan.name!r} is used in {self.plan.name!r}: read it here")
        return other

    def _filter(self, shape, function, reads, name):
        reads = [self._known(field) for field in reads]
        node = {"contract": "filter", "inputs": [self.number], "reads": reads} | code(shape, function, name)
        return self.plan._add(node, self.fields)

    def _code(self, contract, inputs, shape, function, fields, name, **more):
        fields = fields_of(fields)
        numbers = [self._of_this_plan(one).number for one in inputs]
        described = {"contract": contract, "inputs": numbers, "type": typed(fields)}
        return self.plan._add(described | more | code(shape, function, name), fields)

    def _pair(self, contract, other, on, shape, function, fields, name):
        pairs = [on] if isinstance(on, (str, tuple)) else list(on)
        pairs = [(pair, pair) if isinstance(pair, str) else pair for pair in pairs]
        left = [self._known(mine) for mine, _ in pairs]
        right = [other._known(theirs) for _, theirs in pairs]
        return self._code(
            contract, [self, other], shape, function, fields, name, left_key=left, right_key=right
        )


class Grouping:
    """Records grouped by a key. Its methods set the contract for each group."""

    def __init__(self, data_set, key):
        self.data_set = data_set
        self.key = key

    def reduce(self, function, fields, combiner=None, name=None):
        """Calls `function(key, rows)` for each group; `rows` is an iterator.

        The key is the value of a single field, or a tuple. A combiner reduces parts of a group before they
        are sent: it has the same parameters, and its results have the fields of its input and the same key.
        """
        return self._reduce("row_groups", function, fields, combiner, name)

    def reduce_batches(self, function, fields, combiner=None, name=None):
        """Like `reduce`: `function(key, batches)` receives an iterator of Arrow record batches and returns batches."""
        return self._reduce("batch_groups", function, fields, combiner, name)

    def _reduce(self, shape, function, fields, combiner, name):
        if not self.key:
            raise PlanError("group_by names no field")
        more = {"key": self.key}
        if combiner is not None:
            more["combiner"] = code(shape, combiner, None)
        return self.data_set._code("reduce", [self.data_set], shape, function, fields, name, **more)

    def aggregate(self, **aggregates):
        """Emits the fields of the key, then these aggregates: `total=sum_of("price"), n=count()`."""
        types = dict(self.data_set.fields)
        for aggregate in aggregates.values():
            if aggregate.field is not None:
                self.data_set._known(aggregate.field)
        computed = [{"function": f.kind, "field": f.field, "as": name} for name, f in aggregates.items()]
        fields = [(name, types[name]) for name in self.key]
        fields += [(name, aggregate.type_over(types)) for name, aggregate in aggregates.items()]
        node = {"contract": "aggregate", "inputs": [self.data_set.number], "key": self.key, "aggregates": computed}
        return self.data_set.plan._add(node | {"name": "aggregates"}, fields_of(fields_words(fields)))

    def distinct(self):
        """Emits every key once."""
        return self.aggregate()


class Iteration:
    """A part of a plan that is repeated: each round reads the result of the previous one."""

    def __init__(self, initial, current):
        self.initial = initial
        self.current = current

    def close(self, result):
        """Ends the body: `result` is the result of a round. Returns that of the last round."""
        return self._close([result])

    def close_while(self, result, still_open):
        """Like `close`; another round follows only if `still_open` has records."""
        return self._close([result, still_open])

    def _close(self, inputs):
        if inputs[0].fields != self.initial.fields:
            raise PlanError(
                f"the body of an iteration must return the fields it receives, {self.initial.fields},"
                f" but returns {inputs[0].fields}"
            )
        node = {"contract": "close", "iteration": self.current.number, "inputs": [one.number for one in inputs]}
        return self.initial.plan._add(node, self.initial.fields)


def typed(fields):
    return [{"name": name, "type": kind} for name, kind in fields]


def fields_words(fields):
    return [(name, kind.lower()) for name, kind in fields]


def code(shape, function, name):
    if not callable(function):
        raise PlanError(f"{function!r} is not a function")
    return {"name": name or functions.name_of(function), "shape": shape, "function": functions.dump(function)}
