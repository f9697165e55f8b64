"""Runs MODEL.onnx with onnxruntime on the tensors of INPUTS.json, and prints the
outputs in the same form. The checker of package onnx looks at the model first, if
it is there."""

import json
import sys

import numpy as np
import onnxruntime

KINDS = {7: np.int64, 6: np.int32, 9: np.bool_}


def array(t):
    data = np.array(t["floats"], np.float32) if t.get("floats") is not None else np.array(t["ints"], KINDS[t["type"]])
    return data.reshape(t["shape"])


def tensor(x):
    out = {"shape": list(x.shape)}
    if x.dtype == np.float32:
        return out | {"floats": [float(f"{v:.9g}") for v in x.flatten()]}
    return out | {"ints": [int(v) for v in x.flatten()], "type": next(k for k, v in KINDS.items() if v == x.dtype)}


model, inputs = sys.argv[1:3]
try:
    import onnx
except ImportError:
    pass
else:
    onnx.checker.check_model(model, full_check=True)
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
with open(inputs) as f:
    feeds = {k: array(v) for k, v in json.load(f).items()}
names = [o.name for o in session.get_outputs()]
print(json.dumps({k: tensor(v) for k, v in zip(names, session.run(names, feeds))}))
