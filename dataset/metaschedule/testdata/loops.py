#!/usr/bin/env python3
"""Prints the loops that TVM's MetaSchedule makes of the records of databases, which TestLoops compares with ours:

    python loops.py FOLDER... > lab/testdata/metaschedule/loops.txt

Each FOLDER holds database_workload.json and database_tuning_record.json. Needs apache-tvm 0.27.0.post1 with
apache-tvm-ffi 0.1.14.post1. A record is a line "NAME LINE", and below it a line for each block: its name, and the extents of the
loops around it, outermost first, those of one iteration left out; p and v mark parallel and vectorized ones.
What initializes a reduction is left out, and so are copies of weights.
"""
import base64, json, os, sys

import tvm
from tvm.s_tir.schedule import Schedule, Trace


def blocks(stmt, loops, seen):
    kind = type(stmt).__name__
    if kind == "For":
        extent = int(stmt.extent) if hasattr(stmt.extent, "value") else str(stmt.extent)
        mark = {0: "", 1: "p", 2: "v", 3: "u"}[int(stmt.kind)]
        blocks(stmt.body, loops if extent == 1 else loops + [f"{extent}{mark}"], seen)
    elif kind == "SeqStmt":
        for s in stmt.seq:
            blocks(s, loops, seen)
    elif kind in ("SBlockRealize", "BlockRealize"):
        blocks(stmt.block, loops, seen)
    elif kind in ("SBlock", "Block"):
        if type(stmt.body).__name__ in ("BufferStore",):
            if stmt.name_hint.endswith("_init") or "meta_schedule.layout_rewrite_preproc" in stmt.annotations:
                return
            seen.append((stmt.name_hint.removesuffix("_update"), loops))
        else:
            blocks(stmt.body, loops, seen)
    else:
        sys.exit(f"a statement of kind {kind}")


for folder in sys.argv[1:]:
    modules = []
    for line in open(os.path.join(folder, "database_workload.json")):
        modules.append(tvm.ir.load_json(base64.b64decode(json.loads(line)[1])[8:].decode()))
    for number, line in enumerate(open(os.path.join(folder, "database_tuning_record.json"))):
        workload, record = json.loads(line)
        sch = Schedule(modules[workload])
        # the JSON of TVM's own structures: integers of lists are plain
        Trace.apply_json_to_schedule(tvm.runtime.convert(record[0]), sch)
        seen = []
        blocks(sch.mod["main"].body, [], seen)
        print(os.path.basename(folder.rstrip("/")), number)
        for name, loops in seen:
            print(" ", name, *loops)
