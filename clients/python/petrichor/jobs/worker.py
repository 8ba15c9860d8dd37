"""The process that runs one function for one subtask: `python -m petrichor.jobs.worker`.

Frames come over the standard input and leave over the standard output, which the function never sees:
what it prints goes to the standard error. The process ends when the engine has no more for it, when the
input ends, or when its parent has died, whatever the function does then.
"""

import json
import os
import sys
import threading
import time
import traceback

from petrichor.jobs import functions
from petrichor.jobs.emitter import Emitter, FunctionFailed
from petrichor.jobs.fields import schema_of
from petrichor.jobs.frames import Frames, Gone
from petrichor.jobs.shapes import SHAPES

ORPHAN_LOOK_SECONDS = 0.5
TRACEBACK_CHARS_MAX = 8000
BUFFER_BYTES = 1 << 16
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))


def main():
    frames = take_over_streams()
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    functions.in_worker = True
    try:
        letter, content = frames.read()
        assert letter == b"S", letter
        work(json.loads(content), frames)
        frames.write(b"E")
    except Gone:
        leave(1)
    except FunctionFailed as failed:
        tell(frames, failed.cause, failed.where)
    except BaseException as problem:
        if isinstance(problem, SystemExit):
            sys.stderr.flush()
            leave(problem.code if isinstance(problem.code, int) else 1)
        tell(frames, problem, "")
    leave(0)


def work(setup, frames):
    inputs = [schema_of(map(tuple, fields)) for fields in setup["inputs"]]
    output = schema_of(map(tuple, setup["output"]))
    functions.restore(json.loads(setup["program"]), functions.needs_main(setup["function"]))
    function = functions.load(setup["function"])
    run, what = SHAPES[setup["shape"]]
    emitter = Emitter(frames, output, setup["batch_rows_max"], setup["batch_bytes_max"], what)
    run(function, frames.batches(inputs), emitter, inputs, setup["keys"])


def take_over_streams():
    """The pipes become ours; descriptors 0 and 1 are what functions may read and write."""
    source = os.fdopen(os.dup(0), "rb", BUFFER_BYTES)
    target = os.fdopen(os.dup(1), "wb", BUFFER_BYTES)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    return Frames(source, target)


def end_with_parent(parent):
    while os.getppid() == parent:
        time.sleep(ORPHAN_LOOK_SECONDS)
    os._exit(1)


def tell(frames, problem, where):
    lines = traceback.TracebackException.from_exception(problem)
    # The frames of this package say nothing to the author.
    lines.stack = traceback.StackSummary.from_list(
        [frame for frame in lines.stack if os.path.dirname(os.path.abspath(frame.filename)) != OWN_FOLDER]
    )
    text = "".join(lines.format()) if lines.stack else ""
    if len(text) > TRACEBACK_CHARS_MAX:
        text = text[: TRACEBACK_CHARS_MAX // 2] + "\n…\n" + text[-TRACEBACK_CHARS_MAX // 2 :]
    message = "".join(traceback.format_exception_only(problem)).strip()
    told = {"message": message, "where": where, "traceback": text.rstrip()}
    try:
        frames.write(b"F", json.dumps(told).encode())
    except Gone:
        pass


def leave(code):
    """Without waiting for threads that the function has begun."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
