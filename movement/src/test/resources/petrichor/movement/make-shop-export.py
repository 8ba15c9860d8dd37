"""Writes shop-export/ with Google's own message classes, so that the reader is tested on bytes
that it had no part in.

    python3 -m venv v && v/bin/pip install appengine-python-standard==3.1.0 google-crc32c==1.9.0
    v/bin/python make-shop-export.py
"""

import pathlib
import struct

import google_crc32c
from google.appengine.datastore import entity_bytes_pb2 as entity_pb2

FOLDER = pathlib.Path(__file__).parent / "shop-export"
BLOCK = 32 * 1024
P = entity_pb2.Property


class Log:
    """LevelDB's log format."""

    def __init__(self):
        self.out = bytearray()

    def add(self, record):
        first = True
        while True:
            left = BLOCK - len(self.out) % BLOCK
            if left < 7:
                self.out += bytes(left)
                left = BLOCK
            part, record = record[: left - 7], record[left - 7 :]
            kind = (1 if first else 4) if not record else (2 if first else 3)
            crc = google_crc32c.value(bytes([kind]) + part)
            crc = (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
            self.out += struct.pack("<IHB", crc, len(part), kind) + part
            first = False
            if not record:
                return


def entity(*path, namespace="", database=""):
    e = entity_pb2.EntityProto()
    reference(e.key, path, namespace, database)
    e.entity_group.element.add().CopyFrom(e.key.path.element[0])
    return e


def reference(ref, path, namespace="", database=""):
    ref.app = "s~shop"
    if namespace:
        ref.name_space = namespace
    if database:
        ref.database_id = database
    for kind, id_or_name in zip(path[::2], path[1::2]):
        element = ref.path.element.add()
        element.type = kind
        if isinstance(id_or_name, int):
            element.id = id_or_name
        else:
            element.name = id_or_name


def prop(e, name, indexed=True, meaning=0, multiple=False, uri=None):
    p = (e.property if indexed else e.raw_property).add()
    p.name = name
    p.multiple = multiple
    if meaning:
        p.meaning = meaning
    if uri:
        p.meaning_uri = uri
    p.value.SetInParent()
    return p.value


def everything():
    e = entity("Customer", "ann", "Order", 4503599627370497)
    prop(e, "null")
    prop(e, "yes").booleanValue = True
    prop(e, "count").int64Value = -(2**63)
    prop(e, "price").doubleValue = 19.99
    prop(e, "title").stringValue = "Grüße 😀".encode()
    prop(e, "notes", False, P.TEXT).stringValue = b"long " * 30
    prop(e, "raw", False, P.BLOB).stringValue = bytes([0, 1, 254, 255])
    prop(e, "token", True, P.BYTESTRING).stringValue = b"\x00\xff"
    prop(e, "token_raw", False, P.BYTESTRING).stringValue = b"\x00\xff"
    prop(e, "packed", False, P.BLOB, uri="ZLIB").stringValue = b"x\x9c\x03\x00"
    prop(e, "ordered_at", True, P.GD_WHEN).int64Value = 1_700_000_000_123_456
    prop(e, "old", True, P.GD_WHEN).int64Value = -1_500_000
    prop(e, "url", True, P.ATOM_LINK).stringValue = b"https://example.com/"
    point = prop(e, "place", True, P.GEORSS_POINT).pointvalue
    point.x, point.y = 38.7, -9.1
    point = prop(e, "place_plain").pointvalue
    point.x, point.y = 1.5, 2.5
    user = prop(e, "by").uservalue
    user.email, user.auth_domain, user.gaiaid, user.obfuscated_gaiaid = (
        "ann@example.com", "example.com", 0, "1234")
    ref = prop(e, "buyer").referencevalue
    ref.app = "s~shop"
    step = ref.pathelement.add()
    step.type, step.name = "Customer", "ann"
    elsewhere = prop(e, "supplier").referencevalue
    elsewhere.app, elsewhere.name_space = "s~wholesale", "eu"
    step = elsewhere.pathelement.add()
    step.type, step.id = "Firm", 12
    for tag in ("b", "a", "b"):
        prop(e, "tags", True, multiple=True).stringValue = tag.encode()
    prop(e, "tags", False, P.TEXT, multiple=True).stringValue = b"the long one"
    prop(e, "nothing", True, P.EMPTY_LIST)
    inner = entity_pb2.EntityProto()
    inner.key.app = ""
    inner.key.path.SetInParent()
    inner.entity_group.SetInParent()
    prop(inner, "street").stringValue = b"Rua 1"
    prop(inner, "zip", False).int64Value = 1100
    prop(e, "address", False, P.ENTITY_PROTO).stringValue = inner.SerializePartialToString()
    return e


def big():
    e = entity("Blob", "big")
    prop(e, "bytes", False, P.BLOB).stringValue = bytes(range(256)) * 300
    return e


def main():
    entities = [everything(), big()]
    for i in range(1, 40):
        e = entity("Item", i, namespace="stock")
        prop(e, "n").int64Value = i
        entities.append(e)
    named = entity("Item", "other", database="archive")
    prop(named, "n").int64Value = 1
    entities.append(named)

    kinds = FOLDER / "all_namespaces" / "all_kinds"
    kinds.mkdir(parents=True, exist_ok=True)
    outputs = []
    for number, part in enumerate((entities[:5], entities[5:])):
        log = Log()
        for e in part:
            log.add(e.SerializePartialToString())
        (kinds / f"output-{number}").write_bytes(log.out)
        outputs.append(len(log.out))

    def varint(n):
        out = bytearray()
        while n > 127:
            out.append(n & 127 | 128)
            n >>= 7
        return bytes(out + bytes([n]))

    def field(number, value):
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        return varint(number << 3 | 2) + varint(len(value)) + value

    metadata = field(1, field(1, b"shop-export") + field(2, 1) + field(3, 2))
    for number in range(2):
        metadata += field(2, field(1, b"") + field(2, f"output-{number}".encode()))
    (kinds / "all_namespaces_all_kinds.export_metadata").write_bytes(metadata)
    overall = Log()
    overall.add(b"\x33")
    overall.add(field(1, field(1, field(1, 2) + field(3, 3))
                + field(2, b"all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata")
                + field(3, len(entities)) + field(4, sum(outputs))))
    (FOLDER / "shop-export.overall_export_metadata").write_bytes(overall.out)
    print(len(entities), "entities,", sum(outputs), "bytes")


main()
