"""Models that onnx.helper makes, and what they compute, in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]

WEIGHT: Array = np.linspace(-1, 1, 8 * 3, dtype=np.float32).reshape(8, 3)


def info(name: str, shape: Sequence[int | str], kind: int = TensorProto.FLOAT) -> Any:
    """Describe an input or an output."""
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], **constants: Array) -> Any:
    """Make a model of nodes."""
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "test", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def dense(weight: Array = WEIGHT, rows: int | str = 4) -> Any:
    """y = max(x w, 0)."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["z"]), helper.make_node("Relu", ["z"], ["y"])]
    return model(nodes, [info("x", [rows, 8])], [info("y", [rows, 3])], w=weight)


def dense_of(x: Array) -> Array:
    """What dense computes."""
    y: Array = np.maximum(x @ WEIGHT, 0)
    return y


def pair() -> Any:
    """sum = a + b and product = a b, of whole numbers."""
    ports = [info(name, [2, 3], TensorProto.INT32) for name in ("a", "b", "sum", "product")]
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Mul", ["a", "b"], ["product"])]
    return model(nodes, ports[:2], ports[2:])


def nonzero() -> Any:
    """The places where x is not 0: their number depends on x."""
    nodes = [helper.make_node("NonZero", ["x"], ["y"])]
    return model(nodes, [info("x", [3, 4])], [info("y", [2, "n"], TensorProto.INT64)])


def gather() -> Any:
    """Rows of a table, whose index may be out of range."""
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    nodes = [helper.make_node("Gather", ["t", "i"], ["y"])]
    return model(nodes, [info("i", [2], TensorProto.INT64)], [info("y", [2, 3])], t=table)


def scalar() -> Any:
    """y = x + 1, without dimensions."""
    return model(
        [helper.make_node("Add", ["x", "o"], ["y"])], [info("x", [])], [info("y", [])], o=np.ones((), np.float32)
    )


def bfloat16() -> Any:
    """y = -x, of bfloat16."""
    ports = [info(name, [4], TensorProto.BFLOAT16) for name in ("x", "y")]
    return model([helper.make_node("Neg", ["x"], ["y"])], ports[:1], ports[1:])


def products() -> Any:
    """Products one after the other, which take some milliseconds."""
    nodes = [helper.make_node("MatMul", [f"x{i}" if i else "x", "w"], [f"x{i + 1}"]) for i in range(8)]
    weight = np.eye(384, dtype=np.float32)[::-1].copy()
    return model(nodes, [info("x", [384, 384])], [info("x8", [384, 384])], w=weight)


MODELS: dict[str, Callable[[], Any]] = {
    f.__name__: f for f in (dense, pair, nonzero, gather, scalar, bfloat16, products)
}


def write(path: Any, proto: Any) -> str:
    """Write a model to a file and return its path."""
    onnx.save_model(proto, path)
    return str(path)
