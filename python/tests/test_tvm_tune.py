"""wmtune's search for programs of TVM, and its candidates as TVM's schedules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_tvm import matmul, product  # before tvm: it stands in for intrinsics whose import takes half a minute

import tvm
import wmtune.tvm
from tvm import te
from tvm.s_tir import meta_schedule as ms
from wmtune import _tvm_tune

TARGET = {"kind": "llvm", "mcpu": "x86-64-v3", "num-cores": 2}


def network(size: int = 14, channels: int = 16) -> Any:
    """Return a module that pads, multiplies with weights whose layout is free, and ends with an activation."""
    x = te.placeholder((1, size, size, channels), name="x")
    w = te.placeholder((3, 3, channels, 32), name="w")
    pad = te.compute(
        (1, size + 2, size + 2, channels),
        lambda n, i, j, c: te.if_then_else(
            te.all(1 <= i, i < size + 1, 1 <= j, j < size + 1), x[n, i - 1, j - 1, c], te.const(0, "float32")
        ),
        name="pad",
    )
    a, b, c = (te.reduce_axis((0, n), name=k) for k, n in {"a": 3, "b": 3, "c": channels}.items())
    y = te.compute(
        (1, size, size, 32),
        lambda n, i, j, o: te.sum(pad[n, i + a, j + b, c] * w[a, b, c, o], axis=[a, b, c]),
        name="y",
        attrs={"layout_free_placeholders": [w]},
    )
    z = te.compute((1, size, size, 32), lambda *at: te.max(y(*at), te.const(0, "float32")), name="z")
    return tvm.IRModule({"main": te.create_prim_func([x, w, z]).with_attr("global_symbol", "main")})


@pytest.mark.parametrize("module", [matmul, network])
def test_tune(module: Any, tmp_path: Path) -> None:
    """What the search finds is in the database, faster than plain loops, and TVM compiles it."""
    mod = module()
    database = wmtune.tvm.tune(mod, TARGET, tmp_path, 16, keep=3, progress=False)
    records = database.get_all_tuning_records()
    assert len(records) == 3
    assert all(0 < float(t) < 1 for r in records for t in r.run_secs)
    target = tvm.target.Target(TARGET)
    found = ms.tir_integration.compile_tir(database, mod, target)
    with _tvm_tune._opened(mod, target) as (_, task):
        check = _tvm_tune._Check(mod, target, task)
    assert min(check.seconds(found.mod)) < 0.5 * min(check.seconds(mod))
    lines = (tmp_path / "database_tuning_record.json").read_text().splitlines()
    assert len(lines) == 3
    # A search's log holds its steps; another database gets the same schedules.
    again = ms.database.MemoryDatabase()
    assert wmtune.tvm.export(tmp_path / "wmtune" / "tuning.arrow", mod, TARGET, again, keep=1) == 1


def two() -> Any:
    """Return a function with two results, of which one is of whole numbers, before its input."""
    x = te.placeholder((64, 32), name="x")
    a = te.compute((64, 32), lambda i, j: te.exp(x[i, j]), name="a")
    b = te.compute((64, 32), lambda i, j: te.max(x[i, j], x[i, 0]).astype("int32"), name="b")
    return te.create_prim_func([a, b, x]).with_attr("global_symbol", "other")


def test_results(tmp_path: Path) -> None:
    """All results are checked, wherever they stand. A function of any name will do, and its record is found again."""
    database = wmtune.tvm.tune(two(), TARGET, tmp_path, 4, keep=1, progress=False)
    target = tvm.target.Target(TARGET)
    assert ms.tir_integration.compile_tir(database, two(), target) is not None
    mod = _tvm_tune._module(two())
    with _tvm_tune._opened(mod, target) as (_, task):
        check = _tvm_tune._Check(mod, target, task)
    assert min(check.seconds(mod)) > 0
    for right, wrong in {"T.exp(x[": "T.sin(x[", "T.max(x[": "T.min(x["}.items():
        text = mod.script()
        assert right in text
        with pytest.raises(wmtune.Error, match="TVM's program computes something else"):
            check.seconds(tvm.script.from_source(text.replace(right, wrong)))
    with pytest.raises(wmtune.UsageError, match="one function of tensor programs is needed; this one has 2"):
        wmtune.tvm.tune(tvm.IRModule({"f": two(), "g": two()}), TARGET, tmp_path)


def test_indices(tmp_path: Path) -> None:
    """What serves as an index stays inside of the table, in the check and while a schedule is timed."""
    x, at = te.placeholder((50, 32), name="x"), te.placeholder((64,), "int64", name="at")
    y = te.compute((64, 32), lambda i, j: te.exp(x[at[i] + 2, j]), name="y")
    mod = te.create_prim_func([x, at, y])
    assert wmtune.tvm.tune(mod, TARGET, tmp_path, 4, keep=1, progress=False).get_all_tuning_records()
    mod, target = _tvm_tune._module(mod), tvm.target.Target(TARGET)
    with _tvm_tune._opened(mod, target) as (_, task):
        drawn = _tvm_tune._Check(mod, target, task)._tensors(mod)[1].numpy()
    assert (drawn >= -2).all() and (drawn <= 47).all() and len(set(drawn)) > 16


@pytest.mark.parametrize(
    ("value", "right", "wrong"),
    [
        (lambda a, k: te.log(5.0 - a), "T.float32(5.0)", "T.float32(4.0)"),  # some have no logarithm
        (lambda a, k: tvm.tirx.const(5.0, "float32") < a, "T.float32(5.0)", "T.float32(4.0)"),
        (lambda a, k: k * 1000 + 100000, "100000", "100001"),
        (lambda a, k: a.astype("bfloat16"), '"bfloat16", x[', '"bfloat16", T.float32(2.0) * x['),
    ],
)
def test_kinds(value: Any, right: str, wrong: str, tmp_path: Path) -> None:
    """Results may be infinite or no numbers, bools and short floats. Whole numbers are exactly those of plain loops."""
    x, k = te.placeholder((64, 32), name="x"), te.placeholder((64, 32), "int32", name="k")
    y = te.compute((64, 32), lambda i, j: value(x[i, j], k[i, j]), name="y")
    mod = te.create_prim_func([x, k, y])
    assert wmtune.tvm.tune(mod, TARGET, tmp_path, 4, keep=1, progress=False).get_all_tuning_records()
    mod, target = _tvm_tune._module(mod), tvm.target.Target(TARGET)
    with _tvm_tune._opened(mod, target) as (_, task):
        check = _tvm_tune._Check(mod, target, task)
    assert min(check.seconds(mod)) > 0
    text = mod.script()
    assert right in text
    with pytest.raises(wmtune.Error, match="TVM's program computes something else"):
        check.seconds(tvm.script.from_source(text.replace(right, wrong)))


def test_layout(tmp_path: Path) -> None:
    """Weights whose layout is free are laid out as the loops read them."""
    database = wmtune.tvm.tune(network(), TARGET, tmp_path, 8, keep=8, progress=False)
    kinds = {i.kind.name for r in database.get_all_tuning_records() for i in r.trace.insts}
    assert "TransformLayout" in kinds


def test_direct(tmp_path: Path) -> None:
    """Of a convolution that a search would compute in Winograd's tiles, candidates are schedules of TVM."""
    assert wmtune.tvm.tune(network(32, 64), TARGET, tmp_path, 8, keep=2, progress=False).get_all_tuning_records()


