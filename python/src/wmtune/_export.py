"""Exports torch modules to ONNX."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._errors import Error


def export(module: Any, args: tuple[Any, ...], path: Path) -> None:
    """Write a module as an ONNX file for the shapes of args. Raises Error with torch's reason."""
    import torch

    try:
        import onnxscript  # noqa: F401  torch's exporter needs it
    except ImportError as e:
        raise Error("torch exports models with onnx and onnxscript: pip install 'wmtune[torch]'") from e
    try:
        with torch.no_grad(), _quiet():
            torch.onnx.export(module, args, path, dynamo=True, external_data=True, verbose=False)
    except Exception as e:
        raise Error(f"torch could not export {type(module).__name__} to ONNX: {reason(e)}") from e


def reason(e: BaseException) -> str:
    """Return the first line of the error that caused e."""
    while e.__cause__ is not None:
        e = e.__cause__
    lines = [line.strip() for line in str(e).splitlines() if line.strip()]
    return lines[0] if lines else type(e).__name__


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the exporter prints of its progress from the terminal."""
    exporter = logging.getLogger("torch.onnx")
    level = exporter.level
    exporter.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        exporter.setLevel(level)
