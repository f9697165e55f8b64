#!/usr/bin/env python3
"""Prints a module as this version of TVM writes it: python module.py > module-VERSION.json

TestVersions reads it. Versions: apache-tvm 0.25.0.post1 with apache-tvm-ffi 0.1.12, 0.26.0 with 0.1.13.post2,
0.27.0.post1 with 0.1.14.post1.
"""
import json

import tvm
from tvm import te

x = te.placeholder((8, 16), name="x")
w = te.placeholder((16, 4), name="w")
k = te.reduce_axis((0, 16), name="k")
pad = te.compute((10, 16), lambda i, j: te.if_then_else(te.all(1 <= i, i < 9), x[i - 1, j], te.const(0, "float32")), name="pad")
c = te.compute((8, 4), lambda i, j: te.sum(pad[i + 2, k] * w[k, j], axis=k), name="c", attrs={"layout_free_placeholders": [w]})
y = te.compute((8, 4), lambda i, j: te.max(te.exp(c[i, j]), te.const(0, "float32")), name="y")
text = tvm.ir.save_json(tvm.IRModule({"main": te.create_prim_func([x, w, y])}))
print(json.dumps(json.loads(text), separators=(",", ":")))
