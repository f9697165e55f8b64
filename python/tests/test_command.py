"""The command, as a module and through the package."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

import wmtune
from wmtune import _command, _native


def test_module() -> None:
    """`python -m wmtune` is the command, with its exit codes."""
    done = subprocess.run([sys.executable, "-m", "wmtune", "version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("wmtune ")
    done = subprocess.run([sys.executable, "-m", "wmtune", "serch"], capture_output=True, text=True)
    assert done.returncode == 2
    assert 'did you mean "search"' in done.stderr


def test_lines(caplog: pytest.LogCaptureFixture) -> None:
    """Lines that stay are logged; the progress line is shown, without its escapes."""
    shown: list[str] = []
    with caplog.at_level(logging.INFO, "wmtune"):
        text = _command.run(["workloads", "--json"], shown.append)
    assert text.startswith(("[", "{"))
    reader = _command._Reader.__new__(_command._Reader)
    reader.__init__(None, -1, shown.append)  # type: ignore[misc]
    for part in (b"\r\x1b[K1/2  a\r", b"\x1b[K2/2  b", b"\r\x1b[Kwarning: c\r\n", "\r\x1b[Kü".encode()[:-1]):
        reader._take(part)
    assert reader.said == ["warning: c"]
    assert "2/2  b" in shown


def test_lost_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A package without its program says what to do."""
    monkeypatch.setattr(_native, "__file__", str(tmp_path / "_native.py"))
    with pytest.raises(wmtune.Error, match="install the wheel"):
        _native.program()


def test_search(tmp_path: Path) -> None:
    """A search returns what the command prints."""
    found = wmtune.search("matmul:m=32,n=32,k=32", trials=4, out=tmp_path / "kernel", seed=1)
    assert (tmp_path / "kernel" / "kernel.so").is_file()
    assert found.data["trials"] == 4
    assert found.trials == 4
    assert len(found.curve) == 4
    assert found.curve[-1] == min(r["cost_us"] for r in found.records if r["status"] == "ok")
    assert "<svg" in found._repr_html_()
    with pytest.raises(AttributeError, match="it has"):
        _ = found.nothing
    with pytest.raises(TypeError, match="wmtune.search has no option trails: did you mean trials?"):
        wmtune.search("matmul:m=32,n=32,k=32", trails=4)
    with pytest.raises(wmtune.UsageError):
        wmtune.search("mattmul:m=32")


def test_version() -> None:
    """The package has the version of the program, and no name of its own making is public by accident."""
    assert wmtune.__version__ in _command.run(["version"])
    assert not hasattr(wmtune, "annotations")
    for function in (wmtune.compile, wmtune.load, wmtune.search, wmtune.Model.load, wmtune.Model.run, wmtune.empty):
        assert not any(isinstance(kind, str) for kind in function.__annotations__.values()), function


def test_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library is looked for among installed packages only, not in the working directory or where sys.path points."""
    here, site_packages = tmp_path / "here", tmp_path / "site"
    for folder in (here, site_packages):
        info = folder / "karellen_llvm_core-19.1.7.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: karellen-llvm-core\nVersion: 19.1.7\n")
        (info / "RECORD").write_text("lib/libLLVM.so.19.1,,\n")
        (folder / "lib").mkdir()
        (folder / "lib" / "libLLVM.so.19.1").touch()
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "path", ["", str(here), *sys.path])
    monkeypatch.setattr(_native, "_folders", lambda: [str(tmp_path / "nothing")])
    assert _native._file_of("karellen-llvm-core", "libLLVM.so.19.1") is None
    monkeypatch.setattr(_native, "_folders", lambda: [str(site_packages)])
    assert _native._file_of("karellen-llvm-core", "libLLVM.so.19.1") == str(site_packages / "lib/libLLVM.so.19.1")
    assert _native._file_of("karellen-llvm-core", "libxgboost.so") is None
    monkeypatch.undo()
    program = "from wmtune import _native; print(_native._folders(), _native.environment().get('WMTUNE_LLVM'))"
    for change in ({}, {"PYTHONPATH": os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])}):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, cwd=here, env={**os.environ, **change}
        )
        assert done.returncode == 0, done.stderr
        assert str(here) not in done.stdout


def test_types() -> None:
    """The package and its tests are typed."""
    api = pytest.importorskip("mypy.api")
    text, errors, code = api.run(["--config-file", str(Path(__file__).parents[1] / "pyproject.toml")])
    assert code == 0, text + errors
