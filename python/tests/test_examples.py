"""The examples run."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("python_*.py"))


def test_there_are_examples() -> None:
    """The folder is found."""
    assert EXAMPLES


# What an example needs besides numpy and onnx.
NEEDS = {
    "python_bert": ["torch", "onnxscript", "transformers"],
    "python_ocr": ["rapidocr", "onnxruntime", "PIL"],
    "python_resnet50": ["torch", "onnxscript", "torchvision"],
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    """An example ends well."""
    missing = [name for name in NEEDS.get(path.stem, []) if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} missing")
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "the largest difference from " in done.stdout
