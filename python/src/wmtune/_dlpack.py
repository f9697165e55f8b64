"""Reads arrays of other libraries where they are, by the DLPack protocol.

The structures are those of dlpack.h, version 1: DLTensor begins DLManagedTensor, and lies in DLManagedTensorVersioned.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ._errors import UsageError

_CPU = (1, 3, 11)  # kDLCPU, kDLCUDAHost, kDLROCMHost: memory that the processor reads
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_PLACES = {b"dltensor": 0, b"dltensor_versioned": 32}  # names of capsules, and where DLTensor lies in what they hold


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype = ctypes.c_char_p
_name.argtypes = [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class View:
    """The elements of an array of another library. They stay where they are while the view lives."""

    def __init__(self, x: Any, what: str) -> None:
        """Raises UsageError, which begins with what, if the processor cannot read x."""
        device = x.__dlpack_device__()
        if device[0] not in _CPU:
            raise UsageError(f"{what}: the array is on device {device} of DLPack, not in the processor's memory")
        self._capsule = _capsule(x, what)  # frees what it holds when it dies, since nobody renames it
        name = _name(self._capsule)
        tensor = _Tensor.from_address(_pointer(self._capsule, name) + _PLACES[name])
        dims = range(tensor.ndim)
        self.shape = tuple(tensor.shape[i] for i in dims)
        self.address = (tensor.data or 0) + tensor.byte_offset
        self._strides = tuple(tensor.strides[i] for i in dims) if tensor.strides else None
        kind = _KINDS.get(tensor.code, f"kind {tensor.code} of ")
        self.type = "bool" if kind == "bool" else f"{kind}{tensor.bits}"
        if tensor.lanes != 1:
            self.type += f"x{tensor.lanes}"

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie densely in row-major order."""
        if self._strides is None or 0 in self.shape:
            return True
        dense = 1
        for n, stride in zip(reversed(self.shape), reversed(self._strides), strict=True):
            if n != 1 and stride != dense:
                return False
            dense *= n
        return True

    def bits(self, itemsize: int) -> np.ndarray[Any, Any]:
        """Return a numpy array of the elements, of itemsize bytes each, as unsigned numbers."""
        interface = {
            "version": 3,
            "shape": self.shape,
            "typestr": f"<u{itemsize}",
            "data": (self.address, True),
            "strides": tuple(s * itemsize for s in self._strides) if self._strides else None,
        }
        return np.asarray(_Holder(interface, self))


class _Holder:
    """What numpy makes an array of. The array keeps it, and with it the view."""

    def __init__(self, interface: dict[str, Any], view: View) -> None:
        self.__array_interface__, self._view = interface, view


def _capsule(x: Any, what: str) -> Any:
    """Ask for a capsule of version 1, which read-only arrays need, or else for one of before."""
    try:
        try:
            return x.__dlpack__(max_version=(1, 0))
        except TypeError:  # a library that knows no versions
            return x.__dlpack__()
    except BufferError as e:
        raise UsageError(f"{what}: {e}") from e
