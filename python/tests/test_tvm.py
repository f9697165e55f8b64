"""The cost model for TVM's tuner, on candidates that TVM draws."""

from __future__ import annotations

import json
import os
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wmtune

if not os.environ.get("CI"):
    pytest.importorskip("tvm")

import tvm
import tvm.s_tir
from tvm import te


def without_intrinsics() -> None:
    """Stand in for the intrinsics of all machines, whose import takes half a minute."""
    stand_in = types.ModuleType("tvm.s_tir.tensor_intrin")
    stand_in.__path__ = [f"{tvm.s_tir.__path__[0]}/tensor_intrin"]
    sys.modules.setdefault(stand_in.__name__, stand_in)


without_intrinsics()

from tvm.s_tir import meta_schedule as ms  # noqa: E402

import wmtune.tvm  # noqa: E402


def matmul(dtype: str = "float32") -> Any:
    """Return a module that multiplies matrices, of a size like those that the built-in model has learned from."""
    x, w = te.placeholder((64, 64), dtype, name="x"), te.placeholder((64, 64), dtype, name="w")
    k = te.reduce_axis((0, 64), name="k")
    y = te.compute((64, 64), lambda i, j: te.sum(x[i, k] * w[k, j], axis=k), name="y")
    return tvm.IRModule({"main": te.create_prim_func([x, w, y]).with_attr("global_symbol", "main")})


def cosine() -> Any:
    """Return a module with an operation that the built-in model was not trained on."""
    x = te.placeholder((64, 48), name="x")
    y = te.compute((64, 48), lambda i, j: te.cos(te.sin(x[i, j]) + te.atan(x[i, 0])), name="y")
    return tvm.IRModule({"main": te.create_prim_func([x, y]).with_attr("global_symbol", "main")})


def product() -> Any:
    """Return a module that wmtune has no counterpart for: it multiplies along rows."""
    x = te.placeholder((16, 32), name="x")
    k = te.reduce_axis((0, 32), name="k")
    reducer = te.comm_reducer(lambda a, b: a * b, lambda t: tvm.tirx.const(1, t), name="product")
    y = te.compute((16,), lambda i: reducer(x[i, k], axis=k), name="y")
    return tvm.IRModule({"main": te.create_prim_func([x, y]).with_attr("global_symbol", "main")})


def candidates(mod: Any, number: int = 24) -> tuple[Any, list[Any]]:
    """Return a context and random candidates of it."""
    target = tvm.target.Target({"kind": "llvm", "mcpu": "znver3", "num-cores": 2})
    context = ms.TuneContext(
        mod=mod,
        target=target,
        space_generator="post-order-apply",
        search_strategy="replay-trace",
        task_name="main",
        rand_state=1,
        num_threads=1,
    )
    context.pre_tuning(number, number, context.generate_design_space())
    return context, list(context.generate_measure_candidates())


class Unknown:
    """A candidate with an instruction that nobody knows."""

    class sch:  # noqa: N801
        class trace:  # noqa: N801
            @staticmethod
            def as_json() -> Any:
                return [[["Teleport", [], [], []]], []]


@pytest.fixture
def model() -> Iterator[Any]:
    model = wmtune.tvm.WorldModel()
    yield model
    model._service.close()


def test_predict(model: Any) -> None:
    """Every candidate has a weight, the better one the greater, in all calls alike."""
    context, drawn = candidates(matmul())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = model.predict(context, drawn)
    assert weights.shape == (24,) and weights.dtype == np.float64
    assert ((weights > 0) & (weights < 1)).all() and len(set(weights)) > 12
    assert np.allclose(model.predict(context, drawn[5:9]), weights[5:9])
    assert model.unmapped == 0


