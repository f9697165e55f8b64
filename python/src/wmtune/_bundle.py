"""What a bundle's description, NAME.json, says of a compiled model."""

import errno
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import Error, MissingFileError

# A bundle's name begins the names of its files and functions.
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")

# Types of elements that numpy has no name for.
_BFLOAT16 = "bfloat16"


def numpy_type(name: str) -> np.dtype[Any]:
    """Return numpy's type for a name of ours. bfloat16 is ml_dtypes' if that is installed, else its bits as uint16."""
    if name != _BFLOAT16:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype(np.uint16)
    bits: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bits


@dataclass(frozen=True)
class Port:
    """An input or an output of a model."""

    name: str
    type: str
    """Of the elements, as numpy names it, or bfloat16."""
    shape: tuple[int, ...]
    """Of a bounded output, the largest one."""
    bounded: bool = False
    """Whether the true shape of an output is known only after a run."""
    dims: tuple[str, ...] = ()
    """Of a model of several plans, the dimension that each extent is, or "". The shape is then the largest."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """numpy's type of the elements."""
        return numpy_type(self.type)

    @property
    def nbytes(self) -> int:
        """Bytes of the largest array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        dims = self.dims or ("",) * len(self.shape)
        return f"{self.name}: {self.type}[{', '.join(d or str(n) for d, n in zip(dims, self.shape, strict=True))}]"


@dataclass(frozen=True)
class Plan:
    """What runs for some extents of a model's dimensions: those from least to most."""

    least: tuple[int, ...]
    most: tuple[int, ...]
    outputs: tuple[tuple[int, ...], ...]
    """The shapes of the outputs, at the most."""

    def serves(self, extents: tuple[int, ...]) -> bool:
        """Whether the plan is for these extents."""
        return all(low <= n <= high for low, n, high in zip(self.least, extents, self.most, strict=True))

    def text(self, dims: tuple[str, ...]) -> str:
        """Return the extents by the names of dimensions."""
        each = zip(dims, self.least, self.most, strict=True)
        return ", ".join(f"{name}={low}" + (f"..{high}" if high != low else "") for name, low, high in each)


@dataclass(frozen=True)
class Sum:
    """An extent that follows from dimensions."""

    name: str
    plus: int
    of: tuple[tuple[str, int], ...]
    """Dimensions, and how often each is in the sum."""

    def at(self, extents: Mapping[str, int]) -> int:
        """Return the extent for those of the dimensions."""
        return self.plus + sum(times * extents[name] for name, times in self.of)

    def __str__(self) -> str:
        terms = [name if times == 1 else f"{times}*{name}" for name, times in self.of]
        return "+".join(terms + [str(self.plus)] * (self.plus != 0))


@dataclass(frozen=True)
class Description:
    """A bundle's description. `data` holds all of it; docs/manual/models.md explains its fields."""

    folder: Path
    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    data: Mapping[str, Any]
    dims: tuple[str, ...] = ()
    """Dimensions whose extents a run finds in its inputs."""
    plans: tuple[Plan, ...] = ()
    sums: tuple[Sum, ...] = ()
    """Extents of inputs that follow from those of dims, and from the length of the state."""

    @property
    def length(self) -> str | None:
        """The dimension that is the length of the state, if sums are of it."""
        name: str | None = self.data["state"]["name"] if self.state else None
        return name if any(name == dim for s in self.sums for dim, _ in s.of) else None

    @property
    def state(self) -> bool:
        """Whether contexts keep something from run to run."""
        return self.data.get("state") is not None

    @property
    def library(self) -> Path:
        """The shared library."""
        return self.folder / f"{self.name}.so"

    @property
    def weights(self) -> Path | None:
        """The file of the weights; None if they are in the library or there are none."""
        path = self.folder / f"{self.name}.weights"
        return path if path.name in self.data["files"] else None


def read(folder: Path) -> Description:
    """Read the description of the bundle in a folder. Raises Error if there is no bundle."""
    if not folder.exists():
        why = "no folder of this name; wmtune.compile(..., out=FOLDER) or Model.save makes one"
        raise MissingFileError(errno.ENOENT, why, str(folder))
    if not folder.is_dir():
        raise Error(f"{folder}: it is a file: name the bundle's folder")
    for path in sorted(folder.glob("*.json")):
        if not path.is_file():  # the read of a pipe might never end
            continue
        try:
            data = json.loads(path.read_bytes())
            files, name = data["files"], data["name"]
            inputs, outputs = _ports(data["inputs"]), _ports(data["outputs"])
            dims, plans = tuple(data.get("dims") or ()), tuple(map(_plan, data.get("plans") or ()))
            sums = tuple(map(_sum, data.get("sums") or ()))
        except (ValueError, KeyError, TypeError):
            continue
        if not _NAME.fullmatch(name) or not all(Path(f).name == f for f in files):
            raise Error(f"{path}: the name {name!r}, or that of a file, cannot be a bundle's: compile the model again")
        lost = [f for f in (f"{name}.so", f"{name}.weights") if f in files and not (folder / f).is_file()]
        if lost:
            raise Error(f"{folder}: the bundle has lost {', '.join(lost)}: compile the model again")
        return Description(folder, name, inputs, outputs, data, dims, plans, sums)
    raise Error(f"{folder}: no bundle of wmtune compile: it has no description NAME.json")


def _ports(ports: list[dict[str, Any]] | None) -> tuple[Port, ...]:
    return tuple(
        Port(p["name"], p["type"], tuple(p["shape"]), p.get("bounded", False), tuple(p.get("dims") or ()))
        for p in ports or []
    )


def _plan(plan: dict[str, Any]) -> Plan:
    return Plan(tuple(plan["least"]), tuple(plan["most"]), tuple(map(tuple, plan["outputs"] or ())))


def _sum(sum: dict[str, Any]) -> Sum:
    return Sum(sum["name"], sum["plus"], tuple((t["dim"], t["times"]) for t in sum["of"]))
