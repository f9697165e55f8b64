"""What a model does with arrays."""

from __future__ import annotations

import json
import os
import pickle
import threading
import warnings
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import Array, dense, dense_of

import wmtune
from wmtune import _bundle, _table
from wmtune._arrays import Place
from wmtune._bundle import Port
from wmtune._context import Context

Open = Callable[..., wmtune.Model]


@pytest.fixture
def x() -> Array:
    """An input of dense."""
    return np.random.default_rng(1).standard_normal((4, 8), dtype=np.float32)


def test_call(opened: Open, x: Array) -> None:
    """Arrays in order and by name give what numpy computes."""
    model = opened("dense")
    np.testing.assert_allclose(model(x), dense_of(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(model(x=x), model(x))
    np.testing.assert_array_equal(model.run({"x": x})["y"], model(x))


def test_results_are_new(opened: Open, x: Array) -> None:
    """A second run leaves the first one's result alone."""
    model = opened("dense")
    first = model(x)
    kept = first.copy()
    assert model(x * 2).tolist() != kept.tolist()
    np.testing.assert_array_equal(first, kept)


def test_out(opened: Open, x: Array) -> None:
    """Outputs are written where the caller wants them."""
    model = opened("dense")
    y = np.empty((4, 3), np.float32)
    assert model(x, out=y) is y
    np.testing.assert_allclose(y, dense_of(x), rtol=1e-5, atol=1e-6)
    y[:] = 0
    assert model.run({"x": x}, out={"y": y})["y"] is y
    assert y.any()
    whole = np.zeros((4, 6), np.float32)
    for bad in (whole[:, ::2], np.empty((3, 4), np.float32), np.empty((4, 3)), [[0.0]], _read_only(y)):
        with pytest.raises(wmtune.UsageError, match="output y"):
            model(x, out=bad if isinstance(bad, np.ndarray) else [bad])
    with pytest.raises(wmtune.UsageError, match="1 outputs, and out has 2"):
        model(x, out=[y, y])
    with pytest.raises(wmtune.UsageError, match="no z"):
        model.run({"x": x}, out={"z": y})


def test_several_ports(opened: Open) -> None:
    """Several inputs are told apart by name, and several outputs are a tuple."""
    model = opened("pair")
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.full((2, 3), 5, np.int32)
    total, product = model(a, b)
    np.testing.assert_array_equal(total, a + b)
    np.testing.assert_array_equal(product, a * b)
    assert list(model.run({"b": b, "a": a})) == ["sum", "product"]
    np.testing.assert_array_equal(model(a, b=b)[1], a * b)
    kept = np.empty((2, 3), np.int32)
    assert model.run({"b": b, "a": a}, out={"product": kept})["product"] is kept
    np.testing.assert_array_equal(kept, a * b)
    for wrong in ({"a": a}, {"a": a, "b": b, "c": a}, {"a": a, "c": b}):
        with pytest.raises(wmtune.UsageError, match="takes the inputs a, b"):
            model.run(wrong)
    with pytest.raises(wmtune.UsageError, match="takes 2 arrays"):
        model(a)


def test_forms_of_others(opened: Open) -> None:
    """A model runs as in ONNX Runtime and as in OpenVINO."""
    model = opened("pair")
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.full((2, 3), 5, np.int32)
    feed = {"b": b, "a": a}
    total, product = model.run(None, feed)
    np.testing.assert_array_equal(total, a + b)
    np.testing.assert_array_equal(product, a * b)
    (product,) = model.run(["product"], feed)
    np.testing.assert_array_equal(product, a * b)
    assert len(model.run(("product", "sum", "product"), feed)) == 3
    found = model(feed)
    assert list(found) == ["sum", "product"]
    for key in ("product", 1):
        np.testing.assert_array_equal(found[key], a * b)
    x = np.ones((4, 8), np.float32)
    np.testing.assert_allclose(opened("dense")({"x": x})[0], dense_of(x), rtol=1e-5, atol=1e-6)
    for key in ("nothing", 2, -1):
        with pytest.raises(KeyError):
            _ = found[key]
    wrong: list[tuple[tuple[Any, ...], str]] = [
        ((["difference"], feed), "the outputs sum, product, and no difference"),
        ((None,), "takes the inputs a, b"),
        ((None, {"a": a}), "takes the inputs a, b"),
        (([a, b],), "run takes a dict of arrays, or ONNX Runtime's run.None, inputs., not list"),
        ((a,), "not ndarray"),
    ]
    for args, text in wrong:
        with pytest.raises(wmtune.UsageError, match=text):
            model.run(*args)
    with pytest.raises(wmtune.UsageError, match="takes the inputs a, b"):
        model({"a": a})


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (np.zeros((4, 8)), "float32, and the array has float64"),
        (np.zeros((4, 8), ">f4"), "float32, and the array has >f4"),
        (np.zeros((8, 4), np.float32), r"the shape \(4, 8\), and the array has \(8, 4\)"),
        (np.zeros(32, np.float32), r"the array has \(32,\)"),
        (np.float32(1), r"the array has \(\)"),
        ([[1.0, 2.0]], r"the array has \(1, 2\)"),
    ],
)
def test_wrong_arrays(opened: Open, bad: Any, text: str) -> None:
    """A wrong type or shape is an error that says which."""
    with pytest.raises(wmtune.UsageError, match="input x.*" + text):
        opened("dense")(bad)


