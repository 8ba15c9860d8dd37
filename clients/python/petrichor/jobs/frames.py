"""The protocol between the engine and a worker.

A frame is a letter, three zero bytes, the length of its content (int32, little-endian) and the content. To a worker:
`S` its task, `B` records, `E` no more records. From a worker: `T` a batch was taken, `B` records, `E` no more
records, `F` the function failed.
"""

import struct
import threading

import pyarrow as pa

HEADER = struct.Struct("<cxxxi")


class Gone(Exception):
    """The engine has ended."""


class Frames:
    def __init__(self, source, target):
        self.source = source
        self.target = target
        self.writing = threading.Lock()

    def read(self):
        header = self.source.read(HEADER.size)
        if len(header) < HEADER.size:
            raise Gone()
        letter, length = HEADER.unpack(header)
        content = self.source.read(length)
        if len(content) < length:
            raise Gone()
        return letter, content

    def write(self, letter, content=b""):
        try:
            with self.writing:
                self.target.write(HEADER.pack(letter, len(content)))
                self.target.write(content)
                self.target.flush()
        except (BrokenPipeError, ValueError):
            raise Gone() from None

    def batches(self, schemas):
        """Yields input until the engine has no more: pairs of the starts of groups, and a batch per input."""
        while True:
            letter, content = self.read()
            if letter == b"E":
                return
            self.write(b"T")
            yield _parse(content, schemas)

    def write_batch(self, batch):
        self.write(b"B", batch.serialize())


def _parse(content, schemas):
    numbers = memoryview(content)[: len(content) & -4].cast("i")
    groups, inputs = numbers[0], numbers[1]
    starts = numbers[2 : 2 + groups * inputs].tolist()
    head = 2 + groups * inputs + inputs
    at = (4 * head + 7) & -8
    buffer = pa.py_buffer(content)
    batches = []
    for number, schema in enumerate(schemas):
        length = numbers[2 + groups * inputs + number]
        message = pa.ipc.read_message(buffer.slice(at, length))
        batches.append(pa.ipc.read_record_batch(message, schema))
        at += length
    return starts, batches
