"""From files and models to bundles, and what goes wrong on the way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import dense, dense_of, info, model, products, write
from onnx import helper

import wmtune
from wmtune import _options
from wmtune._progress import _show, bar


def test_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is compiled into a folder that the caller names, or into one that ends with the model."""
    path = write(tmp_path / "net.onnx", dense())
    compiled = wmtune.compile(path, out=tmp_path / "bundle", progress=False)
    assert compiled.name == "net"
    assert compiled.folder == tmp_path / "bundle"
    compiled = wmtune.compile(path)
    folder = compiled.folder
    assert folder.is_dir()
    del compiled
    assert not folder.exists()
    monkeypatch.chdir(tmp_path)
    Path(path).rename("-net.onnx")
    assert wmtune.compile("-net.onnx", name="net").profile().kernels


def test_no_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the system is needed, such as a compiler or a linker."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with wmtune.compile(products(), database="none") as compiled:
        assert compiled.summary()


def test_no_home(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A home that cannot be written to costs the cache, and one sentence."""
    monkeypatch.setenv("HOME", "/proc/nobody")
    monkeypatch.delenv("XDG_CACHE_HOME")
    with caplog.at_level("INFO", "wmtune"):
        assert wmtune.compile(dense())(np.zeros((4, 8), np.float32)).shape == (4, 3)
    assert len([r for r in caplog.records if "nothing is kept" in r.message]) == 1


def test_open_dimensions() -> None:
    """Open dimensions get their extents from dims."""
    compiled = wmtune.compile(dense(rows="batch"), dims={"batch": 5})
    assert compiled(np.zeros((5, 8), np.float32)).shape == (5, 3)
    with pytest.raises(wmtune.Error, match=r'for instance with dims=\{"batch": 1\}'):
        wmtune.compile(dense(rows="batch"))
    with pytest.raises(wmtune.Error, match=r'"rows": 1'):
        wmtune.compile(dense(rows="rows"))
    with pytest.raises(wmtune.Error, match=r"it is n\+1, and n has no extent"):
        wmtune.compile(dense(rows="rows"), dims={"rows": "n+1"})
    odd: list[Any] = [{"batch": n} for n in ("n+", "5", -1, True, 1.5)] + [[5], 5, "batch=5"]
    for dims in odd:
        with pytest.raises(wmtune.UsageError, match="dims has an extent for each name"):
            wmtune.compile(dense(rows="batch"), dims=dims)


def test_sum(tmp_path: Path) -> None:
    """A dimension is a sum of others: arrays that have another extent are refused."""
    shapes = [info(name, [extent]) for name, extent in (("a", "n"), ("b", "m"), ("c", "n+1"))]
    adding = model([helper.make_node("Concat", ["a", "b", "c"], ["y"], axis=0)], shapes, [info("y", ["k"])])
    joined = wmtune.compile(adding, dims={"n": "0..3", "m": "n+2"}, out=tmp_path / "b", threads=2)
    for n in (3, 0):
        parts = [np.arange(k, dtype=np.float32) for k in (n, n + 2, n + 1)]
        assert np.array_equal(joined(*parts), np.concatenate(parts))
        with pytest.raises(wmtune.UsageError, match=rf"dimension n\+1 is {n + 2} in an input: n\+1 is {n + 1}"):
            joined(*parts[:2], parts[1])


def test_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exceptions have the sentences of the command."""
    for wrong in (wmtune.Error, FileNotFoundError):
        with pytest.raises(wrong, match=r"No such file or directory.*none\.onnx"):
            wmtune.compile(tmp_path / "none.onnx")
    os.mkfifo(tmp_path / "pipe.onnx")
    with pytest.raises(wmtune.Error, match="it is a pipe, not a regular file"):
        wmtune.compile(tmp_path / "pipe.onnx")
    unknown = model([helper.make_node("Unheard", ["x"], ["y"], domain="of")], [info("x", [1])], [info("y", [1])])
    unknown.opset_import.append(helper.make_opsetid("of", 1))
    with pytest.raises(wmtune.Error, match="Unheard"):
        wmtune.compile(unknown)
    with pytest.raises(wmtune.UsageError, match="unknown scorer"):
        wmtune.compile(dense(), scorer="nobody")
    for error in (TypeError, wmtune.UsageError):
        with pytest.raises(error, match="wmtune.compile has no option sed: did you mean seed?"):
            wmtune.compile(dense(), sed=1)
    path = write(tmp_path / "dense.onnx", dense())
    options: list[tuple[dict[str, Any], str]] = [
        ({"trails": 1}, "trials"), ({"dim_s": 1}, "dims"), ({"embed_weight": 1}, "embed_weights"),
        ({"skip_passes": 1}, "skip_pass"),
    ]  # fmt: skip
    for option, meant in options:
        with pytest.raises(wmtune.OptionError, match=f"did you mean {meant}[?]"):
            wmtune.compile(path, **option)
    with pytest.raises(wmtune.OptionError, match="has no option qqq$"):
        wmtune.compile(dense(), qqq=1)
    with pytest.raises(wmtune.NothingFoundError, match="with trials= or time="):
        wmtune.compile(products(), require_tuned=True, database="none")
    with pytest.raises(wmtune.UsageError, match="not list"):
        wmtune.compile([])
    with pytest.raises(wmtune.UsageError, match="a file needs none"):
        wmtune.compile("x.onnx", args=(1,))
    monkeypatch.setenv("WMTUNE_LLVM", str(tmp_path / "libLLVM.so"))
    with pytest.raises(wmtune.Error, match=r"libLLVM.*libLLVM\.so"):
        wmtune.compile(dense())


LONG = """
import sys, wmtune
try:
    wmtune.compile(sys.argv[1], out=sys.argv[2], trials=100000, database=sys.argv[3])
except KeyboardInterrupt as e:
    print("interrupted", e)
"""


@pytest.fixture
def long(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A Python process that compiles for long, under nohup; its program has begun to measure."""
    args = [write(tmp_path / "net.onnx", products()), str(tmp_path / "out"), str(tmp_path / "db")]
    process = subprocess.Popen([sys.executable, "-c", LONG, *args], stdout=subprocess.PIPE, text=True, preexec_fn=nohup)
    wait_for(lambda: list((tmp_path / "db").rglob("*.arrow")))
    yield process
    process.kill()
    process.wait()


def nohup() -> None:
    """Ignore that a terminal ends, and heed Ctrl-C, whatever the shell that runs the tests does."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_interrupt(long: subprocess.Popen[str], tmp_path: Path) -> None:
    """Ctrl-C ends a compilation, keeps what was measured, and leaves no process."""
    session = session_of(tmp_path)
    long.send_signal(signal.SIGINT)
    text, _ = long.communicate(timeout=100)
    assert text.startswith("interrupted interrupted: run the same command again to go on")
    wait_for(lambda: processes_of(session) == [])
    assert not (tmp_path / "out").exists()
    resumed = wmtune.compile(tmp_path / "net.onnx", database=str(tmp_path / "db"))
    assert {k["source"] for k in resumed.description["kernels"]} == {"database"}


def test_killed(long: subprocess.Popen[str], tmp_path: Path) -> None:
    """A Python process that is killed leaves no process."""
    session = session_of(tmp_path)
    long.kill()
    wait_for(lambda: processes_of(session) == [])


def session_of(folder: Path) -> int:
    """Return the session of the program whose arguments name a folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "cmdline").read_bytes() and b"wmtune" in os.readlink(
                os.fsencode(process / "exe")
            ):
                return os.getsid(int(process.name))
        except OSError:
            continue
    raise AssertionError("the program does not run")


def processes_of(session: int) -> list[int]:
    """Return the processes of a session that have not ended."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, sid = (process / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(sid) == session and state != "Z":
            found.append(int(process.name))
    return found


def wait_for(condition: object, seconds: float = 100) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def test_flags() -> None:
    """Options become flags."""
    options: dict[str, _options.Value] = {
        "seed": 3, "embed_weights": True, "precision": "int4w", "max_error": 0.05, "time": 90, "name": None, "jobs": 0,
        "flush_denormals": False,
    }  # fmt: skip
    assert _options.flags(options) == [
        "--seed", "3", "--embed-weights", "--precision", "int4w", "--max-error", "0.05", "--time", "90.000000s",
        "--jobs", "0", "--flush-denormals=false",
    ]  # fmt: skip
    assert _options.dimensions({"a": 1, "b": 2}) == "a=1,b=2"
    logs: dict[str, _options.Value] = {
        "pretrain": ["a.arrow", Path("b.arrow")], "seed": np.int64(7), "model": Path("mine"),
    }  # fmt: skip
    assert _options.flags(logs) == [
        "--pretrain", "a.arrow", "--pretrain", "b.arrow", "--seed", "7", "--model", "mine",
    ]  # fmt: skip
    for wrong in ({"seed": object()}, {"seed": timedelta(1)}, {"pretrain": [None]}):
        with pytest.raises(wmtune.UsageError, match="is a number, a text or a path"):
            _options.flags(wrong)  # type: ignore[arg-type]
    with pytest.raises(wmtune.UsageError, match="up to 256"):
        _options.number_of_threads(257)
    for name in ("time", "help", "h"):
        with pytest.raises(wmtune.UsageError, match=f"^{name} is "):
            _options.flags({name: True})


def test_model_folder(tmp_path: Path) -> None:
    """The world model's folder is an option like others, though the first argument is called so."""
    with pytest.raises(wmtune.Error, match="nowhere"):
        wmtune.compile(dense(), model=tmp_path / "nowhere")


def test_progress() -> None:
    """A bar shows steps, trials and what is going on."""

    class Bar:
        total: int | None = None
        n, text = 0, ""
        bar_format: str | None = None

        def set_postfix_str(self, text: str, refresh: bool) -> None:
            self.text = text

        def refresh(self) -> None:
            pass

    shown = Bar()
    _show(shown, "read the model")
    assert (shown.n, shown.total, shown.text) == (0, None, "read the model")
    assert "it/s" not in str(shown.bar_format)
    _show(shown, "3/24  choosing conv_2  5s elapsed")
    assert (shown.n, shown.total, shown.text) == (2, 24, "choosing conv_2")
    _show(shown, "task 2/9 conv  12/64 trials  model about 3 ms  9s elapsed, 5s left  [building]")
    assert (shown.n, shown.total, shown.bar_format) == (12, 64, None)
    _show(shown, "24/24  compile kernels")
    _show(shown, "run the bundle")
    assert (shown.n, shown.total, shown.text) == (24, 24, "run the bundle")
    with bar(False, "x") as show:
        assert show is None


def test_plans(tmp_path: Path) -> None:
    """A model of several plans takes the one that its arrays have; outputs have the true shape."""
    compiled = wmtune.compile(dense(rows="rows"), dims={"rows": [0, 3, 5]}, out=tmp_path / "b", threads=2)
    assert str(compiled.inputs[0]) == "x: float32[rows, 8]"
    for rows in (5, 0, 3, 5):
        x = np.random.default_rng(rows).standard_normal((rows, 8), dtype=np.float32)
        y = compiled(x)
        assert y.shape == (rows, 3)
        np.testing.assert_allclose(y, dense_of(x), rtol=1e-5, atol=1e-6)
        assert compiled(x, out=y) is y
        assert np.array_equal(compiled.run({"x": x})["y"], y)
    loaded = wmtune.load(tmp_path / "b")
    assert "plan for rows=3" in str(loaded.profile(dims={"rows": 3}))
    assert loaded([[0.0] * 8] * 3).shape == (3, 3)
    for bad, says in [
        (np.zeros((4, 8), np.float32), "no plan serves rows=4: there are rows=0; rows=3; rows=5"),
        (np.zeros((3, 9), np.float32), r"has the shape \(3, 8\), and the array has \(3, 9\)"),
        (np.zeros(8, np.float32), "has 2 dimensions, and the array has 1"),
    ]:
        with pytest.raises(wmtune.UsageError, match=says):
            loaded(bad)
    with pytest.raises(wmtune.UsageError, match="a list of them"):
        wmtune.compile(dense(rows="rows"), dims={"rows": []})


def test_state(tmp_path: Path) -> None:
    """A model that keeps a state sums what it was given in all runs; a copy goes on from there."""
    nodes = [
        helper.make_node("Concat", ["past", "x"], ["present"], axis=1),
        helper.make_node("ReduceSum", ["present", "axes"], ["y"], keepdims=0),
    ]
    inputs, outputs = [info("x", [1, "n", 3])], [info("y", [1, 3])]
    caches = info("past", [1, "p", 3]), info("present", [1, "q", 3])
    summing = model(nodes, [*inputs, caches[0]], [*outputs, caches[1]], axes=np.array([1]))
    kept = wmtune.compile(summing, dims={"n": "1..4"}, state="present=past,max=6", out=tmp_path / "b", threads=2)
    assert [str(p) for p in kept.inputs + kept.outputs] == ["x: float32[1, n, 3]", "y: float32[1, 3]"]
    rows = np.random.default_rng(1).standard_normal((1, 6, 3), dtype=np.float32)
    np.testing.assert_allclose(kept(rows[:, :4]), rows[:, :4].sum(1), rtol=1e-5)
    np.testing.assert_allclose(kept(rows[:, 4:5]), rows[:, :5].sum(1), rtol=1e-5)
    copy = kept.fork()
    np.testing.assert_allclose(copy(rows[:, 5:]), rows.sum(1), rtol=1e-5)
    assert (kept.length(), copy.length()) == (5, 6)
    with pytest.raises(wmtune.Error, match="the state is full: it has room for 6 of p"):
        kept(rows[:, :2])
    kept.truncate(1)
    np.testing.assert_allclose(kept(rows[:, 1:2]), rows[:, :2].sum(1), rtol=1e-5)
    with pytest.raises(wmtune.Error, match="fewer rows"):
        kept.truncate(3)
    kept.truncate(0)
    assert kept.length() == 0
    with pytest.raises(wmtune.UsageError, match="keeps no state"):
        wmtune.compile(dense(), database="none").truncate(0)


@pytest.mark.skipif(not shutil.which("qemu-aarch64"), reason="SKIPPED: nobody checks code for aarch64: qemu-user")
def test_target(tmp_path: Path) -> None:
    """The wheel has what other processors need: levels of x86-64, and aarch64, whose library is not loaded here."""
    compiled = wmtune.compile(dense(), target="x86-64-v2,x86-64-v3", out=tmp_path / "levels")
    x = np.random.default_rng(1).standard_normal((4, 8), dtype=np.float32)
    np.testing.assert_allclose(compiled(x), dense_of(x), rtol=1e-5, atol=1e-6)
    with pytest.raises(wmtune.Error, match="is for aarch64, and this is x86_64: copy its folder"):
        wmtune.compile(dense(), target="aarch64-linux -mcpu=cortex-a72", name="net", out=tmp_path / "arm")
    assert (tmp_path / "arm" / "net.so").read_bytes()[18] == 183
