"""Models of several plans: which one runs for which arrays."""

from dataclasses import replace
from typing import Any

import numpy as np

from ._arrays import Place
from ._bundle import Description
from ._errors import UsageError

_MOST = 256
"""Extents whose places are kept."""


class Fitted:
    """The places of a model's inputs and outputs, by the extents of its dimensions."""

    def __init__(self, about: Description, strict: bool) -> None:
        """Make no places yet."""
        self._about, self._strict = about, strict
        self._names = {*about.dims, *(s.name for s in about.sums), about.length} - {None}
        self._places: dict[tuple[int, ...], tuple[list[Place], list[Place]]] = {}

    def to(self, arrays: tuple[Any, ...], length: int) -> tuple[tuple[int, ...], list[Place], list[Place]]:
        """Return the extents that arrays have, and the places for them; length is that of the state.

        Raises UsageError if no plan serves them.
        """
        about = self._about
        found: dict[str, int] = {} if about.length is None else {about.length: length}
        for port, x in zip(about.inputs, arrays, strict=True):
            shape = x.shape if hasattr(x, "shape") else np.shape(x)
            if len(shape) != len(port.shape):
                raise UsageError(f"input {port} has {len(port.shape)} dimensions, and the array has {len(shape)}")
            for name, n in zip(port.dims, shape, strict=False):
                if name in self._names and found.setdefault(name, int(n)) != n:
                    raise UsageError(f"dimension {name} is {found[name]} in one input and {n} in input {port}")
        for s in about.sums:
            if (n := s.at(found)) != found.setdefault(s.name, n):
                raise UsageError(f"dimension {s.name} is {found[s.name]} in an input: {s} is {n}")
        extents = tuple(found[name] for name in about.dims)
        key = extents if about.length is None else (*extents, length)
        places = self._places.get(key)
        if places is None:
            places = self._make(extents, found)
            if len(self._places) >= _MOST:
                self._places.clear()
            self._places[key] = places
        return extents, *places

    def _make(self, extents: tuple[int, ...], sizes: dict[str, int]) -> tuple[list[Place], list[Place]]:
        about = self._about
        plan = next((p for p in about.plans if p.serves(extents)), None)
        if plan is None:
            asked = ", ".join(f"{name}={sizes[name]}" for name in about.dims)
            known = "; ".join(p.text(about.dims) for p in about.plans)
            raise UsageError(f"{about.name}: no plan serves {asked}: there are {known}")
        inputs = []
        for port in about.inputs:
            dims = port.dims or ("",) * len(port.shape)
            shape = tuple(sizes.get(name, n) for name, n in zip(dims, port.shape, strict=True))
            inputs.append(Place(replace(port, shape=shape), "input", self._strict))
        ports = zip(about.outputs, plan.outputs, strict=True)
        outputs = [Place(replace(port, shape=shape), "output", self._strict) for port, shape in ports]
        return inputs, outputs
