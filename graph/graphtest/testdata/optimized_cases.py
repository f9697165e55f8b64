"""Writes small models as ONNX Runtime's optimizer saves them to a folder, in the layout that graphtest.Cases reads:

    python optimized_cases.py FOLDER

A network of convolutions, an encoder, an LSTM, and quantized forms of them, each at the levels basic, extended and all. What
is expected is what ONNX Runtime computes of the model before its optimizer ran, without optimizations. Networks of float
convolutions at level all are left out: their weights fit one processor (com.microsoft.nchwc). See node_cases.py for the
layout.
"""

import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnxruntime import quantization

F = np.float32
LEVELS = {"basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
          "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
          "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL}


class Model:
    """A model under construction; calling it adds a node and returns the name of its output."""

    def __init__(self, shape, type=F):
        self.r = np.random.default_rng(1)
        self.nodes, self.weights, self.shape, self.type = [], [], shape, type

    def __call__(self, op, *inputs, outputs=1, **attrs):
        names = [f"{op}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, **attrs))
        return names[0]

    def const(self, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def w(self, *shape):
        return self.const((self.r.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1)).astype(F))

    def save(self, path, output):
        info = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "g", [info("x", helper.np_dtype_to_tensor_dtype(np.dtype(self.type)), self.shape)],
                                  [info(output, onnx.TensorProto.FLOAT, None)], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def convolutions(path):
    m = Model([1, 4, 12, 12])
    x = "x"
    for activation in ("Relu", "LeakyRelu", "Sigmoid", "HardSigmoid", "Tanh"):
        x = m(activation, m("Conv", x, m.w(8, 8 if x != "x" else 4, 3, 3), m.w(8), pads=[1, 1, 1, 1]))
    y = m("Conv", x, m.w(8, 8, 1, 1), m.w(8))
    x = m("Relu", m("Add", y, x))
    x = m("Clip", m("Conv", x, m.w(8, 1, 3, 3), m.w(8), group=8), m.const(F(0)), m.const(F(6)))
    x = m("Concat", m("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), m("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]),
          axis=1)
    x = m("Flatten", m("GlobalAveragePool", x))
    m.save(path, m("Softmax", m("Relu", m("Gemm", x, m.w(10, 16), m.w(10), transB=1)), axis=-1))


def encoder(path):
    b, s, h, n = 2, 6, 16, 4
    m = Model([b, s], np.int64)
    norm = lambda x: m("LayerNormalization", x, m.w(h), m.w(h), axis=-1)
    x = norm(m("Add", m("Gather", m.w(20, h), "x"), m("Gather", m.w(s, h), m.const(np.arange(s)))))
    for _ in range(2):
        heads = [m("Transpose", m("Reshape", m("Add", m("MatMul", x, m.w(h, h)), m.w(h)), m.const(np.array([0, 0, n, h // n]))),
                   perm=[0, 2, 3, 1] if i == 1 else [0, 2, 1, 3]) for i in range(3)]
        p = m("Softmax", m("Div", m("MatMul", heads[0], heads[1]), m.const(F((h // n) ** 0.5))), axis=3)
        y = m("Reshape", m("Transpose", m("MatMul", p, heads[2]), perm=[0, 2, 1, 3]), m.const(np.array([0, 0, h])))
        x = norm(m("Add", m("Add", m("MatMul", y, m.w(h, h)), m.w(h)), x))
        y = m("Add", m("MatMul", x, m.w(h, 4 * h)), m.w(4 * h))
        y = m("Mul", m("Mul", y, m("Add", m("Erf", m("Div", y, m.const(F(2 ** 0.5)))), m.const(F(1)))), m.const(F(0.5)))
        x = norm(m("Add", m("Add", m("MatMul", y, m.w(4 * h, h)), m.w(h)), x))
    y = m("Mul", x, m("Sigmoid", m("Mul", x, m.const(F(1.702)))))
    m.save(path, m("Mul", m("MatMul", m("Transpose", y, perm=[0, 2, 1]), y), m.const(F(0.25))))


def lstm(path):
    m = Model([5, 1, 8])
    x = m("LSTM", "x", m.w(2, 24, 8), m.w(2, 24, 6), m.w(2, 48), hidden_size=6, direction="bidirectional", outputs=3)
    x = m("Reshape", m("Transpose", x, perm=[0, 2, 1, 3]), m.const(np.array([5, 1, 12])))
    m.save(path, m("Tanh", m("Add", m("MatMul", x, m.w(12, 4)), m.w(4))))


def quantized(format, base, input):
    def make(path):
        base(path + ".float")

        class Reader(quantization.CalibrationDataReader):
            feeds = iter([{"x": input(i)} for i in range(4)])

            def get_next(self):
                return next(self.feeds, None)

        quantization.quantize_static(path + ".float", path, Reader(), quant_format=format, per_channel=True,
                                     weight_type=quantization.QuantType.QInt8, activation_type=quantization.QuantType.QUInt8)
    return make


def dynamic(base):
    def make(path):
        base(path + ".float")
        quantization.quantize_dynamic(path + ".float", path)
    return make


def image(seed):
    return np.random.default_rng(seed).standard_normal((1, 4, 12, 12)).astype(F)


def words(seed):
    return np.random.default_rng(seed).integers(0, 20, (2, 6))


def steps(seed):
    return np.random.default_rng(seed).standard_normal((5, 1, 8)).astype(F)


# of each: how the model is made, its input, and how far results may be from each other
MODELS = {"convolutions": (convolutions, image, 1e-5), "encoder": (encoder, words, 1e-4), "lstm": (lstm, steps, 1e-5),
          "convolutions_qdq": (quantized(quantization.QuantFormat.QDQ, convolutions, image), image, 0.03),
          "convolutions_qop": (quantized(quantization.QuantFormat.QOperator, convolutions, image), image, 0.03),
          "encoder_dynamic": (dynamic(encoder), words, 0.1), "lstm_dynamic": (dynamic(lstm), steps, 0.03)}


def session(path, level, save=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 3
    if save:
        options.optimized_model_filepath = save
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["name\toperators\ttypes\trtol\tatol"]
    for model, (make, input, tolerance) in MODELS.items():
        with tempfile.TemporaryDirectory() as temporary:
            path = temporary + "/model.onnx"
            make(path)
            x = input(9)
            want = session(path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL).run(None, {"x": x})
            for level in LEVELS:
                if model == "convolutions" and level == "all":
                    continue
                name = f"opt_{model}_{level}"
                data = folder / name / "test_data_set_0"
                data.mkdir(parents=True, exist_ok=True)
                session(path, LEVELS[level], str(folder / name / "model.onnx"))
                for kind, array in (("input", x), ("output", want[0])):
                    (data / f"{kind}_0.pb").write_bytes(numpy_helper.from_array(array, kind).SerializeToString())
                nodes = onnx.load(folder / name / "model.onnx").graph.node
                lines.append(f"{name}\t{','.join(sorted({f'{n.domain}.{n.op_type}'.lstrip('.') for n in nodes}))}\t\t0\t"
                             f"{tolerance * np.abs(want[0]).max()}")
    (folder / "cases.tsv").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} cases of onnxruntime {onnxruntime.__version__} in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: optimized_cases.py FOLDER")
    main(pathlib.Path(sys.argv[1]))
