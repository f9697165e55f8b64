"""Reads tuning logs as other programs do, and prints for each what it saw: the
rows and three checksums, one JSON object a line.

    python readlog.py LOG...

It needs pyarrow; pandas and polars look at the logs, too, if they are there.
"""

import hashlib
import importlib.util
import json
import struct
import sys

import pyarrow.ipc


def checksum(pack, values):
    sum = hashlib.sha256()
    for v in values:
        sum.update(pack(v))
    return sum.hexdigest()


def text(v):
    b = v.encode()
    return struct.pack("<q", len(b)) + b


def look(path):
    with open(path, "rb") as f:
        reader = pyarrow.ipc.open_stream(f)
        version = reader.schema.metadata[b"wmtune.log.version"].decode()
        table = reader.read_all()
    table.validate(full=True)
    rows = table.to_pylist()
    seen = {
        "rows": table.num_rows,
        "version": version,
        "columns": len(table.column_names),
        "costs": checksum(lambda v: struct.pack("<d", v), (c for r in rows for c in r["costs"] + r["source"]["costs"])),
        "steps": checksum(lambda v: struct.pack("<q", v), (i for r in rows for s in r["steps"] for i in s["ints"])),
        "texts": checksum(text, (r[k] for r in rows for k in ("workload_key", "workload", "target", "trajectory", "status", "message"))),
        "readers": ["pyarrow"],
    }
    if importlib.util.find_spec("pandas"):
        assert len(table.to_pandas()) == table.num_rows
        seen["readers"].append("pandas")
    if importlib.util.find_spec("polars"):
        import polars

        frame = polars.read_ipc_stream(path)
        assert frame.height == table.num_rows
        assert frame["trajectory"].to_list() == table["trajectory"].to_pylist()
        seen["readers"].append("polars")
    return seen


for path in sys.argv[1:]:
    print(json.dumps(look(path)))
