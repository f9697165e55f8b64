"""Writes operators.json: one small network per operator and way to use it, random
inputs, and what onnxruntime computes.

    python3 -m venv venv && venv/bin/pip install onnx onnxruntime numpy
    venv/bin/python golden.py

operators_test.go compares ours with it.
"""

import base64
import json
import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(7)
cases = []


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def ints(low, high, *shape):
    return rng.integers(low, high, shape).astype(np.int64)


def case(op, inputs, outputs=1, opset=17, constants=(), **attributes):
    """Inputs is a list of arrays, or None for one left out; those whose number is in
    constants become weights."""
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, results, **attributes)
    run, infos, weights = {}, [], []
    for i, x in enumerate(inputs):
        if x is None:
            continue
        if i in constants:
            weights.append(numpy_helper.from_array(x, names[i]))
            continue
        run[names[i]] = x
        kind = helper.np_dtype_to_tensor_dtype(x.dtype)
        infos.append(helper.make_tensor_value_info(names[i], kind, [f"d{k}" for k in range(x.ndim)] if i % 2 else x.shape))
    graph = helper.make_graph([node], op, infos, [helper.make_empty_tensor_value_info(r) for r in results], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    model = onnx.shape_inference.infer_shapes(model)
    found = {v.name: v for v in list(model.graph.value_info) + list(model.graph.output)}
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    want = session.run(None, run)
    assert found
    cases.append({
        "name": op + " " + " ".join(f"{k}={v}" for k, v in attributes.items() if not isinstance(v, onnx.TensorProto)),
        "model": base64.b64encode(model.SerializeToString()).decode(),
        "inputs": {k: tensor(v) for k, v in run.items()},
        "outputs": {k: tensor(v) for k, v in zip(results, want)},
    })


def tensor(x):
    x = np.asarray(x)
    if x.dtype == np.float32:
        return {"shape": list(x.shape), "floats": [float(f"{v:.8g}") for v in x.flatten()]}
    return {"shape": list(x.shape), "ints": [int(v) for v in x.flatten()], "type": {"int64": 7, "int32": 6, "bool": 9}[str(x.dtype)]}


for op in ["Add", "Sub", "Mul", "Div"]:
    case(op, [floats(2, 3, 4), floats(2, 3, 4)])
    case(op, [floats(2, 1, 4), floats(3, 1)])
    case(op, [floats(4), floats(2, 3, 4)], constants=[0])
    case(op, [floats(3, 2), floats()], constants=[1])
    case(op, [ints(-9, 9, 2, 3), ints(1, 5, 3)])
for op in ["Max", "Min"]:
    case(op, [floats(2, 3), floats(3), floats(2, 1)])
    case(op, [ints(-9, 9, 4), ints(-9, 9, 4)])
case("Pow", [np.abs(floats(2, 3)), floats(3)])
case("Pow", [floats(2, 3), np.int64(2)], constants=[1])
case("Pow", [floats(2, 3), np.float32(2)], constants=[1])
for op in ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"]:
    case(op, [ints(0, 3, 2, 5), ints(0, 3, 5)])
    case(op, [ints(0, 3, 2, 5).astype(np.float32), ints(0, 3, 5).astype(np.float32)])
for op in ["And", "Or"]:
    case(op, [ints(0, 2, 2, 5) > 0, ints(0, 2, 5) > 0])
case("Not", [ints(0, 2, 6) > 0])
case("Where", [ints(0, 2, 3, 1) > 0, floats(2, 1, 4), floats(4)])
case("Where", [ints(0, 2, 4) > 0, ints(0, 9, 4), ints(0, 9, 1)])
for op in ["Neg", "Abs", "Relu", "Exp", "Tanh", "Sigmoid", "Erf", "Reciprocal", "Identity"]:
    case(op, [floats(3, 5) * 2])
case("Neg", [ints(-5, 5, 4)])
case("Log", [np.abs(floats(3, 5)) + 0.1])
case("Sqrt", [np.abs(floats(3, 5))])
case("Gelu", [floats(3, 5) * 3], opset=20)
case("Dropout", [floats(3, 5)])
case("Clip", [floats(3, 5), np.float32(-0.5), np.float32(0.5)], constants=[1, 2])
case("Clip", [floats(3, 5), None, np.float32(0.5)], constants=[2])
case("Clip", [ints(-9, 9, 7), np.int64(-2)], constants=[1])
case("Cast", [floats(3, 5) * 9], to=TensorProto.INT64)
case("Cast", [ints(-2, 2, 9)], to=TensorProto.FLOAT)
case("Cast", [ints(-2, 2, 9)], to=TensorProto.BOOL)
case("Cast", [ints(-2, 2, 9)], to=TensorProto.INT32)
case("Cast", [floats(4)], to=TensorProto.FLOAT)
case("Cast", [ints(0, 2, 6) > 0], to=TensorProto.FLOAT)
for op in ["ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceSumSquare"]:
    case(op, [floats(2, 3, 4)], axes=[1], keepdims=1)
    case(op, [floats(2, 3, 4)], axes=[-1, 0], keepdims=0)
    case(op, [floats(2, 3, 4)], keepdims=0)
    case(op, [floats(2, 3, 4), np.array([2], np.int64)], opset=18, constants=[1])
case("ReduceSum", [floats(2, 3, 4), np.array([1, 2], np.int64)], constants=[1], keepdims=0)
case("ReduceSum", [floats(2, 3, 4), np.array([-2], np.int64)], constants=[1])
case("ReduceSum", [floats(2, 3, 4)], noop_with_empty_axes=1)
case("ReduceSum", [floats(2, 3, 4)])
case("Softmax", [floats(2, 3, 4)])
case("Softmax", [floats(2, 3, 4)], axis=1)
case("LayerNormalization", [floats(2, 3, 4), floats(4), floats(4)])
case("LayerNormalization", [floats(2, 3, 4), floats(4)], epsilon=0.1)
case("LayerNormalization", [floats(2, 3, 4), floats(3, 4), floats(3, 4)], axis=1)
case("CumSum", [floats(2, 3, 4), np.int64(1)], constants=[1])
case("CumSum", [ints(0, 5, 3, 4), np.int64(-1)], constants=[1])
case("CumSum", [ints(0, 5, 3, 4), np.int64(0)], constants=[1])
case("MatMul", [floats(3, 4), floats(4, 5)])
case("MatMul", [floats(2, 3, 4), floats(4, 5)], constants=[1])
case("MatMul", [floats(2, 1, 3, 4), floats(3, 4, 2)])
case("MatMul", [floats(4), floats(2, 4, 5)])
case("MatMul", [floats(2, 3, 4), floats(4)])
case("MatMul", [floats(4), floats(4)])
case("Gemm", [floats(3, 4), floats(4, 5), floats(5)])
case("Gemm", [floats(4, 3), floats(5, 4), floats(3, 1)], transA=1, transB=1, alpha=0.5, beta=2.0)
case("Gemm", [floats(3, 4), floats(4, 5)], alpha=0.5)
case("Constant", [], value=numpy_helper.from_array(floats(2, 3)))
case("Constant", [], value=helper.make_tensor("v", TensorProto.INT64, [2], [3, 4]))
case("Constant", [], value=helper.make_tensor("v", TensorProto.BOOL, [2], [1, 0]))
case("Constant", [], value_int=7)
case("Constant", [], value_float=0.5)
case("Constant", [], value_ints=[1, 2, 3])
case("Constant", [], value_floats=[1.0, 2.5])
case("ConstantOfShape", [np.array([2, 3], np.int64)], value=helper.make_tensor("v", TensorProto.INT64, [1], [4]))
case("ConstantOfShape", [np.array([2], np.int64)])
case("Range", [np.int64(2), np.int64(9), np.int64(3)], constants=[0, 1, 2])
case("Range", [np.int64(5), np.int64(-2), np.int64(-2)], constants=[0, 1, 2])
case("Shape", [floats(2, 3, 4)])
case("Shape", [floats(2, 3, 4)], start=1)
case("Shape", [floats(2, 3, 4)], start=-2, end=-1)
case("Gather", [floats(5, 3), ints(-5, 5, 2, 2)])
case("Gather", [floats(2, 5, 3), ints(0, 5, 4)], axis=1)
case("Gather", [floats(2, 5), np.int64(3)], axis=-1, constants=[1])
case("Gather", [ints(0, 9, 5), np.int64(1)], constants=[1])
case("Transpose", [floats(2, 3, 4)])
case("Transpose", [floats(2, 3, 4, 2)], perm=[0, 2, 1, 3])
case("Transpose", [ints(0, 9, 2, 3)], perm=[1, 0])
case("Reshape", [floats(2, 3, 4), np.array([0, -1], np.int64)], constants=[1])
case("Reshape", [floats(2, 3, 4), np.array([4, 6], np.int64)])
case("Flatten", [floats(2, 3, 4)])
case("Flatten", [floats(2, 3, 4)], axis=2)
case("Flatten", [floats(2, 3, 4)], axis=-3)
case("Unsqueeze", [floats(2, 3), np.array([0, -1], np.int64)], constants=[1])
case("Squeeze", [floats(1, 3, 1), np.array([0], np.int64)], constants=[1])
case("Squeeze", [floats(1, 3, 1)])
case("Expand", [floats(3, 1), np.array([2, 1, 4], np.int64)])
case("Expand", [ints(0, 9, 1), np.array([3], np.int64)], constants=[1])
case("Concat", [floats(2, 3), floats(2, 1), floats(2, 2)], axis=1)
case("Concat", [ints(0, 9, 2), ints(0, 9, 3)], axis=0)
case("Split", [floats(2, 6), np.array([1, 2, 3], np.int64)], outputs=3, constants=[1], axis=1)
case("Split", [floats(6, 2)], outputs=3)
case("Split", [floats(2, 7)], outputs=3, opset=18, axis=-1, num_outputs=3)
for starts, ends, axes, steps in [
    ([1], [3], None, None),
    ([0, 1], [2, -1], None, None),
    ([2], [4], [1], None),
    ([-3], [1000], [-1], None),
    ([0, 4], [5, 0], [0, 1], [2, -2]),
    ([-1], [-1000], [0], [-1]),
    ([3], [1], [0], None),
]:
    parts = [starts, ends] + [x for x in [axes, steps] if x is not None]
    case("Slice", [floats(4, 6)] + [np.array(p, np.int64) for p in parts], constants=range(1, 5))

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators.json"), "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases")
