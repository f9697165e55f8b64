"""Reads a dataset with pyarrow, and with pandas and polars where they are
installed, and prints what it holds as JSON: rows of each table, and SHA-256 of
what models learn from."""

import hashlib
import json
import os
import struct
import sys

import pyarrow.ipc

TABLES = ["states", "actions", "trajectories", "tasks", "meta"]


def texts(h, values):
    for v in values:
        v = v if isinstance(v, bytes) else v.encode()
        h.update(struct.pack("<q", len(v)) + v)


def main(folder):
    path = lambda name: os.path.join(folder, name + ".arrow")
    tables = {name: pyarrow.ipc.open_file(path(name)).read_all() for name in TABLES}
    readers = ["pyarrow"]
    for name, table in tables.items():
        table.validate(full=True)
        if table.schema.metadata[b"wmtune.dataset.version"] != b"1":
            raise SystemExit(name + ": which version?")
    try:
        import pandas

        for name in TABLES:
            assert len(pandas.read_feather(path(name))) == tables[name].num_rows
        readers.append("pandas")
    except ImportError:
        pass
    try:
        import polars

        for name in TABLES:
            assert polars.read_ipc(path(name)).height == tables[name].num_rows
        readers.append("polars")
    except ImportError:
        pass

    states, actions, trajectories = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    texts(states, tables["states"]["id"].to_pylist())
    texts(states, tables["states"]["text"].to_pylist())
    for column in ("kind", "text"):
        texts(actions, tables["actions"][column].to_pylist())
    for vector in tables["actions"]["vector"].to_pylist():
        actions.update(struct.pack("<%df" % len(vector), *vector))
    for row in tables["trajectories"].to_pylist():
        texts(trajectories, [row["steps"], row["status"], row["split_task"], row["log"]])
        for column in ("states", "actions"):
            trajectories.update(struct.pack("<%di" % len(row[column]), *row[column]))
        trajectories.update(struct.pack("<%dd" % len(row["costs"]), *row["costs"]))
        labels = [row["cost"], row["label"], row["level"], row["relevance"]]
        trajectories.update(struct.pack("<4d", *[-1 if v is None else v for v in labels]))
    print(json.dumps({
        "rows": {name: table.num_rows for name, table in tables.items()},
        "states": states.hexdigest(), "actions": actions.hexdigest(), "trajectories": trajectories.hexdigest(),
        "inputs": tables["meta"]["inputs"][0].as_py()[0]["records"],
        "families": len(set(tables["tasks"]["family"].to_pylist())),
        "readers": readers,
    }))


main(sys.argv[1])
