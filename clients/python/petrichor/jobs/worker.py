"""A worker process, which runs one function for one subtask: `python -m petrichor.jobs.worker`.

Frames are read from standard input and written to standard output. The function has no access to them: its output
goes to standard error. The process ends when the engine has no more input, when the input ends, or when its parent
has died, even while the function runs.
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
    """Reserves the pipes for frames; gives functions other descriptors 0 and 1."""
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
    # Stack frames of this package are of no use to the user.
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
    """Exits without waiting for threads that the function has started."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
