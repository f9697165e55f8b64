"""Times compiled trees beside ONNX Runtime, in turns: one row and 1,000 rows, one thread each.

    python lab/python/forests.py ./wmtune

It trains four forests of scikit-learn, LightGBM and XGBoost on random data, exports them and compiles them. A time is
the least of 12 turns, less what an empty call takes: of ONNX Runtime's Python a model of one Identity, of ours one of
C's abs.
It needs numpy, onnx, onnxruntime, scikit-learn, skl2onnx, lightgbm, xgboost and onnxmltools.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

FEATURES, TURNS = 20, 12


def models() -> dict[str, Any]:
    """Return four models with open batches."""
    import lightgbm
    import xgboost
    from onnxmltools.convert import convert_lightgbm, convert_xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType
    from skl2onnx import to_onnx
    from sklearn.datasets import make_classification
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    x, y = make_classification(900, FEATURES, n_informative=10, n_classes=3, random_state=2)
    x, types = x.astype("float32"), [("X", FloatTensorType([None, FEATURES]))]
    scikit = {"forest 100": RandomForestClassifier(100, random_state=0),
              "boosting 100x3": GradientBoostingClassifier(random_state=0)}
    made = {name: to_onnx(m.fit(x, y), x[:1], options={id(m): {"zipmap": False}}) for name, m in scikit.items()}
    made["LightGBM 100x3"] = convert_lightgbm(
        lightgbm.LGBMClassifier(n_estimators=100, verbose=-1).fit(x, y), initial_types=types, zipmap=False)
    made["XGBoost 50x3"] = convert_xgboost(xgboost.XGBClassifier(n_estimators=50).fit(x, y), initial_types=types)
    return made


def ours(wmtune: str, file: Path, x: Any) -> Callable[[], object]:
    """Compile a file for x, and return what runs it."""
    import numpy as np

    folder = file.with_suffix("")
    command = [wmtune, "compile", str(file), "--out", str(folder), "--name", "forest", "--dim", f"X.0={len(x)}"]
    subprocess.run(command, check=True, capture_output=True)
    types = {"float32": np.float32, "int64": np.int64}
    ports = json.loads((folder / "forest.json").read_text())["outputs"]
    outputs = [np.zeros(p["shape"], types[p["type"]]) for p in ports]
    library, context = ctypes.CDLL(str(folder / "forest.so")), ctypes.c_void_p()
    library.forest_open(ctypes.byref(context), str(folder / "forest.weights").encode(), 1)
    inputs = (ctypes.c_void_p * 1)(x.ctypes.data)
    results = (ctypes.c_void_p * len(outputs))(*[y.ctypes.data for y in outputs])
    run = library.forest_run
    run.argtypes = [ctypes.c_void_p] * 3

    def call(keep: Any = (x, outputs)) -> object:
        return run(context, inputs, results)

    return call


def theirs(model: Any, x: Any) -> Callable[[], object]:
    """Return what runs a model in ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: x}
    return lambda: session.run(None, feed)


def main() -> None:
    """Print a line for each model and number of rows."""
    import numpy as np
    from onnx import TensorProto, helper

    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, FEATURES]) for name in "XY"]
    graph = helper.make_graph([helper.make_node("Identity", ["X"], ["Y"])], "identity", ports[:1], ports[1:])
    identity = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    empty = ctypes.CDLL(None).abs
    for name, model in models().items():
        for rows in (1, 1000):
            x = np.random.default_rng(0).standard_normal((rows, FEATURES), np.float32)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "forest.onnx"
                file.write_bytes(model.SerializeToString())
                calls = [ours(sys.argv[1], file, x), lambda: empty(1), theirs(model, x), theirs(identity, x[:1])]
                least = [float("inf")] * len(calls)
                for _ in range(TURNS):
                    for i, call in enumerate(calls):
                        count = 500 if rows == 1 or i % 2 else 5
                        start = time.perf_counter()
                        for _ in range(count):
                            call()
                        least[i] = min(least[i], 1e6 * (time.perf_counter() - start) / count)
            mine, other = least[0] - least[1], least[2] - least[3]
            times = f"wmtune {mine:8.2f} us, ONNX Runtime {other:8.2f} us, {mine / other:.2f}"
            print(f"{name:15} {rows:5} rows: {times}", flush=True)


if __name__ == "__main__":
    main()
