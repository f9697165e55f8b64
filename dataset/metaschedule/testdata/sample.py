#!/usr/bin/env python3
"""Writes a database of random candidates of MetaSchedule's design space, which are not measured:

    python sample.py ROWS OUT NUMBER [SEED]

ROWS is a Python file that defines SUITE: names, and functions with arguments that give a list of tensors. Needs what loops.py needs.
"""
import base64, json, os, sys

import tvm
from tvm import te

sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))


def no_intrinsics():  # importing all of them takes 30 s, and these programs use none
    import types
    import tvm.s_tir
    m = types.ModuleType("tvm.s_tir.tensor_intrin")
    m.__path__ = [tvm.s_tir.__path__[0] + "/tensor_intrin"]
    sys.modules[m.__name__] = m
    import tvm.s_tir.tensor_intrin.x86


no_intrinsics()
from tvm.s_tir import meta_schedule as ms



def plain(v):
    if isinstance(v, str):
        return str(v)
    if v is None or isinstance(v, (int, float)):
        return v
    if hasattr(v, "value"):  # an IntImm
        return v.value
    return [plain(e) for e in v]


rows, out, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
space = {"tvm": tvm, "te": te}
exec(open(rows).read(), space)
target = tvm.target.Target({"kind": "llvm", "mcpu": "znver3", "num-cores": 2})
os.makedirs(out, exist_ok=True)
with open(os.path.join(out, "database_workload.json"), "w") as workloads, \
        open(os.path.join(out, "database_tuning_record.json"), "w") as records:
    for at, (name, (make, args)) in enumerate(space["SUITE"].items()):
        func = te.create_prim_func(make(*args)).with_attr("global_symbol", "main")
        mod = tvm.IRModule({"main": func})
        text = tvm.ir.save_json(mod).encode()
        packed = base64.b64encode(len(text).to_bytes(8, "little") + text).decode()
        workloads.write(json.dumps([name, packed]) + "\n")
        context = ms.TuneContext(mod=mod, target=target, space_generator="post-order-apply",
                                 search_strategy="replay-trace", task_name=name, rand_state=seed + at, num_threads=2)
        context.pre_tuning(max_trials=number, num_trials_per_iter=number,
                           design_spaces=context.generate_design_space())
        for c in context.generate_measure_candidates():
            trace = plain(c.sch.trace.as_json())
            line = [at, [trace, [1e10], {"kind": "llvm", "mcpu": "znver3", "num-cores": 2}, []]]
            records.write(json.dumps(line) + "\n")
        context.post_tuning()