def test_layouts(opened: Open, x: Array) -> None:
    """An array that is not dense is copied, with one warning for a model, or rejected."""
    model = opened("dense")
    odd = np.asfortranarray(x)
    with pytest.warns(wmtune.CopyWarning, match="input x is copied"):
        np.testing.assert_array_equal(model(odd), model(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model(np.repeat(x, 2, axis=1)[:, ::2]), model(x))
    with pytest.raises(wmtune.UsageError, match="would be copied"):
        opened("dense", strict=True)(odd)


def test_odd_arrays(opened: Open, x: Array) -> None:
    """Read-only arrays, arrays at odd addresses, subclasses and lists are fine."""
    model = opened("dense", strict=True)
    block = np.zeros(x.nbytes + 1, np.uint8)
    unaligned: Array = np.ndarray((4, 8), np.float32, block.data, 1)
    unaligned[:] = x
    aligned = wmtune.empty((4, 8))
    aligned[:] = x
    assert aligned.ctypes.data % 64 == 0
    for same in (_read_only(x), unaligned, aligned, x.view(np.recarray), x.tolist()):
        np.testing.assert_array_equal(model(same), model(x))


def test_objects_with_types(opened: Open, x: Array) -> None:
    """Objects whose elements have a type are not converted to another one, and masks are not lost."""

    class Own:
        def __init__(self, array: Array) -> None:
            self._array = array

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
            return self._array if dtype is None else self._array.astype(dtype)

    class Interface:
        def __init__(self, array: Array) -> None:
            self.__array_interface__, self._array = array.__array_interface__, array

    model = opened("dense")
    kinds: list[Callable[[Any], Any]] = [Own, Interface, memoryview]
    for kind in kinds:
        np.testing.assert_array_equal(model(kind(x)), model(x))
        with pytest.raises(wmtune.UsageError, match="input x.*float32, and the array has float64"):
            model(kind(x.astype(np.float64)))
    np.testing.assert_array_equal(opened("gather")(array("q", [3, 0])), opened("gather")([3, 0]))
    with pytest.raises(wmtune.UsageError, match="input i.*int64, and the array has float64"):
        opened("gather")(array("d", [3, 0]))
    with pytest.raises(wmtune.UsageError, match=r"input x takes no masked array: give x\.filled"):
        model(np.ma.masked_array(x, x > 0))


def test_lists(opened: Open) -> None:
    """Lists are made arrays of the input's type, if it holds their numbers."""
    model = opened("gather")
    np.testing.assert_array_equal(model([3, 0]), [[9, 10, 11], [0, 1, 2]])
    np.testing.assert_array_equal(model([3.0, 0.0]), model([3, 0]))
    for odd in ([0.5, 1], [1, 1 << 70], ["a", 1], ["2", "3"], [None, 1], [[1], [1, 2]]):
        with pytest.raises(wmtune.UsageError, match="input i"):
            model(odd)
    odd_values = (("2", "not str"), (None, "not NoneType"), ([None], "the list has"), (["2"], "the list has"))
    for odd_value, text in odd_values:
        with pytest.raises(wmtune.UsageError, match=f"^input x takes an array or numbers: {text}"):
            opened("scalar")(odd_value)
    assert opened("scalar")(float("inf")) == float("inf")
    with pytest.raises(wmtune.UsageError, match="use numbers that it holds"):
        opened("scalar")(1e39)
    truth = Place(Port("c", "bool", (2,)), "input", False)
    assert list(truth.find([1, False])[1]) == [True, False]
    with pytest.raises(wmtune.UsageError, match="input c is bool: round fractions"):
        truth.find([2, 0.5])
    assert opened("gather", threads=np.int64(1))([1, 2]).shape == (2, 3)
    odd_threads: list[Any] = ["2", 1.5, True, -1, 1 << 32]
    for threads in odd_threads:
        with pytest.raises(wmtune.UsageError, match="threads is a number"):
            opened("gather", threads=threads)
        with pytest.raises(wmtune.UsageError, match="threads is a number"):
            wmtune.compile("nothing.onnx", threads=threads)
    if opened("bfloat16").inputs[0].dtype == np.uint16:
        with pytest.raises(wmtune.UsageError, match="install ml_dtypes"):
            opened("bfloat16")([1.0, 2.0, 3.0, 4.0])


def test_kinds_of_ports(opened: Open) -> None:
    """Bounded outputs have their true shape; ports without dimensions and of bfloat16 work."""
    x = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 0]], np.float32)
    np.testing.assert_array_equal(opened("nonzero")(x), np.nonzero(x))
    assert opened("nonzero")(x * 0).shape == (2, 0)
    assert opened("scalar")(2.0) == 3
    y = opened("bfloat16")(np.array([0x3F80, 0, 0x4000, 0xBF80], np.uint16))
    assert y.view(np.uint16).tolist() == [0xBF80, 0x8000, 0xC000, 0x3F80]