def test_frozen(model: Any, tmp_path: Path) -> None:
    """What was measured changes no rank. The model takes it all the same, and can be saved and loaded."""
    context, drawn = candidates(matmul())
    before = model.predict(context, drawn)
    results = [ms.runner.RunnerResult([1e-4 * (25 - place)], None) for place in range(23)]
    results.append(ms.runner.RunnerResult(None, "it crashed"))
    model.update(context, drawn, results)
    after = model.predict(context, drawn)
    assert np.allclose(before, after)
    model.save(str(tmp_path / "model"))
    again = wmtune.tvm.WorldModel(path=tmp_path / "model")
    assert np.allclose(again.predict(context, drawn), after)
    again._service.close()
    with pytest.raises(ValueError, match="online=True is gone"):
        wmtune.tvm.WorldModel(online=True)


def test_unknown_trace(model: Any) -> None:
    """A trace that has no counterpart is an average candidate, and is counted."""
    context, drawn = candidates(matmul(), 8)
    with pytest.warns(UserWarning, match="an instruction Teleport has no counterpart here"):
        weights = model._inst.predict(context, [*drawn, Unknown])
    assert weights[-1] == 0.5 and model.unmapped == 1


def test_notes(model: Any) -> None:
    """What the scorer has to say of a task is a warning, once."""
    context, drawn = candidates(cosine(), 8)
    with pytest.warns(UserWarning, match="is in no task that the model was trained on"):
        model.predict(context, drawn)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(context, drawn)


def test_unknown_program() -> None:
    """A program that has no counterpart is ranked by the other model, with a warning that says why."""

    class Other:
        calls: list[str] = []

        def predict(self, context: Any, drawn: list[Any]) -> Any:
            self.calls.append("predict")
            return [0.25] * len(drawn)

        def update(self, context: Any, drawn: list[Any], results: list[Any]) -> None:
            self.calls.append("update")

    model = wmtune.tvm.WorldModel(fallback=Other())
    context, drawn = candidates(product(), 4)
    with pytest.warns(UserWarning, match="leaves this program to TVM's own cost model: the module: a reduction by Mul"):
        assert list(model.predict(context, drawn)) == [0.25] * len(drawn)
    model.update(context, drawn, [ms.runner.RunnerResult([1e-3], None)] * len(drawn))
    assert Other.calls == ["predict", "update"]
    model._service.close()


def test_service_ends(model: Any) -> None:
    """A scorer that ends is started again with what it knew; when it ends again, its last words are the error."""
    context, drawn = candidates(matmul(), 8)
    results = [ms.runner.RunnerResult([1e-4 * (i + 1)], None) for i in range(8)]
    model.predict(context, drawn)
    model.update(context, drawn, results)
    before = model.predict(context, drawn)
    model._service._process.kill()
    assert np.allclose(model.predict(context, drawn), before)
    model._service._process.kill()
    with pytest.raises(RuntimeError, match="the scorer ended for the second time"):
        model.predict(context, drawn)


def test_tune(tmp_path: Path) -> None:
    """TVM tunes with it."""

    def initialize() -> None:  # of a function of a module, the builder's processes would import the module
        stand_in = types.ModuleType("tvm.s_tir.tensor_intrin")
        stand_in.__path__ = []
        sys.modules[stand_in.__name__] = stand_in

    model = wmtune.tvm.WorldModel()
    mod = matmul()
    target = tvm.target.Target({"kind": "llvm", "mcpu": "x86-64-v3", "num-cores": 1})
    database = ms.tir_integration.tune_tir(
        mod,
        target,
        str(tmp_path),
        6,
        num_trials_per_iter=3,
        cost_model=model,
        seed=1,
        builder=ms.builder.LocalBuilder(max_workers=1, initializer=initialize),
        runner=ms.runner.LocalRunner(evaluator_config=ms.runner.EvaluatorConfig(1, 1, 1)),
    )
    assert len(database.get_all_tuning_records()) == 6
    assert sum(len(r["records"]) for r in model._records) == 6
    assert model.unmapped == 0
    json.dumps(model._records)
    model._service.close()
