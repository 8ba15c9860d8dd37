"""The fields of Parquet files."""

import glob
import pathlib

import pyarrow as pa
from pyarrow import parquet

from petrichor.jobs.fields import PlanError


def fields_of_file(path):
    """Names and types of all columns, of a file or of the first file in a folder or pattern."""
    path = pathlib.Path(path)
    files = [path]
    if path.is_dir():
        files = list(path.iterdir())
    elif not path.exists() and any(c in str(path) for c in "*?["):
        files = [pathlib.Path(name) for name in glob.glob(str(path), recursive=True)]
    if files != [path]:
        files = sorted(file for file in files if file.is_file() and file.name[0] not in "._")
        if not files:
            raise PlanError(f"there is no file in {path}: name the columns to read")
        path = files[0]
    try:
        schema = parquet.read_schema(path)
    except (OSError, pa.ArrowException) as problem:
        raise PlanError(f"cannot read the columns of {path}: {problem}") from problem
    return [(column.name, _field_type(column)) for column in schema]


def _field_type(column):
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    for is_such, field_type in FIELD_TYPES:
        if is_such(kind):
            return field_type
    raise PlanError(f"column {column.name!r} ({kind}) has an unsupported type: name the columns to read")


FIELD_TYPES = [
    (pa.types.is_boolean, "BOOLEAN"),
    (lambda kind: pa.types.is_signed_integer(kind) and kind.bit_width <= 32, "INT32"),
    (pa.types.is_integer, "INT64"),
    (pa.types.is_timestamp, "INT64"),
    (lambda kind: kind in (pa.float32(), pa.float64()), "FLOAT64"),
    (pa.types.is_decimal, "FLOAT64"),
    (pa.types.is_date, "TEXT"),
    (lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind), "TEXT"),
    (lambda kind: pa.types.is_binary(kind) or pa.types.is_large_binary(kind), "BYTES"),
    (pa.types.is_fixed_size_binary, "BYTES"),
]
