"""What a model consists of."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from . import _table

_HEAD = ("kernel", "calls", "MFLOP", "part", "class", "schedule")


class Summary:
    """The kernels of a model and its figures. It prints as a table, in notebooks too."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take a bundle's description, as Model.description has it."""
        self._data = data
        flops: Counter[str] = Counter()
        calls: Counter[str] = Counter()
        for call in data["calls"] or []:
            flops[call["kernel"]] += call["flops"]
            calls[call["kernel"]] += 1
        total = sum(flops.values()) or 1
        self.rows = [
            (name, str(calls[name]), f"{flops[name] / 1e6:.4g}", f"{flops[name] / total:.0%}", k["class"], k["source"])
            for k in data["kernels"] or []
            if calls[name := k["name"]]
        ]
        """A row for each kernel: name, calls, MFLOP, part of all FLOPs, class, where its schedule is from."""

    def _title(self) -> str:
        d = self._data
        return f"{d['name']}: {d['nodes']} nodes, {d['groups']} kernels of {d['tasks']} tasks"

    def _notes(self) -> list[str]:
        d = self._data
        return [
            f"one run: {_table.time(d['latency_us'])}; weights {_table.size(d['weights_bytes'])}, "
            f"other memory {_table.size(d['arena_bytes'])}",
            f"the largest difference from the reference: {d['max_relative_error']:.2g} of the largest output",
            f"compiled for {d['target']}",
        ]

    def __str__(self) -> str:
        return "\n".join([self._title(), "", _table.text(_HEAD, self.rows), "", *self._notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _table.page(self._title(), _HEAD, self.rows, self._notes())
