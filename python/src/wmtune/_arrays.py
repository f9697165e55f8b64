"""Arrays as a model takes them: where they lie, and whether they are what an input wants.

numpy arrays, torch tensors and whatever has `__dlpack__` are read where they are. An array is copied only if its
elements do not lie densely in row-major order, and lists and numbers are made arrays.
"""

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._bundle import Port
from ._dlpack import View
from ._errors import CopyWarning, UsageError

ALIGNMENT = 64
"""Bytes: a run copies an array that does not begin at a multiple of these, or writes a result to it in two steps."""

_SMALL = 4096
"""Bytes of which the copy takes less time than aligned memory."""


def empty(shape: Sequence[int], dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    """Return a numpy array of that shape and type whose memory begins at a multiple of 64 bytes.

    A model reads such an array, or writes to it, without a copy.
    """
    dtype = np.dtype(dtype)
    size = dtype.itemsize
    for n in shape:
        size *= n
    block = np.empty(size + ALIGNMENT, np.uint8)
    skip = -address(block) % ALIGNMENT
    return np.ndarray(shape, dtype, block.data, skip)


def address(array: np.ndarray[Any, Any]) -> int:
    """Return where the elements of a numpy array begin."""
    where: int = array.__array_interface__["data"][0]
    return where


def torch() -> Any:
    """Return the module torch if the program has imported it: there are no tensors without it."""
    return sys.modules.get("torch")


def is_tensor(x: object) -> bool:
    """Whether x is a torch tensor."""
    module = torch()
    return module is not None and isinstance(x, module.Tensor)


def _has_type(x: object) -> bool:
    """Whether the elements of x have a type of their own, unlike those of lists."""
    if hasattr(x, "__array__") or hasattr(x, "__array_interface__"):
        return True
    try:
        memoryview(x)  # type: ignore[arg-type]
    except (TypeError, BufferError):
        return False
    return True


class Place:
    """The place of one input or output of a model: what arrays fit, and how new ones are made."""

    def __init__(self, port: Port, kind: str, strict: bool) -> None:
        """Kind is "input" or "output", for messages; strict rejects arrays that would have to be copied."""
        self.port, self.kind, self.strict = port, kind, strict
        self.dtype, self.shape = port.dtype, port.shape
        self._tensor_type: Any = None
        self._noted = False
        self._small = port.nbytes <= _SMALL

    def find(self, x: Any) -> tuple[int, Any]:
        """Return where the elements of x begin, and what must be kept until the run is over.

        Raises UsageError if the type, shape or device of x is not that of the model.
        """
        if type(x) is np.ndarray:
            if x.dtype == self.dtype and x.shape == self.shape and x.flags.c_contiguous:
                return x.__array_interface__["data"][0], x
        elif is_tensor(x):
            fits = x.dtype is self.tensor_type() and x.shape == self.shape and x.device.type == "cpu"
            if fits and self._strides(x) and x.is_contiguous() and not x.is_neg():
                return x.data_ptr(), x
            return self._odd_tensor(x)
        elif hasattr(x, "__dlpack__") and not isinstance(x, np.ndarray):
            return self._view(x)
        return self._odd_array(x)

    def destination(self, x: Any) -> tuple[int, Any]:
        """As find, of an array that is written to: it must not be copied, and must be writable."""
        if isinstance(x, np.ndarray):
            self._check(self._type_of(x), x.shape)
            if x.flags.c_contiguous and x.flags.writeable:
                return address(x), x
            raise UsageError(f"{self}: the array must be dense, row-major and writable")
        if is_tensor(x):
            self._check_tensor(x)
            if x.is_contiguous() and not x.is_neg():
                return x.data_ptr(), x
            raise UsageError(f"{self}: the tensor must be contiguous, and no view of negated elements")
        raise UsageError(f"{self}: outputs are written to numpy arrays and torch tensors, not {type(x).__name__}")

    def new(self) -> np.ndarray[Any, Any]:
        """Return a new array for an output."""
        return np.empty(self.shape, self.dtype) if self._small else empty(self.shape, self.dtype)

    def new_tensor(self) -> Any:
        """Return a new torch tensor for an output."""
        return torch().empty(self.shape, dtype=self.tensor_type(), device="cpu")

    @staticmethod
    def _strides(x: Any) -> bool:
        return x.layout is torch().strided

    def tensor_type(self) -> Any:
        """torch's type of the elements."""
        if self._tensor_type is None:
            self._tensor_type = getattr(torch(), self.port.type)
        return self._tensor_type

    def __str__(self) -> str:
        return f"{self.kind} {self.port.name}"

    def _odd_array(self, x: Any) -> tuple[int, Any]:
        if isinstance(x, np.ma.MaskedArray):
            raise UsageError(f"{self} takes no masked array: give x.filled(...), or x.data to ignore the mask")
        array = self._typed(x) if _has_type(x) else self._array_of(x)
        self._check(self._type_of(array), array.shape)
        if not array.flags.c_contiguous:
            self._note("its elements do not lie densely in row-major order", "numpy.ascontiguousarray(x)")
            array = np.ascontiguousarray(array)
        return address(array), array

    def _typed(self, x: Any) -> np.ndarray[Any, Any]:
        """Return an object that has elements of a type as an array of that type."""
        try:
            return np.asarray(x)
        except (TypeError, ValueError) as e:
            raise UsageError(f"{self}: {e}") from e

    def _array_of(self, x: Any) -> np.ndarray[Any, Any]:
        """Make an array of lists and numbers, which have no type of their own, if the input's type holds them."""
        if self.dtype.name != self.port.type:  # bits of bfloat16
            raise UsageError(f"{self} is {self.port.type}: install ml_dtypes, or give its bits as an array of uint16")
        try:
            plain = np.asarray(x)
            if plain.dtype.kind in "OSU":  # None would be NaN, and a text what it says
                what = "the list has something else, or numbers that are too large"
                what = what if isinstance(x, (list, tuple)) else f"not {type(x).__name__}"
                raise UsageError(f"{self} takes an array or numbers: {what}")
            with np.errstate(over="ignore"):
                array = np.asarray(x, self.dtype)
            if self.dtype.kind in "biu":
                exact = np.array_equal(array, plain)
            else:
                exact = np.array_equal(np.isfinite(array), np.isfinite(plain))
        except UsageError:
            raise
        except (TypeError, ValueError, OverflowError) as e:
            raise UsageError(f"{self}: {e}") from e
        if not exact:
            raise UsageError(f"{self} is {self.port.type}: round fractions, and use numbers that it holds")
        return array

    def _odd_tensor(self, x: Any) -> tuple[int, Any]:
        self._check_tensor(x)
        if x.is_neg():
            self._note("the tensor is a view of negated elements", "x.resolve_neg()")
            x = x.resolve_neg()
        if not x.is_contiguous():
            self._note("the tensor is not contiguous", "x.contiguous()")
            x = x.contiguous()
        return x.data_ptr(), x

    def _check_tensor(self, x: Any) -> None:
        if x.device.type != "cpu":
            raise UsageError(f"{self}: the tensor is on {x.device}; move it with x.cpu()")
        if not self._strides(x):
            raise UsageError(f"{self}: the tensor is sparse, {x.layout}; x.to_dense() has its elements")
        self._check(str(x.dtype).removeprefix("torch."), tuple(x.shape))

    def _view(self, x: Any) -> tuple[int, Any]:
        view = View(x, str(self))
        self._check(view.type, view.shape)
        if view.contiguous:
            return view.address, view
        self._note("its elements do not lie densely in row-major order", "a contiguous copy of it")
        array = np.ascontiguousarray(view.bits(self.dtype.itemsize))
        return address(array), array

    def _type_of(self, array: np.ndarray[Any, Any]) -> str:
        """Return the name of an array's type; 16 bits pass for a bfloat16, which numpy lacks."""
        if array.dtype == self.dtype or (self.port.type == "bfloat16" and array.dtype == np.uint16):
            return self.port.type
        return str(array.dtype)

    def _check(self, dtype: str, shape: tuple[int, ...]) -> None:
        if dtype != self.port.type:
            raise UsageError(
                f"{self} has elements of type {self.port.type}, and the array has {dtype}: "
                f"convert it, since wmtune does not round"
            )
        if shape != self.shape:
            raise UsageError(
                f"{self} has the shape {self.shape}, and the array has {shape}: "
                f"the model was compiled for one shape; compile it again with dims= for another"
            )

    def _note(self, why: str, instead: str) -> None:
        text = f"{self} is copied at each run: {why}; pass {instead}"
        if self.strict:
            raise UsageError(text.replace(" is copied at each run", " would be copied"))
        if not self._noted:
            self._noted = True
            warnings.warn(text, CopyWarning, stacklevel=6)
