"""Pictures for tests."""

import struct
import uuid
import zlib


def png(width, height):
    """Rows of slowly changing colours, followed by a chunk that enlarges the file beyond one fetch."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def row(y):
        return b"".join(bytes((x * 255 // width, y * 255 // height, 128)) for x in range(width))

    rows = b"".join(b"\0" + row(y) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    noise = uuid.uuid4().bytes * 100_000
    chunks = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"teSt", noise), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
