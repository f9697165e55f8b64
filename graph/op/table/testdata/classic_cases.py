"""Writes random models of one operator of ai.onnx.ml, with what ONNX Runtime computes, in the layout of
graph/graphtest/testdata/node_cases.py:

    python classic_cases.py FOLDER NUMBER

Numbers are small multiples of 1/8, so that sums are exact, and features often meet thresholds. Left out is where ONNX
Runtime 1.31 does something else than the standard says: the numbers of SOFTMAX and LOGISTIC in TreeEnsemble, and fractions
that are looked up in a set.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

POSTS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
rng = numpy.random.default_rng(7)


def pick(*choices):
    return choices[rng.integers(len(choices))]


def eighths(*shape, low=-16, high=17):
    return rng.integers(low, high, shape) / 8


def features(rows, columns, dtype=numpy.float32, nan=True):
    x = rng.integers(-3, 4, (rows, columns)).astype(numpy.float64)
    if dtype in (numpy.float32, numpy.float64):
        x += pick(0, 0.5) * rng.integers(0, 2, x.shape)
        if nan:
            x[rng.random(x.shape) < 0.1] = numpy.nan
    return x.astype(dtype)


def number(name, values, double):
    if not double:
        return {name: [float(v) for v in values]}
    return {name + "_as_tensor": helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)}


def old_trees(prefix, targets_of, columns, double, positive):
    """Attributes of random trees of versions 1 and 3; targets_of gives the targets that a leaf scores."""
    names = ["treeids", "nodeids", "featureids", "modes", "truenodeids", "falsenodeids", "missing_value_tracks_true"]
    nodes = {name: [] for name in names}
    values, leaves, weights = [], {name: [] for name in ["treeids", "nodeids", "ids"]}, []
    mode = pick(None, None, *MODES)

    def grow(tree, depth):
        at = len(values) - start
        values.append(pick(float(rng.integers(-3, 4)), 0.5))
        leaf = depth == 0 or rng.random() < 0.2
        row = [tree, at, int(rng.integers(columns)), "LEAF" if leaf else mode or pick(*MODES), 0, 0,
               int(rng.integers(2)) if not leaf else 0]
        for name, v in zip(names, row):
            nodes[name].append(v)
        if leaf:
            for target in targets_of(tree):
                for name, v in zip(leaves, [tree, at, int(target)]):
                    leaves[name].append(v)
                weights.append(float(eighths(low=0 if positive else -16)))
            return at
        nodes["truenodeids"][start + at] = grow(tree, depth - 1)
        nodes["falsenodeids"][start + at] = grow(tree, depth - 1)
        return at

    for tree in range(pick(1, 3, 9)):
        start = len(values)
        grow(tree, pick(1, 3, 5))
    attrs = {"nodes_" + name: list_ for name, list_ in nodes.items()}
    if rng.random() < 0.3:
        del attrs["nodes_missing_value_tracks_true"]
    attrs.update({prefix + name: list_ for name, list_ in leaves.items()})
    attrs.update(number("nodes_values", values, double))
    attrs.update(number(prefix + "weights", weights, double))
    return attrs


def tree_regressor():
    version, width, columns = pick(1, 3), pick(1, 1, 3), 4
    double = version == 3 and rng.random() < 0.4
    attrs = old_trees("target_", lambda tree: pick([tree % width], range(width), rng.permutation(width)[:1]), columns, double,
                      pick(True, False))
    attrs.update(n_targets=width, post_transform=pick(*POSTS), aggregate_function=pick("SUM", "SUM", "AVERAGE", "MIN", "MAX"))
    if rng.random() < 0.5:
        attrs.update(number("base_values", list(eighths(width)), double))
    x = features(pick(1, 2, 11, 70), columns, numpy.float64 if double else numpy.float32)
    return version, attrs, [x], 1


def tree_classifier():
    version, width, columns = pick(1, 3), pick(1, 2, 2, 2, 3, 4), 4
    double = version == 3 and rng.random() < 0.3
    only = int(rng.integers(width))
    kind = pick("one", "all", "each", "some")
    choose = {"one": lambda tree: [only], "all": lambda tree: range(width), "each": lambda tree: [tree % width],
              "some": lambda tree: rng.permutation(width)[:rng.integers(1, width + 1)]}[kind]
    attrs = old_trees("class_", choose, columns, double, pick(True, False))
    attrs["post_transform"] = pick(*POSTS)
    if width == 2 and attrs["post_transform"] == "PROBIT":
        attrs["post_transform"] = "LOGISTIC"
    base = pick(0, 1 if width < 3 else 0, width)
    if width == 2 and kind != "one" and base == 1:
        base = 0  # ONNX Runtime then leaves some scores unset
    if base:
        attrs.update(number("base_values", list(eighths(base)), double))
    attrs["classlabels_int64s"] = pick(list(range(width)), [3 * k + 5 for k in range(width)])
    dtype = numpy.float64 if double else pick(numpy.float32, numpy.float32, numpy.int64, numpy.int32)
    return version, attrs, [features(pick(1, 3, 17), columns, dtype)], 2


def trees():
    columns, width, double = 4, pick(1, 3), rng.random() < 0.3
    kind, dtype = (TensorProto.DOUBLE, numpy.float64) if double else (TensorProto.FLOAT, numpy.float32)
    nodes = {name: [] for name in ["featureids", "truenodeids", "trueleafs", "falsenodeids", "falseleafs",
                                   "missing_value_tracks_true"]}
    modes, splits, members, targets, weights = [], [], [], [], []

    def grow(depth):
        if depth == 0:
            targets.append(int(rng.integers(width)))
            weights.append(float(eighths()))
            return len(targets) - 1, 1
        at = len(modes)
        modes.append(int(rng.integers(7)))
        splits.append(float(rng.integers(-3, 4)))
        if modes[-1] == 6:
            members.extend([*rng.permutation(numpy.arange(-3.0, 4.0))[:rng.integers(1, 4)], numpy.nan])
        for name in nodes:
            nodes[name].append(0)
        nodes["featureids"][at], nodes["missing_value_tracks_true"][at] = int(rng.integers(columns)), int(rng.integers(2))
        nodes["truenodeids"][at], nodes["trueleafs"][at] = grow(depth - 1 if rng.random() < 0.8 else 0)
        nodes["falsenodeids"][at], nodes["falseleafs"][at] = grow(depth - 1 if rng.random() < 0.8 else 0)
        return at, 0

    roots = [grow(pick(1, 2, 4))[0] for _ in range(pick(1, 2, 9))]
    tensor = lambda name, values: helper.make_tensor(name, kind, [len(values)], values)
    attrs = {"nodes_" + name: list_ for name, list_ in nodes.items()}
    attrs.update(tree_roots=roots, leaf_targetids=targets, n_targets=width, aggregate_function=int(rng.integers(4)),
                 post_transform=pick(0, 3, 4), leaf_weights=tensor("leaf_weights", weights),
                 nodes_splits=tensor("nodes_splits", splits),
                 nodes_modes=helper.make_tensor("nodes_modes", TensorProto.UINT8, [len(modes)], modes))
    if members:
        attrs["membership_values"] = tensor("membership_values", members)
    return 5, attrs, [numpy.trunc(features(pick(1, 5, 30), columns, dtype))], 1


def operand(columns, rows=None):
    return features(rows or pick(1, 5), columns, pick(numpy.float32, numpy.float32, numpy.float64, numpy.int64, numpy.int32),
                    nan=False)


def linear_classifier():
    width, columns = pick(1, 2, 3), 4
    labels = 2 if width == 1 else width
    attrs = {"coefficients": list(eighths(width * columns)), "intercepts": list(eighths(width)),
             "classlabels_ints": [4 * k + 3 for k in range(labels)], "post_transform": pick(*POSTS)}
    if width == 1 and attrs["post_transform"] == "PROBIT":
        attrs["post_transform"] = "LOGISTIC"
    return 1, attrs, [operand(columns)], 2


def linear_regressor():
    width, columns = pick(1, 3), 4
    attrs = {"coefficients": list(eighths(width * columns)), "targets": width, "post_transform": pick(*POSTS)}
    if rng.random() < 0.5:
        attrs["intercepts"] = list(eighths(width))
    return 1, attrs, [features(pick(1, 5), columns, nan=False)], 1


def kernel(vectors, columns):
    return {"kernel_type": pick("LINEAR", "POLY", "RBF", "SIGMOID"), "kernel_params": [0.25, 0.5, float(pick(2, 3))],
            "support_vectors": list(eighths(vectors * columns))}


def svm_regressor():
    columns, vectors = 4, pick(0, 1, 7)
    attrs = {"coefficients": list(eighths(vectors or columns)), "rho": list(eighths(1)), "n_supports": vectors,
             "one_class": pick(0, 0, 1), "post_transform": "NONE"}
    attrs.update(kernel(vectors, columns) if vectors else {"kernel_params": [0.25, 0.5, 3.0], "kernel_type": "LINEAR"})
    return 1, attrs, [features(pick(1, 5), columns, nan=False)], 1


def svm_classifier():
    columns, classes = 4, pick(2, 2, 3, 4)
    pairs, per = classes * (classes - 1) // 2, [int(v) for v in rng.integers(1, 4, classes)]
    attrs = {"classlabels_ints": [2 * k + 1 for k in range(classes)], 
             "post_transform": pick(*POSTS[:4 if classes == 2 else 5])}
    attrs.update(kernel(sum(per), columns), vectors_per_class=per, rho=list(eighths(pairs)),
                 coefficients=list(eighths((classes - 1) * sum(per))))
    if rng.random() < 0.5:
        attrs.update(prob_a=list(-eighths(pairs, low=1)), prob_b=list(eighths(pairs)))
    return 1, attrs, [operand(columns)], 2


def scaler():
    k = pick(1, 4)
    return 1, {"offset": list(eighths(k)), "scale": list(eighths(k))}, [operand(4)], 1


def normalizer():
    x = operand(4)
    x[0] = pick(0, 1)
    return 1, {"norm": pick("MAX", "L1", "L2")}, [x], 1


def imputer():
    k = pick(1, 4)
    if rng.random() < 0.3:
        return 1, {"imputed_value_int64s": [int(v) for v in rng.integers(-9, 9, k)], "replaced_value_int64": 1}, [
            features(5, 4, numpy.int64)], 1
    return 1, {"imputed_value_floats": list(eighths(k)), "replaced_value_float": pick(numpy.nan, 1.0)}, [features(5, 4)], 1


def one_hot():
    x = features(pick(1, 5), 4, pick(numpy.float32, numpy.float64, numpy.int64), nan=False)
    zeros = pick(0, 1)
    return 1, {"cats_int64s": list(range(-3, 5)) if zeros == 0 else [2, 0, -1, 7], "zeros": zeros}, [x], 1


def label_encoder():
    keys, dtype = pick(("keys_int64s", numpy.int64), ("keys_floats", numpy.float32))
    values, default = pick(("values_int64s", {"default_int64": 8}), ("values_floats", {"default_float": 0.25}),
                           ("values_int64s", {}), ("values_floats", {}))
    count = 4
    numbers = [float(v) for v in rng.permutation(range(-3, 4))[:count]]
    if dtype == numpy.int64:
        numbers = [int(v) for v in numbers]
    elif rng.random() < 0.5:
        numbers[2] = numpy.nan
    result = [int(v) for v in rng.integers(0, 99, count)]
    if values == "values_floats":
        result = [v / 8 for v in result]
    return 4, {keys: numbers, values: result, **default}, [features(5, 4, dtype)], 1


def feature_vectorizer():
    rows, widths = pick(1, 5), [3, 1, 3]
    dtype = pick(numpy.float32, numpy.float64, numpy.int64, numpy.int32)
    return 1, {"inputdimensions": widths}, [features(rows, k, dtype, nan=False) for k in (3, 1, 3)], 1


MAKERS = {"TreeEnsembleRegressor": tree_regressor, "TreeEnsembleClassifier": tree_classifier, "TreeEnsemble": trees,
          "LinearClassifier": linear_classifier, "LinearRegressor": linear_regressor, "Scaler": scaler,
          "SVMRegressor": svm_regressor, "SVMClassifier": svm_classifier,
          "Normalizer": normalizer, "Imputer": imputer, "OneHotEncoder": one_hot, "LabelEncoder": label_encoder,
          "FeatureVectorizer": feature_vectorizer}


def main(folder, count):
    lines = ["name\toperators\ttypes\trtol\tatol"]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    for op, make in MAKERS.items():
        for number_ in range(count):
            version, attrs, inputs, outputs = make()
            name = f"{op}_{number_}"
            ins, outs = [f"x{i}" for i in range(len(inputs))], [f"y{i}" for i in range(outputs)]
            node = helper.make_node(op, ins, outs, domain="ai.onnx.ml", **attrs)
            kinds = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in inputs]
            graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(n, k, x.shape) for n, k, x in
                                                    zip(ins, kinds, inputs)],
                                      [helper.make_empty_tensor_value_info(n) for n in outs])
            model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 18),
                                                                          helper.make_opsetid("ai.onnx.ml", version)])
            data = folder / name / "test_data_set_0"
            data.mkdir(parents=True)
            (folder / name / "model.onnx").write_bytes(model.SerializeToString())
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            results = session.run(None, dict(zip(ins, inputs)))
            for kind, arrays in (("input", inputs), ("output", results)):
                for i, array in enumerate(arrays):
                    (data / f"{kind}_{i}.pb").write_bytes(onnx.numpy_helper.from_array(array).SerializeToString())
            lines.append(f"{name}\t{op}\t\t1e-5\t1e-5")
    (folder / "cases.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
