"""The same random operations on the server and on the stub of the SDK's testbed give the same answers.

With PETRICHOR_TEST_PEERS, they also run on Google's Java API server. docs/apps/datastore.md and
docs/apps/differences.md list the differences that are known; the operations here avoid them. SEEDS and OPERATIONS in the environment make the search longer; a failure names its seed, and
`SEED=N` replays it.
"""

import contextlib
import os
import random
from typing import Callable, NamedTuple, Optional

import pytest
from differential import sides
from google.appengine.api import datastore_file_stub
from google.appengine.datastore import datastore_pb
from google.appengine.datastore import entity_bytes_pb2 as entity_pb
from google.appengine.runtime import apiproxy_errors
from remote_stub import RemoteStub

APP = "s~differential"
RANDOM_SEED = random.SystemRandom().randrange(1_000, 1_000_000)
SEEDS = [int(os.environ["SEED"])] if "SEED" in os.environ else [*range(int(os.environ.get("SEEDS", "5"))), RANDOM_SEED]
OPERATIONS = int(os.environ.get("OPERATIONS", "120"))
KINDS = ["A", "B"]
PROPERTIES = ["p", "q", "r"]
DEFECT = "defect"
Filter = datastore_pb.Query.Filter
Property = entity_pb.Property


def key(path):
    reference = entity_pb.Reference(app=APP)
    for kind, name in path:
        element = reference.path.element.add(type=kind)
        if isinstance(name, int):
            element.id = name
        else:
            element.name = name
    return reference


