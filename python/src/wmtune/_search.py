"""Searches for a fast kernel of one operator."""

import functools
import itertools
import json
import math
import os
from collections.abc import Mapping
from datetime import timedelta
from os import PathLike
from typing import Any

from . import _command, _options, _table
from ._errors import Error
from ._progress import bar


class SearchResult:
    """What a search found. `data` holds what `wmtune search --json` prints; its fields are attributes, too.

    It prints as a sentence, and in a notebook as a table with the curve of the best candidate.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take what the command prints."""
        self.data = data
        self._folder = os.getcwd()  # in which paths of the data are

    @functools.cached_property
    def records(self) -> list[dict[str, Any]]:
        """The records of the tuning log, in the order of the trials, as `wmtune show LOG --json` prints them."""
        lines = _command.run(["show", "--json", "--", self.data["log"]], cwd=self._folder).splitlines()
        return [json.loads(line) for line in lines]

    @property
    def curve(self) -> list[float]:
        """The microseconds of the best candidate after each trial; nan until one is correct."""
        costs = (r["cost_us"] if r["status"] == "ok" else None for r in self.records)
        best = itertools.accumulate((math.inf if us is None else us for us in costs), min)
        return [math.nan if us == math.inf else us for us in best]

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with a row for each trial: what the log says of it, and best_us after it."""
        import pandas

        return pandas.DataFrame(self.records).assign(best_us=self.curve)

    def __getattr__(self, name: str) -> Any:
        if name == "data" or name.startswith("_"):  # what copy and pickle look for before there is data
            raise AttributeError(name)
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(f"a search has no {name}: it has {', '.join(self.data)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.data]

    def _figures(self) -> list[tuple[str, str]]:
        """Return what a reader wants to know, each with its name, as far as there is."""
        d = self.data
        untuned, best = d.get("untuned_us"), d.get("best_us")
        rows = [
            ("workload", d.get("workload")),
            ("best", best and f"{_table.time(best)}, {d.get('best_gflops') or 0:.4g} GFLOP/s"),
            ("untuned", untuned and best and f"{_table.time(untuned)}, {untuned / best:.2f} times as long"),
            ("trials", d.get("trials")),
            ("scorer", d.get("scorer")),
            ("kernel", d.get("out")),
        ]
        return [(name, str(value)) for name, value in rows if value not in (None, "")]

    def __repr__(self) -> str:
        return f"<wmtune.SearchResult {'; '.join(f'{name}: {value}' for name, value in self._figures())}>"

    def _repr_html_(self) -> str:
        page = _table.page("Search", ("", ""), self._figures(), [])
        try:
            return page + _table.steps(self.curve, "the best candidate, in us, after each trial")
        except (Error, KeyError):  # the log is gone
            return page


def search(
    workload: str | None = None,
    *,
    trials: int | None = None,
    time: float | str | timedelta | None = None,
    out: str | PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> SearchResult:
    """Search for a fast kernel of a workload, such as "matmul:m=512,n=512,k=512" or "paper22/r50-t3".

    trials is how many candidates are measured: 64 by default, and without a limit if there is a time.

    options are further flags of the command, such as scorer="gbt", seed=1, or workload_file=PATH instead of a workload.
    The kernel lies in the folder out, by default wmtune-out/NAME. Raises Error, or one of its kinds, with the sentence
    of `wmtune search`. Ctrl-C finishes the round under way and raises KeyboardInterrupt; the same call goes on from
    there.
    """
    flags: dict[str, _options.Value] = {"workload": workload, "trials": trials, "time": time, "out": out, **options}
    with bar(progress, workload or str(options.get("workload_file"))) as show:
        return SearchResult(json.loads(_command.run(["search", "--json", *_options.flags(flags)], show)))
