"""Compiles a small network that onnx.helper makes, runs it, and compares it with numpy.

    python examples/python_onnx.py

It needs the packages wmtune and onnx, and no download.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import wmtune

rng = np.random.default_rng(0)
weights = [rng.standard_normal(shape, dtype=np.float32) / 8 for shape in ((64, 128), (128, 10))]

nodes = [
    helper.make_node("MatMul", ["x", "w0"], ["h"]),
    helper.make_node("Relu", ["h"], ["r"]),
    helper.make_node("MatMul", ["r", "w1"], ["z"]),
    helper.make_node("Softmax", ["z"], ["y"]),
]
graph = helper.make_graph(
    nodes,
    "network",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 64])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 10])],
    [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)],
)
proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

with wmtune.compile(proto, name="network", dims={"batch": 32}) as model:
    x = rng.standard_normal((32, 64), dtype=np.float32)
    y = model(x)
    print(model.summary())

z = np.maximum(x @ weights[0], 0) @ weights[1]
e = np.exp(z - z.max(axis=1, keepdims=True))
expected = e / e.sum(axis=1, keepdims=True)
print(f"\nthe largest difference from numpy: {abs(y - expected).max():.1e}")
assert np.allclose(y, expected, rtol=1e-4, atol=1e-6)
