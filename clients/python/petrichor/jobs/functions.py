"""Sends functions to workers, with the standard library only.

Functions with a name in a module are sent as that name: the worker imports the module, and a script by its path, as
`multiprocessing` does. Lambdas and nested functions are sent as their code, with their closures; their global names
are those of their module.
"""

import base64
import importlib
import io
import marshal
import os
import pickle
import runpy
import sys
import types

from petrichor.jobs.fields import PlanError

EMPTY = "an empty cell"

in_worker = False
"""Whether this process runs functions of a plan instead of writing one."""


def dump(function):
    """Serializes the function as text."""
    buffer = io.BytesIO()
    try:
        _Pickler(buffer).dump(function)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError) as problem:
        raise PlanError(
            f"{name_of(function)} cannot be sent to workers: {problem}; "
            "let it open or make such things when it is first called"
        ) from problem
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def load(text):
    return pickle.loads(base64.b64decode(text))


def name_of(function):
    """The display name of a function."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "function" if name == "<lambda>" else name


def program():
    """The paths by which workers find the modules of functions; passed to `restore`."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    path = getattr(main, "__file__", None)
    return {
        "module": spec.name if spec is not None else None,
        "script": os.path.abspath(path) if path and spec is None else None,
        "path": [os.path.abspath(entry) for entry in sys.path],
        "arguments": sys.argv,
        "folder": os.getcwd(),
    }


def restore(program, needs_main):
    """Makes the same modules importable in a worker, with those of the script in `__main__`."""
    os.chdir(program["folder"])
    sys.argv[:] = program["arguments"]
    known = set(sys.path)
    sys.path.extend(entry for entry in program["path"] if entry not in known)
    if not needs_main:
        return
    module = types.ModuleType("__mp_main__")
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    if program["module"]:
        found = runpy.run_module(program["module"], run_name="__mp_main__", alter_sys=True)
    else:
        found = runpy.run_path(program["script"], run_name="__mp_main__")
    module.__dict__.update(found)


def needs_main(text):
    return b"__main__" in base64.b64decode(text)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        if isinstance(value, (types.FunctionType, type)) and value.__module__ == "__main__":
            main = sys.modules["__main__"]
            if not getattr(main, "__file__", None):
                raise PlanError(
                    f"{value.__qualname__} was typed into an interactive session, where workers cannot find it: "
                    "write it into a file and import that"
                )
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, types.FunctionType) and not _is_found_by_name(value):
            return _by_code(value)
        return NotImplemented


def _is_found_by_name(function):
    found = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is function


def _by_code(function):
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(cell.cell_contents)
        except ValueError:
            cells.append(EMPTY)
    state = (function.__defaults__, function.__kwdefaults__, function.__dict__, function.__qualname__, cells)
    started = (marshal.dumps(function.__code__), function.__module__, function.__name__, len(cells))
    # In two steps, because a function may refer to itself in one of its cells.
    return _begin, started, state, None, None, _fill


def _begin(code, module, name, cells):
    names = importlib.import_module(module).__dict__
    return types.FunctionType(marshal.loads(code), names, name, None, tuple(types.CellType() for _ in range(cells)))


def _fill(function, state):
    defaults, keyword_defaults, attributes, qualified, cells = state
    function.__defaults__ = defaults
    function.__kwdefaults__ = keyword_defaults
    function.__dict__.update(attributes)
    function.__qualname__ = qualified
    for cell, value in zip(function.__closure__ or (), cells, strict=True):
        if value is not EMPTY and value != EMPTY:
            cell.cell_contents = value
    return function