def test_another_module(tmp_path: Path) -> None:
    """A log of another program is an error, as is a program that wmtune has not got."""
    wmtune.tvm.tune(matmul(), TARGET, tmp_path, 4, keep=1, progress=False)
    log = tmp_path / "wmtune" / "tuning.arrow"
    with pytest.raises(wmtune.UsageError, match="has no measured candidate of this module: wmtune.tvm.tune searches"):
        wmtune.tvm.export(log, network(), TARGET, ms.database.MemoryDatabase())
    with pytest.raises(wmtune.UsageError, match="the module: a reduction by Mul"):
        wmtune.tvm.tune(product(), TARGET, tmp_path / "none", 4)
    with pytest.raises(wmtune.Error, match="no such file"):
        wmtune.tvm.export(tmp_path / "nothing.arrow", matmul(), TARGET, ms.database.MemoryDatabase())


def test_settled() -> None:
    """The time of a program that failed later is left out; later is by the clock, and within a second by the log."""

    def kept(text: str) -> str:
        status = {"+": "ok", "-": "wrong answer", "?": "unmeasured"}
        words = text.split()
        same = {"layout": "keep", "target": "t"}
        records = [
            {"record": i, "trajectory": w[0], "status": status[w[1]], "unix": int(w[2:] or 7), **same}
            for i, w in enumerate(words)
        ]
        return " ".join(words[r["record"]] for r in _tvm_tune._settled(records))

    assert kept("a+ b+ a-") == "b+ a-"
    assert kept("a- a+ b? a?") == "a- a+ b? a?"
    assert kept("a+ a- a+ b?") == "a- a+ b?"
    assert kept("a-3 b+1 a-1 a+2 a+4") == "a-3 b+1 a-1 a+4"
    assert kept("a+0 a-0") == "a-0"


def test_wrong_schedules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule that computes something else is left out; when there is no other, that is an error."""
    wmtune.tvm.tune(matmul(), TARGET, tmp_path, 4, keep=1, progress=False)
    log, made = tmp_path / "wmtune" / "tuning.arrow", _tvm_tune._schedule

    def wrong(mod: Any, trace: Any) -> Any:
        schedule = made(mod, trace)
        text = schedule.mod.script().replace("T.float32(0.0)", "T.float32(1.0)")
        return type("Schedule", (), {"mod": tvm.script.from_source(text), "trace": schedule.trace})

    monkeypatch.setattr(_tvm_tune, "_schedule", wrong)
    database = ms.database.MemoryDatabase()
    with pytest.raises(wmtune.Error, match="is a schedule in TVM: TVM's program computes something else"):
        wmtune.tvm.export(log, matmul(), TARGET, database)
    calls = iter([wrong, made, made, made])
    monkeypatch.setattr(_tvm_tune, "_schedule", lambda mod, trace: next(calls)(mod, trace))
    with pytest.warns(UserWarning, match="candidates are no schedules in TVM, the first: TVM's program"):
        assert wmtune.tvm.export(log, matmul(), TARGET, database) >= 1
    assert len(database.get_all_tuning_records()) >= 1
