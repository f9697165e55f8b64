"""Arrays of other libraries."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from models import Array, dense_of

import wmtune
from wmtune._dlpack import View


class Foreign:
    """An array that only DLPack can read."""

    def __init__(self, array: Array, device: tuple[int, int] = (1, 0)) -> None:
        self._array, self._device = array, device

    def __dlpack__(self) -> Any:
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def test_no_copy() -> None:
    """A view is where the elements are."""
    x = np.zeros((2, 3), np.int16)
    view = View(Foreign(x[1:]), "x")
    assert (view.type, view.shape, view.contiguous) == ("int16", (1, 3), True)
    assert view.address == x[1:].ctypes.data
    assert not View(Foreign(x.T), "x").contiguous


def test_read_only(opened: Callable[..., wmtune.Model]) -> None:
    """Read-only arrays are read if their library exports them, by a capsule of version 1."""

    class Versioned(Foreign):
        def __dlpack__(self, *, max_version: tuple[int, int] | None = None) -> Any:
            return self._array.__dlpack__(max_version=max_version)

    model = opened("dense")
    x = np.random.default_rng(1).standard_normal((4, 8), dtype=np.float32)
    np.testing.assert_array_equal(model(Versioned(x)), model(x))
    expected = model(x)
    x.flags.writeable = False
    with pytest.raises(wmtune.UsageError, match="input x: .*readonly"):
        model(Foreign(x))
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        np.testing.assert_array_equal(model(Versioned(x)), expected)


def test_freed(opened: Callable[..., wmtune.Model]) -> None:
    """What was copied of a foreign array is freed without the collector of cycles."""
    x = np.asfortranarray(np.ones((4, 8), np.float32))
    alive = weakref.ref(x)
    gc.disable()
    try:
        with pytest.warns(wmtune.CopyWarning):
            opened("dense")(Foreign(x))
        del x
        assert alive() is None
    finally:
        gc.enable()


def test_foreign_arrays(opened: Callable[..., wmtune.Model]) -> None:
    """Foreign arrays are read in any layout, and rejected like others."""
    model = opened("dense")
    x = np.random.default_rng(1).standard_normal((4, 8), dtype=np.float32)
    np.testing.assert_allclose(model(Foreign(x)), dense_of(x), rtol=1e-5, atol=1e-6)
    with pytest.warns(wmtune.CopyWarning):
        np.testing.assert_array_equal(model(Foreign(np.asfortranarray(x))), model(x))
    for bad, text in [
        (Foreign(x.astype(np.float64)), "float64"),
        (Foreign(x.T), "shape"),
        (Foreign(x, (2, 0)), "device"),
    ]:
        with pytest.raises(wmtune.UsageError, match="input x.*" + text):
            model(bad)


def test_types(opened: Callable[..., wmtune.Model]) -> None:
    """Names of types are numpy's."""
    for name in ("bool", "int8", "uint8", "int64", "uint32", "float16", "float64"):
        assert View(Foreign(np.zeros(3, name)), "x").type == name
