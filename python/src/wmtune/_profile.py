"""How long the kernels of a model take."""

import json
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from . import _command, _table
from ._options import dimensions, number_of_threads

_HEAD = ("kernel", "calls", "time", "part", "GFLOP/s", "GB/s", "of the limit", "bound by")


class Profile:
    """The time of each kernel of a run, and its share of the machine's limits. It prints as a table.

    `data` holds what `wmtune profile --json` prints, and `kernels` its rows, the slowest first.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take what the command prints."""
        self.data = data
        self.kernels: list[Mapping[str, Any]] = list(data["kernels"] or [])

    @classmethod
    def measure(
        cls, folder: str | PathLike[str], threads: int = 0, dims: Mapping[str, int] | None = None
    ) -> "Profile":
        """Run the bundle in a folder with random inputs, in a process of its own, and measure the machine's limits."""
        flags = ["--threads", str(number_of_threads(threads))]
        if extents := dimensions(dims):
            flags += ["--dim", extents]
        return cls(json.loads(_command.run(["profile", "--json", *flags, "--", fspath(folder)])))

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                k["name"],
                str(k["count"]),
                _table.time(k["us"]),
                f"{k['part']:.0%}",
                f"{k['gflops']:.4g}",
                f"{k['gbytes_per_second']:.3g}",
                f"{k['share']:.0%}" if k.get("share") else "",
                k.get("bound", ""),
            )
            for k in self.kernels
        ]

    def _notes(self) -> list[str]:
        d = self.data
        notes = [
            f"{d['runs']} runs: fastest {_table.time(d['min_us'])}, median {_table.time(d['median_us'])}; "
            f"{_table.time(d['between_us'])} between kernels"
        ]
        if d.get("plan"):
            notes.append(f"plan for {d['plan']}")
        if d["denormals"]:
            notes.append("a run computed with denormal numbers, which are slow: see flush_denormals of wmtune.load")
        return notes

    def __str__(self) -> str:
        return "\n".join([_table.text(_HEAD, self._rows()), "", *self._notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _table.page(self.data["model"], _HEAD, self._rows(), self._notes())


Profile.measure.__annotations__["return"] = Profile  # help() shows it without quotes