class Random:
    """Random messages; equal seeds give equal messages."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def path(self):
        path = [(self.random.choice(KINDS), self.random.choice([1, 2, 3, "x", "y"]))]
        if self.chance(0.4):
            path.append((self.random.choice(KINDS), self.random.choice([1, 2, "z"])))
        return path

    def key(self):
        return key(self.path())

    def value(self, name, indexed=True, types=9):
        prop = Property(name=name, multiple=False)
        choice = self.random.randrange(types)
        if choice == 0:
            prop.value.SetInParent()
        elif choice == 1:
            prop.value.int64Value = self.random.randrange(-2, 6)
        elif choice == 2:
            prop.value.int64Value = 1_000_000 * self.random.randrange(6) + 500_000
            prop.meaning = Property.GD_WHEN
        elif choice == 3:
            prop.value.booleanValue = self.chance(0.5)
        elif choice == 4:
            prop.value.stringValue = self.random.choice([b"", b"a", b"ab", b"b", "ä".encode(), b"z"])
            if self.chance(0.2):
                prop.meaning = self.random.choice([Property.ATOM_LINK, Property.GD_EMAIL, Property.BLOBKEY])
        elif choice == 5:
            prop.value.doubleValue = self.random.choice([-1.5, 0.0, 0.25, 3.0])
        elif choice == 6:
            prop.value.pointvalue.x = self.random.choice([-1.0, 0.0, 2.0])
            prop.value.pointvalue.y = self.random.choice([-1.0, 3.0])
            prop.meaning = Property.GEORSS_POINT
        elif choice == 7:
            reference = prop.value.referencevalue
            reference.app = APP
            for kind, name in self.path():
                element = reference.pathelement.add(type=kind)
                if isinstance(name, int):
                    element.id = name
                else:
                    element.name = name
        elif choice == 8:
            prop.value.stringValue = bytes([0xFF, self.random.randrange(3)])
            prop.meaning = Property.BYTESTRING
        return prop

    def entity(self):
        entity = entity_pb.EntityProto()
        entity.key.CopyFrom(self.key())
        entity.entity_group.element.add().CopyFrom(entity.key.path.element[0])
        for name in PROPERTIES:
            fate = self.random.random()
            if fate < 0.5:
                entity.property.add().CopyFrom(self.value(name))
            elif fate < 0.7:
                for _ in range(self.random.randrange(2, 4)):
                    prop = entity.property.add()
                    prop.CopyFrom(self.value(name))
                    prop.multiple = True
            elif fate < 0.8:
                entity.raw_property.add().CopyFrom(self.value(name))
        if self.chance(0.2):
            text = entity.raw_property.add(name="text", multiple=False, meaning=Property.TEXT)
            text.value.stringValue = b"t" * 2000
        return entity

    def query(self):
        query = datastore_pb.Query(app=APP, count=self.random.choice([1, 2, 5, 100]))
        if not self.chance(0.1):
            query.kind = self.random.choice(KINDS)
        if self.chance(0.3):
            query.ancestor.CopyFrom(self.key())
        if query.kind:
            self.conditions(query)
        elif self.chance(0.5):
            self.key_filter(query)
        if self.chance(0.3):
            query.limit = self.random.randrange(8)
        if self.chance(0.3):
            query.offset = self.random.randrange(5)
        return query

    def key_filter(self, query):
        condition = query.filter.add(op=self.random.choice([Filter.LESS_THAN, Filter.GREATER_THAN, Filter.EQUAL]))
        prop = condition.property.add(name="__key__", multiple=False)
        prop.value.referencevalue.app = APP
        for kind, name in self.path():
            element = prop.value.referencevalue.pathelement.add(type=kind)
            if isinstance(name, int):
                element.id = name
            else:
                element.name = name

    def conditions(self, query):
        names = self.random.sample(PROPERTIES, k=3)
        equal = names[: self.random.randrange(3)]
        for name in equal:
            query.filter.add(op=Filter.EQUAL).property.add().CopyFrom(self.value(name))
        ordered = names[len(equal) :]
        if self.chance(0.4):
            low = query.filter.add(op=self.random.choice([Filter.GREATER_THAN, Filter.GREATER_THAN_OR_EQUAL]))
            low.property.add().CopyFrom(self.value(ordered[0]))
            if self.chance(0.5):
                high = query.filter.add(op=self.random.choice([Filter.LESS_THAN, Filter.LESS_THAN_OR_EQUAL]))
                high.property.add().CopyFrom(self.value(ordered[0]))
            self.order(query, ordered[0])
        elif self.chance(0.6):
            for name in ordered[: self.random.randrange(1, 3)]:
                self.order(query, name)
        if self.chance(0.2):
            self.order(query, "__key__")
        if self.chance(0.2):
            query.keys_only = True
        elif self.chance(0.2):
            query.property_name.extend(ordered)
            if self.chance(0.4):
                query.group_by_property_name.extend(self.grouped(query, ordered))

    def grouped(self, query, names):
        """Properties that are ordered come first in groups; a query without orders leaves the order of groups open."""
        given = [order.property for order in query.order if order.property != "__key__"]
        if len(given) != len(query.order):
            return []
        if not given and not query.filter:
            self.order(query, names[0])
            return names[:1]
        return given

    def order(self, query, name):
        query.order.add(property=name, direction=self.random.choice([1, 2]))


def normal_property(prop):
    value = prop.value.SerializeToString()
    return prop.name, prop.multiple, prop.meaning, value


def normal_entity(entity):
    return (
        entity.key.SerializeToString(),
        sorted((normal_property(p) for p in entity.property), key=lambda p: p[0]),
        sorted((normal_property(p) for p in entity.raw_property), key=lambda p: p[0]),
    )


class Side:
    """One of the two implementations; `send` makes a call.

    Without `codes`, all refusals are equal. Without `cursors`, no query is resumed within a batch.
    """

    def __init__(self, send, codes=True, cursors=True):
        self.send = send
        self.codes = codes
        self.cursors = cursors
        self.transaction = None

    def call(self, method, request, response):
        try:
            self.send("datastore_v3", method, request, response)
        except apiproxy_errors.ApplicationError as error:
            return f"error {error.application_error}" if self.codes else "error"
        except apiproxy_errors.RPCFailedError:
            if self.codes:
                raise
            return "error"  # the reply of the Java API server to each refusal
        except TypeError:  # the stub cannot order an array that has ids and names of keys
            return DEFECT
        return response

    def within(self, request):
        if self.transaction is not None:
            request.transaction.CopyFrom(self.transaction)
        return request

    def put(self, entity):
        answer = self.call("Put", self.within(datastore_pb.PutRequest(entity=[entity])), datastore_pb.PutResponse())
        return answer if isinstance(answer, str) else [k.SerializeToString() for k in answer.key]

    def delete(self, reference):
        request = self.within(datastore_pb.DeleteRequest(key=[reference]))
        answer = self.call("Delete", request, datastore_pb.DeleteResponse())
        return answer if isinstance(answer, str) else "deleted"

    def get(self, references):
        request = self.within(datastore_pb.GetRequest(key=references))
        answer = self.call("Get", request, datastore_pb.GetResponse())
        if isinstance(answer, str):
            return answer
        return [normal_entity(e.entity) if e.HasField("entity") else None for e in answer.entity]

    def query(self, given, compile_after):
        """All batches; with `compile_after`, continues by a cursor after so many results."""
        compile_after = compile_after if self.cursors else None
        query = datastore_pb.Query()
        query.CopyFrom(given)
        if self.transaction is not None and query.HasField("ancestor"):
            query.transaction.CopyFrom(self.transaction)
        query.compile = compile_after is not None
        results, skipped = [], 0
        result = self.call("RunQuery", query, datastore_pb.QueryResult())
        while True:
            if isinstance(result, str):
                return result
            results += [normal_entity(e) for e in result.result]
            skipped += result.skipped_results
            if compile_after is not None and len(results) > compile_after and result.result_compiled_cursor:
                surplus = len(results) - compile_after
                cursor = result.result_compiled_cursor[len(result.result) - surplus]
                rest = datastore_pb.Query()
                rest.CopyFrom(given)
                rest.compiled_cursor.CopyFrom(cursor)
                rest.ClearField("offset")
                rest.ClearField("limit")
                more = self.query(rest, None)
                return "cursor", results[: compile_after + 1], more
            if not result.more_results:
                return results, skipped
            request = datastore_pb.NextRequest(cursor=result.cursor, count=given.count, compile=query.compile)
            result = self.call("Next", request, datastore_pb.QueryResult())

    def begin(self):
        request = datastore_pb.BeginTransactionRequest(app=APP, allow_multiple_eg=True)
        self.transaction = self.call("BeginTransaction", request, datastore_pb.Transaction())
        return "began"

    def end(self, method):
        from google.appengine.api import api_base_pb2

        response = datastore_pb.CommitResponse() if method == "Commit" else api_base_pb2.VoidProto()
        answer = self.call(method, self.transaction, response)
        self.transaction = None
        return answer if isinstance(answer, str) else method

    def outside(self, work):
        """Does something besides the open transaction."""
        transaction, self.transaction = self.transaction, None
        try:
            return work(self)
        finally:
            self.transaction = transaction

    def conflict(self, entity):
        """Another writer changes what the transaction has read and writes."""
        before = self.get([entity.key])
        self.outside(lambda side: side.put(entity))
        after = self.get([entity.key])
        return before, after, self.put(entity), self.end("Commit")

    def no_conflict(self, entity):
        """Another writer changes an entity group that the transaction does not use."""
        return self.outside(lambda side: side.put(entity)), self.end("Commit")


class Operation(NamedTuple):
    """What each side does, and a text for a failure."""

    work: Callable
    text: str
    query: Optional[datastore_pb.Query] = None
    opens: Optional[bool] = None  # whether a transaction is open afterwards, if that changes


def operation(rnd, in_transaction):
    choice = rnd.random.random()
    if choice < 0.35:
        entity = rnd.entity()
        return Operation(lambda side: side.put(entity), f"Put {entity}")
    if choice < 0.42:
        reference = rnd.key()
        return Operation(lambda side: side.delete(reference), f"Delete {reference}")
    if choice < 0.5:
        references = [rnd.key() for _ in range(3)]
        return Operation(lambda side: side.get(references), f"Get {references}")
    if choice < 0.6:
        if not in_transaction:
            return Operation(Side.begin, "BeginTransaction", opens=True)
        method = rnd.random.choice(["Commit", "Commit", "Rollback"])
        return Operation(lambda side: side.end(method), method, opens=False)
    if choice < 0.63 and in_transaction:
        return interference(rnd)
    query = rnd.query()
    after = rnd.random.randrange(4) if rnd.chance(0.4) and not query.group_by_property_name else None
    return Operation(lambda side: side.query(query, after), f"RunQuery {query} cursor after {after}", query)


def interference(rnd):
    """The transaction ends at once: the stub reads each group as of its first use, the server all as of the first one."""
    entity = rnd.entity()
    if rnd.chance(0.5):
        return Operation(lambda side: side.conflict(entity), f"Conflict {entity}", opens=False)
    for element in (entity.key.path.element[0], entity.entity_group.element[0]):
        element.ClearField("id")
        element.name = "elsewhere"
    return Operation(lambda side: side.no_conflict(entity), f"Put elsewhere {entity}", opens=False)


def operations(seed):
    rnd = Random(seed)
    in_transaction = False
    for _ in range(OPERATIONS):
        one = operation(rnd, in_transaction)
        in_transaction = in_transaction if one.opens is None else one.opens
        yield one


def create_indexes(side, sequence):
    """A transaction cannot use an index that is younger; the stub needs no indexes."""
    for one in sequence:
        if one.query is not None:
            side.query(one.query, None)


def alike(expected, actual):
    """Both answers, without what the stub cannot do."""
    if DEFECT in expected:
        return DEFECT, DEFECT
    if expected[0] == "cursor" and expected[2] == "error 1":
        # The stub refuses its own cursors if an order is on a property with several values.
        return expected[:2], actual[:2]
    return expected, actual


@contextlib.contextmanager
def stub_side():
    stub = datastore_file_stub.DatastoreFileStub(APP, None, trusted=True, use_atexit=False)
    yield Side(stub.MakeSyncCall)


@contextlib.contextmanager
def java_side():
    """Its refusals have no codes, and its cursors of results point behind their batch."""
    with sides.JavaApiServer() as server:
        yield Side(server.send, codes=False, cursors=False)


SIDES = {"testbed": stub_side, "java": java_side}


@pytest.mark.parametrize("reference", sides.REFERENCES)
@pytest.mark.parametrize("seed", SEEDS)
def test_both_answer_alike(process, capsys, seed, reference):
    if seed == RANDOM_SEED:
        with capsys.disabled():
            print(f"\nSEED={seed}")
    sequence = list(operations(seed))
    with SIDES[reference]() as theirs:
        ours = Side(RemoteStub(APP[2:]).MakeSyncCall, theirs.codes, theirs.cursors)
        create_indexes(ours, sequence)
        for number, one in enumerate(sequence):
            expected, actual = alike(one.work(theirs), one.work(ours))
            assert actual == expected, f"seed {seed}, operation {number}: {one.text}"