def test_check_of_the_model(opened: Open) -> None:
    """An index out of range is an error, and the model can be run again."""
    model = opened("gather")
    with pytest.raises(wmtune.Error, match=r"gather: .*(range|ind)"):
        model(np.array([0, 9]))
    assert model(np.array([0, 3])).tolist() == [[0, 1, 2], [9, 10, 11]]


def test_close(opened: Open, x: Array) -> None:
    """A closed model says so."""
    with opened("dense") as model:
        model(x)
    with pytest.raises(wmtune.ClosedError, match="closed"):
        model(x)
    model.close()


def test_close_while_it_runs(opened: Open) -> None:
    """Runs that are under way end, and the next ones raise."""
    model = opened("products")
    x = np.eye(384, dtype=np.float32)
    started, wrong = threading.Barrier(4), []

    def work() -> None:
        started.wait()
        try:
            while True:
                if not np.array_equal(model(x), x):
                    wrong.append("a result")
        except wmtune.ClosedError:
            return
        except Exception as e:
            wrong.append(repr(e))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    started.wait()
    model(x)
    model.close()
    for t in threads:
        t.join(60)
    assert not wrong
    assert not any(t.is_alive() for t in threads)


def test_close_while_a_context_opens(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that needs a context more finds the model closed, not its weights missing."""
    model = opened("products")
    library = model._library
    busy, new = library.acquire(), library._new

    def close_first() -> Context:
        library.close()
        return new()

    monkeypatch.setattr(library, "_new", close_first)
    with pytest.raises(wmtune.ClosedError, match="closed"):
        library.acquire()
    library.release(busy)


def test_threads(opened: Open, x: Array) -> None:
    """Threads that run a model at once get their own results, and contexts are used again."""
    model = opened("dense", threads=1)
    wrong = []

    def work(factor: int) -> None:
        for _ in range(200):
            mine = x * factor
            if not np.allclose(model(mine), dense_of(mine), rtol=1e-5, atol=1e-5):
                wrong.append(factor)

    for _ in range(3):
        threads = [threading.Thread(target=work, args=[i]) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not wrong
    assert len(model._library._free) <= 4


def test_fork(opened: Open, x: Array) -> None:
    """A child goes on with the model of its parent."""
    model = opened("products")
    big = np.eye(384, dtype=np.float32)
    model(big)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(model(big), big) else 1)
    assert os.waitpid(pid, 0)[1] == 0
    np.testing.assert_array_equal(model(big), big)


def test_save_and_load(opened: Open, x: Array, tmp_path: Path) -> None:
    """A saved bundle computes the same; folders with other files are left alone."""
    model = opened("dense")
    folder = model.save(tmp_path / "new" / "bundle")
    np.testing.assert_array_equal(wmtune.Model.load(folder)(x), model(x))
    with pytest.raises(wmtune.UsageError, match="not an empty folder"):
        model.save(folder)
    about = folder / "dense.json"
    data = json.loads(about.read_text())
    about.write_text(json.dumps({**data, "files": [*data["files"], "nothing"]}))
    with pytest.raises(FileNotFoundError):
        wmtune.load(folder).save(tmp_path / "half")
    assert not any((tmp_path / "half").iterdir())
    with pytest.raises(wmtune.Error, match="cannot be pickled"):
        pickle.dumps(model)


def test_damaged_bundles(opened: Open, tmp_path: Path) -> None:
    """What is missing or wrong in a bundle is said."""
    for kind in (wmtune.Error, FileNotFoundError):
        with pytest.raises(kind, match="no folder"):
            wmtune.load(tmp_path / "nothing")
    with pytest.raises(wmtune.Error, match="no bundle"):
        wmtune.load(tmp_path)
    folder = opened("dense").save(tmp_path / "bundle")
    about = json.loads((folder / "dense.json").read_text())
    for changed in ({"name": "../bundle/dense"}, {"name": "a b"}, {"files": [*about["files"], "../secret"]}):
        (folder / "dense.json").write_text(json.dumps({**about, **changed}))
        with pytest.raises(wmtune.Error, match="cannot be a bundle's: compile the model again"):
            wmtune.load(folder)
    (folder / "dense.json").write_text(json.dumps(about))
    os.mkfifo(folder / "a.json")  # nobody waits for its writer
    assert _bundle.read(folder).name == "dense"
    library = folder / "dense.so"
    kept = library.read_bytes()
    library.write_bytes(kept.replace(b"dense_flush_denormals", b"other_flush_denormals"))
    with pytest.raises(wmtune.Error, match="is not the library of a bundle called dense"):
        wmtune.load(folder)
    library.unlink()  # the loader of the system knows the other file
    library.write_bytes(kept)
    weights = folder / "dense.weights"
    weights.write_bytes(bytes(weights.stat().st_size))
    with pytest.raises(wmtune.Error, match=r"dense: .*(hash|weights)"):
        wmtune.load(folder)
    weights.unlink()
    with pytest.raises(wmtune.Error, match=r"lost dense\.weights"):
        wmtune.load(folder)


def test_two_versions(x: Array, opened: Open, tmp_path: Path) -> None:
    """Two bundles of one name are open side by side."""
    one = opened("dense")
    other = wmtune.compile(dense(np.zeros((8, 3), np.float32)), name="dense", out=tmp_path / "dense")
    assert not other(x).any()
    np.testing.assert_allclose(one(x), dense_of(x), rtol=1e-5, atol=1e-6)


def test_new_version_in_the_place_of_the_old(x: Array, tmp_path: Path) -> None:
    """What is compiled into the folder of an open bundle is another library, also if the old one was closed."""
    place = tmp_path / "dense"
    one = wmtune.compile(dense(), name="dense", out=place)
    other = wmtune.compile(dense(np.zeros((8, 3), np.float32)), name="dense", out=place)
    assert not other(x).any()
    for wrong in (lambda: one.save(tmp_path / "saved"), one.profile):
        with pytest.raises(wmtune.Error, match="the folder holds another model now"):
            wrong()
    assert not (tmp_path / "saved").exists()
    taken = one._library.acquire()  # so that the next run opens a context, with the weights of before
    np.testing.assert_allclose(one(x), dense_of(x), rtol=1e-5, atol=1e-6)
    one._library.release(taken)
    one.close()
    again = wmtune.compile(dense(), name="dense", out=place)
    np.testing.assert_allclose(again(x), dense_of(x), rtol=1e-5, atol=1e-6)


def test_relative_folder(x: Array, bundle: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of a relative folder outlives a change of the working directory, for new threads too."""
    folder = bundle("dense")
    monkeypatch.chdir(folder.parent)
    model = wmtune.load(folder.name)
    monkeypatch.chdir(folder)
    assert model.folder == folder
    context = model._library.acquire()  # the open one is in use: a run opens another
    np.testing.assert_allclose(model(x), dense_of(x), rtol=1e-5, atol=1e-6)
    model._library.release(context)


def test_prints(opened: Open) -> None:
    """A model, its summary and its profile print as text and as HTML."""
    model = opened("dense")
    assert repr(model) == "<wmtune.Model dense(x: float32[4, 8]) -> y: float32[4, 3]>"
    text = str(model.summary())
    assert text.startswith("dense: 2 nodes")
    assert "kernel" in text
    assert f"compiled for {model.description['target']}" in text
    assert model._repr_html_().count("<tr>") == 1 + len(model.summary().rows)


def test_profile(opened: Open) -> None:
    """Each kernel has a time."""
    profile = opened("products").profile(threads=1)
    assert profile.kernels[0]["us"] > 0
    assert sum(k["count"] for k in profile.kernels) == 8
    assert profile.kernels[0]["name"] in str(profile)
    assert "<table>" in profile._repr_html_()


def test_figures() -> None:
    """Times and sizes have three digits and the unit that fits."""
    times = {1.0: "1 us", 999.4: "999 us", 999.9: "1 ms", 2.5e6: "2.5 s", 59e6: "59 s", 90e6: "1.5 min", 6e9: "100 min"}
    assert {us: _table.time(us) for us in times} == times
    sizes = {999: "999 bytes", 1000: "1 kB", 999_999: "1 MB", 2_340_000_000: "2.34 GB"}
    assert {n: _table.size(n) for n in sizes} == sizes


def _read_only(array: Array) -> Array:
    copy = array.copy()
    copy.flags.writeable = False
    return copy
